import ArgumentParser
import Measurement

/// The subcommand `tutti measure clock`.
struct ClockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clock",
    abstract: "Measure one clock: tempo, phase errors, lost ticks and stability.",
    discussion: """
      SOURCE is one of these:

        FILE             trace of `tutti peer --trace FILE`; or text of any other
                         program with the time stamp of one tick on each line, or a
                         table with a column of stamps. Without a unit (--unit, or
                         time_ms as title), a whole number is in nanoseconds, and a
                         number with a decimal point or an exponent in seconds
        FILE.wav         recording of the clock: a pulse or a click for each tick
        FILE.mid         MIDI file with recorded clock bytes, or with --notes a note
                         for each tick
        rtp:HOST[:PORT]  RTP-MIDI device at its control port (default: 5004): the
                         arrivals of the clock bytes, or with --instant due their
                         time stamps
        alsa:PORT        ALSA sequencer port: the arrival times, which the kernel has
                         recorded

      --loopback OUT IN measures the jitter floor of the audio interface that made the recording. First connect its \
      output OUT to its input IN with a cable. The program plays 480 pulses, records them, and prints their phase \
      errors beside those of the clock. If the jitter of the clock is not well above this floor, it may be the jitter \
      of the interface.

      If the recording or the MIDI file contains quarter notes instead of clock ticks, give --ticks-per-quarter 1.

      If the argument is an RTP-MIDI device, the program connects to the device and records its clock. The time of \
      --seconds begins with the connection, so start the clock before the connection or soon after it. Ctrl-C ends the \
      measurement and prints the figures.

      FIGURES
        interval   time from a tick to the next one
        tempo over time
                   tempo of the best-fit line in each of at most 20 windows; with
                   --tempo, --json and --plot of at most 500
        phase      phase error: time of a tick minus the best-fit line through all
                   ticks; positive: late
        lost       ticks that are missing while the clock runs
        doubled    ticks that arrived twice
        late       ticks more than half a tick after the line
        tempo      tempo of the line, whose slope is the length of a tick
        drift      measured tempo against the nominal tempo; positive: too fast
        tau        observation time in seconds, and as a number of ticks
        ADEV       overlapping Allan deviation, with its 95 % confidence interval
        MDEV       modified Allan deviation; HDEV: overlapping Hadamard deviation
        edf        equivalent degrees of freedom of the deviation
        noise      type of the noise: white (W), flicker (F) or random walk (RW), of
                   the phase (PM) or of the frequency (FM); - for periodic jitter,
                   and if several types are possible
        TDEV       time deviation
        MTIE       maximum time interval error: largest peak-to-peak phase error
                   in a time window of length tau
        spectrum   power spectral density of the phase error; a table lists the
                   frequencies that stand out, for example of mains hum

      Times are in microseconds. \(FiguresArticle.clock.reference)

      EXAMPLES
        tutti measure clock ada.trace
        tutti measure clock ada.trace --instant due --json
        tutti measure clock stamps.txt --nominal 120 --plot clock.svg
        tutti measure clock ada.trace --plot clock.pdf --size 85x150mm
        tutti measure clock ada.trace --csv > ticks.csv
        tutti measure clock ada.trace --tempo > tempo.csv
        tutti measure clock taps.csv --column onset --unit ms --ticks-per-quarter 1
        tutti measure clock stamps.txt --from 10 --to 70 --skip 24
        tutti measure clock ada.trace --histogram 500
        tutti measure clock ada.trace --spectrum > spectrum.csv
        tutti measure clock clicks.wav --ticks-per-quarter 1
        tutti measure clock pulses.wav --loopback hw:1,0 hw:1,0
        tutti measure clock rtp:192.168.1.30 --seconds 600
        tutti measure clock "alsa:USB MIDI"
      """)

  @Argument(help: "File, RTP-MIDI device or ALSA port.", completion: .file())
  var source: String

  @Option(
    help: ArgumentHelp(
      "Choose the instants to measure. Of a trace: due is when each tick was due, acted is when the clock thread of the "
        + "peer processed it (`written` in `tutti measure path`). Of an RTP-MIDI device: due is the time stamp of each "
        + "tick, acted is its arrival. No effect on other sources.",
      valueName: "due|acted"))
  var instant = ClockStamps.Source.acted

  @Option(
    help: ArgumentHelp(
      "Set the nominal tempo, to which the drift is relative: 20 to 1040 BPM. The ticks are then numbered by this tempo, "
        + "except in a trace. Without a nominal tempo, no drift is printed, and lost ticks can look like a slower tempo. (default: for a trace, the tempo of its due instants; with "
        + "--instant due, and for other sources, none)",
      valueName: "BPM"))
  var nominal: Double?

  @Option(help: ArgumentHelp("Set the number of ticks in a quarter note.", valueName: "N"))
  var ticksPerQuarter = 24

  @Option(
    help: ArgumentHelp(
      "Read the stamps of a text file from this column: its title, or its number from 1. (default: the column whose title "
        + "names a time; without titles, the first)", valueName: "NAME|NUMBER"))
  var column: String?

  @Option(
    help: ArgumentHelp(
      "Set the unit of the stamps of a text file. (default: the unit in the title of the column, otherwise ns for whole "
        + "numbers and s for others)", valueName: "s|ms|us|ns"))
  var unit: StampFormat.Unit?

  @Option(
    help: ArgumentHelp("Measure from S seconds after the first stamp on. (default: 0)", valueName: "S"))
  var from: Double?

  @Option(
    help: ArgumentHelp("Measure up to S seconds after the first stamp. (default: all)", valueName: "S"))
  var to: Double?

  @Option(
    help: ArgumentHelp(
      "Omit the first N ticks of each run, for example while the clock settles after its start. The first run begins at "
        + "--from.", valueName: "N"))
  var skip = 0

  @Flag(help: "Measure the beginnings of the notes of a MIDI file, and not its clock bytes.")
  var notes = false

  @Option(
    help: ArgumentHelp(
      "Measure a device or a port for S seconds after the connection, even if its clock has not started. 0: until "
        + "Ctrl-C.",
      valueName: "S"))
  var seconds = 30.0

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Measure the jitter floor of the interface that made the recording, through a cable from this output to this "
        + "input. Give exactly one output and one input, after SOURCE. (default: not measured)", valueName: "OUT IN"))
  var loopback: [String] = []

  @Flag(help: "Print one JSON object.")
  var json = false

  @Flag(
    help: ArgumentHelp(
      "Print one line for each stamp: run (uninterrupted part of the clock), tick, time, interval, phase error, state "
        + "(ok, late or doubled)."))
  var csv = false

  @Flag(
    help: ArgumentHelp(
      "Print the tempo over time as CSV, one line for each window: run, mean time, tempo, standard error, ticks."
    ))
  var tempo = false

  @Option(
    help: ArgumentHelp(
      "Print the histogram of the magnitude of the phase error, as cyclictest does: N bins of one microsecond.",
      valueName: "N"))
  var histogram: Int?

  @Flag(
    help: ArgumentHelp(
      "Print one line for each frequency of the phase spectrum: frequency, density, 95 % confidence interval."))
  var spectrum = false

  @OptionGroup var plot: PlotOptions

  func validate() throws {
    guard [json, csv, tempo, spectrum, histogram != nil].count(where: { $0 }) <= 1 else {
      throw ValidationError(
        "--json, --csv, --tempo, --spectrum and --histogram: contradict each other; give one of them")
    }
    if let nominal { try check("--nominal", nominal, in: 20...1040, "20 to 1040 BPM") }
    if let from { try check("--from", from, in: 0...1e9, "0 to 1000000000 s") }
    if let to { try check("--to", to, in: (from ?? 0)...1e9, "\(from ?? 0) (--from) to 1000000000 s") }
    try check("--skip", skip, in: 0...1_000_000, "0 to 1000000 ticks")
    if let column, column.isEmpty || column == "0" {
      throw ValidationError("--column \"\(column)\": not a column; give its title, or its number from 1")
    }
    if !loopback.isEmpty {
      guard loopback.count == 2 else {
        throw ValidationError(
          "--loopback: has \(loopback.count) device\(loopback.count == 1 ? "" : "s"), not 2; write SOURCE --loopback OUTPUT INPUT"
        )
      }
      guard !csv, !tempo, !spectrum, histogram == nil else {
        throw ValidationError(
          "--loopback: has no effect with --csv, --tempo, --spectrum or --histogram; omit --loopback, or omit these options"
        )
      }
      guard !source.hasPrefix("rtp:"), !source.hasPrefix("alsa:") else { throw Self.needsRecording(source) }
    }
    try check("--ticks-per-quarter", ticksPerQuarter, in: 1...100_000, "1 to 100000")
    if let histogram { try check("--histogram", histogram, in: 1...1_000_000, "1 to 1000000 bins") }
    try check("--seconds", seconds, in: 0...1e6, "0 to 1000000")
  }

  func run() throws {
    let gnuplot = try GnuplotProgram(for: plot)
    let source = ClockInput(
      source: source, instant: instant, format: StampFormat(column: column, unit: unit), usesNotes: notes,
      seconds: seconds)
    var (clock, input, systemClock) = try source.stamps()
    try clock.keep(from: from, to: to)
    if !loopback.isEmpty, !source.isRecording { throw Self.needsRecording(source.source) }
    let provenance = Provenance(inputs: [input], systemClock: systemClock)
    var analysis = try ClockAnalysis(
      clock, nominalBPM: nominal, ticksPerQuarter: ticksPerQuarter, skipping: skip, provenance: provenance)
    if loopback.count == 2 {
      analysis.report.loopback = try LoopbackFloor(output: loopback[0], input: loopback[1])
    }
    for warning in analysis.report.warnings { warn(warning) }
    if json {
      try printJSON(analysis.report)
    } else if csv {
      analysis.writeCSV { print($0, terminator: "") }
    } else if spectrum {
      try analysis.writeSpectrum { print($0, terminator: "") }
    } else if tempo {
      analysis.writeTempoCSV { print($0, terminator: "") }
    } else {
      print(histogram.map(analysis.histogram(limit:)) ?? analysis.report.description, terminator: "")
    }
    try gnuplot?.draw(script: analysis.plot)
  }

  private static func needsRecording(_ source: String) -> ValidationError {
    ValidationError(
      "--loopback: \(source) is not a WAV file; give as SOURCE the WAV file that the audio interface recorded, or omit "
        + "--loopback")
  }
}

extension ClockStamps.Source: ExpressibleByArgument {}
extension StampFormat.Unit: ExpressibleByArgument {}

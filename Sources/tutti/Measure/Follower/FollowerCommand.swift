import ArgumentParser
import Audio
import Cryptography
import Foundation
import Measurement
import MusicalTime

/// The subcommand `tutti measure follower`.
struct FollowerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "follower",
    abstract: "Measure how a device follows a MIDI clock: delay, jitter, tempo steps, lost ticks.",
    discussion: """
      The program sends Start, a test clock and Stop to an ALSA sequencer port, and listens to the sounds of the \
      device. The test clock contains tempo steps, jitter and lost ticks, which the options set. The argument is one \
      of these:

        alsa:PORT  port of the device. The program sends the clock to it. --listen is
                   the input of a sound card that hears the device, for example
                   hw:1,0
        FILE       file that --save has written in an earlier run. --listen is a WAV
                   file that was recorded while this clock was sent, on this or
                   another machine

      Let the device play short sounds on equally spaced grid lines. The first grid line is at the first tick. The \
      recording must be silent before Start. The parts of the clock are: steady, faster (tempo step), back (at the \
      first tempo), jitter, losses. The same options always give the same clock. Ctrl-C ends the measurement and \
      prints the figures. --csv prints one row for each sound, except sounds off the grid: those too far from a grid \
      line, and further sounds at the same line.

      FIGURES
        delay      from the tick to the sound. Whole grid spacings
                   (--sounds-per-quarter) cannot be seen, so the figure is between
                   -1/4 and 3/4 of the spacing. A WAV file gives a delay only if
                   a Tutti peer wrote it (--audio wav:FILE) on the machine that
                   sent the clock
        transfer   part of the jitter of the clock that the sounds contain; 0: none,
                   1: all. The figure is sqrt(J^2 - S^2) / C. J and S are the
                   standard deviations of the phase errors in the part with
                   jitter and in the steady part, C is that of the jitter of
                   the clock
        peak       largest change of the phase error after a tempo step or a lost
                   tick
        lag        lasting change of the phase error after a tempo step
        overshoot  after the peak: largest deviation from the lasting phase error,
                   in the direction opposite to the peak
        settling   time until the phase error stays at its lasting value
        shift      lasting change of the phase error after a lost tick

      A phase error is the instant of a sound minus the instant at which its tick would be due without jitter; \
      positive: late. Times are in microseconds, settling times in seconds, and a shift is also given in ticks. \
      \(FiguresArticle.follower.reference)

      EXAMPLES
        tutti measure follower "alsa:TR-8S" --listen hw:1,0
        tutti measure follower alsa:24:0 --listen hw:1,0 --pulses --plot device.svg
        tutti measure follower alsa:24:0 --save clock.jsonl
        tutti measure follower clock.jsonl --listen recording.wav --json
      """)

  @Argument(
    help: ArgumentHelp("ALSA port of the device, or a file of --save.", valueName: "alsa:PORT|FILE"),
    completion: .file())
  var source: String

  @Option(
    help: ArgumentHelp(
      "Listen to this input of a sound card, or read this recording.", valueName: "DEVICE|WAV"), completion: .file())
  var listen: String?

  @Option(
    help: ArgumentHelp(
      "Save the sent clock in this file, with the options that determine it. Without --listen, nothing is measured "
        + "now. To measure a recording later, give this file as the argument and the recording with --listen; if needed, "
        + "add --sounds-per-quarter and --pulses.",
      valueName: "FILE"), completion: .file())
  var save: String?

  @OptionGroup var stimulus: StimulusOptions

  @Option(
    help: ArgumentHelp(
      "Set the number of equally spaced grid lines in a quarter note: 1, 2, 3, 4, 6, 8, 12 or 24. The device plays on "
        + "these lines, but not necessarily on each of them.", valueName: "N"))
  var soundsPerQuarter = 4

  @Flag(
    help: ArgumentHelp(
      "Measure the instants of the sounds to a fraction of a sample frame. Only for sounds that are all alike, such as "
        + "pulses or clicks."))
  var pulses = false

  @OptionGroup var output: MeasureOutput

  /// The ALSA port in ``source``; nil if the source is a file.
  private var port: String? { source.hasPrefix("alsa:") ? String(source.dropFirst(5)) : nil }

  func validate() throws {
    guard soundsPerQuarter > 0, 24 % soundsPerQuarter == 0 else {
      throw ValidationError(
        "--sounds-per-quarter \(soundsPerQuarter): not a divisor of 24; give 1, 2, 3, 4, 6, 8, 12 or 24")
    }
    guard soundsPerQuarter <= 8 || pulses else {
      throw ValidationError(
        "--sounds-per-quarter \(soundsPerQuarter): drum hits so close together are not found; give at most 8, or add "
          + "--pulses if the device plays pulses")
    }
    if port != nil {
      guard listen != nil || save != nil else {
        throw ValidationError(
          "\(source): nothing to measure; give --listen INPUT, where INPUT hears the device, or --save FILE"
        )
      }
      if let listen, FileManager.default.fileExists(atPath: listen) {
        throw ValidationError(
          "--listen \(listen): is a recording, which needs the saved clock that was recorded with it; send the clock with "
            + "--save FILE while you record the device, then run `tutti measure follower FILE --listen \(listen)`")
      }
      if listen == nil, output.json || output.csv || output.plot.file != nil {
        throw ValidationError("--json, --csv, --plot: nothing is measured without --listen; give --listen")
      }
    } else {
      guard listen != nil else {
        throw ValidationError(
          "\(source): taken as a file that --save wrote, which needs a recording; give --listen with the WAV file that was "
            + "recorded while this clock was sent, or write alsa:\(source) if \(source) is a port")
      }
      guard save == nil, stimulus.isEmpty else {
        throw ValidationError(
          "\(source): taken as the file of a clock that was already sent, for which options of a new clock have no effect; omit "
            + "--save, --bpm, --seed and the like, or give alsa:PORT to send a new clock")
      }
    }
  }

  func run() throws {
    let gnuplot = try GnuplotProgram(for: output.plot)
    let (sounds, record, inputs): (FollowerSounds, StimulusRecord, [Provenance.Input])
    var systemClock: SystemClock?
    if let port {
      let run = try FollowerRun(stimulus.stimulus(), to: port, input: listen, saving: save)
      for warning in run.warnings { warn(warning) }
      guard let listen, let capture = run.capture else {
        let file = save ?? ""
        writeToStandardError(
          "\(file): \(run.record.count) ticks; measure the recording with "
            + "`tutti measure follower \(file) --listen RECORDING.wav`\n")
        return
      }
      sounds = try FollowerSounds(
        Recording(
          name: listen, samples: capture.recording.samples, rate: capture.rate,
          firstInstant: Instant(nanoseconds: Int64(capture.recording.instant(of: 0)))),
        usesPulses: pulses, hasCommonClock: true, instant: capture.recording.instant)
      (record, inputs) = (run.record, [source, listen].map { Provenance.Input(file: $0, sha256: nil) })
      systemClock = run.systemClock
    } else {
      (sounds, record, inputs) = try read(listen ?? "")
    }
    let analysis = try FollowerAnalysis(
      sounds, record, soundsPerQuarter: soundsPerQuarter,
      provenance: Provenance(inputs: inputs, systemClock: systemClock))
    for warning in analysis.report.warnings { warn(warning) }
    try output.print(analysis.report, analysis.report.provenance) { rows in
      rows.print(FollowerAnalysis.titles)
      for row in analysis.rows { rows.print(row) }
    }
    try gnuplot?.draw(script: analysis.plot)
  }

  /// Reads the record of a stimulus and a recording.
  private func read(_ recording: String) throws -> (FollowerSounds, StimulusRecord, [Provenance.Input]) {
    var digest = SHA256()
    let record = try StimulusRecord(contentsOf: source) { digest.update(Array($0)) }
    let file = try SoundFile(path: recording)
    if file.isTruncated {
      warn("\(recording): the file ends earlier than its header states; only the part that exists is measured")
    }
    let track = Recording.all(of: file, path: recording)[0]
    // If the time reference of the recording places tick 0 within the recording, the program assumes that the time reference is by the
    // clock of the sender. A time reference by another clock, for example one that counts from midnight, normally places tick 0 outside
    // the recording.
    let offset = (Double(record.header.origin) - Double(track.firstInstant.nanoseconds)) / 1e9
    let hasCommonClock = file.firstFrame != nil && (0...Double(track.samples.count / track.rate)).contains(offset)
    let sounds = try FollowerSounds(track, usesPulses: pulses, hasCommonClock: hasCommonClock)
    let inputs = [
      Provenance.Input(file: source, sha256: digest.hexadecimal),
      Provenance.Input(file: recording, sha256: try SHA256.digest(ofFile: recording)),
    ]
    return (sounds, record, inputs)
  }
}

/// The options of the clock that `tutti measure follower` sends.
struct StimulusOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Set the tempo. (default: 120)", valueName: "BPM"))
  var bpm: Double?

  @Option(
    help: ArgumentHelp(
      "Set the standard deviation of the jitter. 0: no part with jitter. (default: 2; above 125 BPM, a tenth of a "
        + "tick)", valueName: "MS"))
  var jitter: Double?

  @Option(help: ArgumentHelp("Set the tempo step. 0: no tempo steps. (default: 5)", valueName: "PERCENT"))
  var step: Double?

  @Option(help: ArgumentHelp("Set the number of lost ticks. (default: 4)", valueName: "N"))
  var losses: Int?

  // With the default number of losses, the lengths of the five parts are 1, 1, 1, 2 and 2.5 times this length (``FollowerStimulus``).
  @Option(
    help: ArgumentHelp(
      "Set the length of the steady part. The other parts scale with it. With the defaults of the other options, the "
        + "whole clock takes 7.5 times S. (default: 16)",
      valueName: "S"))
  var seconds: Double?

  @Option(help: ArgumentHelp("Set the seed of the jitter and of the lost ticks. (default: 1)", valueName: "N"))
  var seed: UInt64?

  /// Whether none of the options was given.
  var isEmpty: Bool {
    bpm == nil && jitter == nil && step == nil && losses == nil && seconds == nil && seed == nil
  }

  /// Returns the stimulus that the options describe.
  ///
  /// - Throws: `ValidationError` for a value out of range.
  func stimulus() throws(ValidationError) -> FollowerStimulus {
    let tempo = bpm ?? 120
    // A tick lasts 2500 / tempo milliseconds, so a tenth of a tick is 250 / tempo, and 2 ms at 125 BPM.
    return try usage { () throws(ReportError) in
      try FollowerStimulus(
        tempo: tempo, jitter: jitter ?? (tempo > 125 ? 250 / tempo : 2), step: step ?? 5, losses: losses ?? 4,
        seconds: seconds ?? 16, seed: seed ?? 1)
    }
  }

  /// Checks the values by creating the stimulus, so that a value out of range is a usage error.
  func validate() throws { _ = try stimulus() }
}

import ArgumentParser
import Audio
import Cryptography
import Foundation
import Measurement
import MusicalTime

/// The subcommand `tutti measure audio`.
struct AudioCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audio",
    abstract: "Compare recordings: when the same hit sounds in each recording.",
    discussion: """
      `tutti peer --audio wav:FILE` writes a recording; any other WAV file can be given too. The first recording is \
      the reference. Recordings are aligned by their Broadcast Wave time reference. The time reference of a Tutti \
      recording counts from the boot of the machine. Files without a time reference are taken to begin at the same \
      instant. Therefore, without --align, all files must have time references of one clock, such as Tutti recordings \
      of one machine since one boot, or have no time reference and begin together. If the clocks differ by a known \
      time, give --clock-ahead. In all other cases, use --align. A recording with another sample rate than the \
      reference is resampled. --csv prints one row for each matched hit.

      FIGURES
        matched       hits that are in both recordings
        difference    instant of a matched hit in the recording minus its instant in
                      the reference; positive: the recording is late
        correlated    matched hits whose sounds are alike. Their difference is found
                      by correlation, to a fraction of a sample frame. For other
                      hits, the detected beginnings are compared
        missing       hits of the reference that this recording lacks
        extra         hits of this recording that the reference lacks
        sign changes  how often the sign of the difference changes from one hit to
                      the next
        delay         constant delay that --align has subtracted from the differences
        drift         slope of the differences over time, in ppm; positive: the
                      recording becomes later and later, because its sample clock
                      is faster or its tempo is slower
        residual      difference minus the best-fit line of the differences, whose
                      slope is the drift. The line and the residuals are those of
                      the correlated hits, or of all matched hits if fewer than
                      half are correlated

      Times are in microseconds, except the delay, which is in seconds. |p50| is the median of the magnitudes of the \
      differences, |p99| their 99th percentile. The first table covers all matched hits, the second table only the \
      correlated hits. If most hits sound different, for example because the peers have different instruments, there is \
      no second table. With --runs, a third table has the median of each figure over the runs; its 95 % \
      interval needs at least 5 runs. Notes name an inverted polarity, and other delays that are possible because the \
      music repeats. \(FiguresArticle.audio.reference)

      EXAMPLES
        tutti measure audio master.wav ada.wav
        tutti measure audio --channels stereo.wav
        tutti measure audio --align phone.wav laptop.wav --plot difference.svg
        tutti measure audio --runs 1/master.wav 1/ada.wav 2/master.wav 2/ada.wav
        tutti measure audio --clock-ahead 0 98765 -- master.wav ada.wav
      """)

  @Argument(help: "Recordings; the first one is the reference.", completion: .file(extensions: ["wav", "flac"]))
  var recordings: [String]

  @OptionGroup var clocks: MeasureCommand.Clocks

  @Flag(help: "From the hits, find the constant delay of each recording relative to the reference, and subtract it.")
  var align = false

  @Flag(
    help: ArgumentHelp(
      "Compare each channel of each file with the first channel of the first file. Without it, the channels of a file "
        + "are mixed. With it, --clock-ahead needs one value for each channel."))
  var channels = false

  @Flag(
    help: ArgumentHelp(
      "Take the files as pairs, one for each run of the rhythm: its reference and its recording. Print the median of "
        + "each figure over the runs, with its 95 % interval."))
  var runs = false

  @OptionGroup var output: MeasureOutput

  func validate() throws {
    guard recordings.count >= 2 || channels else {
      throw ValidationError(
        "recordings: fewer than two; give two or more, the reference first, or one file with --channels")
    }
    guard !runs || !channels else {
      throw ValidationError("--runs and --channels: contradict each other; give one of them")
    }
    guard !runs || recordings.count % 2 == 0 else {
      throw ValidationError(
        "--runs: \(recordings.count) recordings are not pairs; give two for each run, the reference first")
    }
    _ = try clocks.offsets()
  }

  func run() throws {
    let gnuplot = try GnuplotProgram(for: output.plot)
    var (tracks, inputs): ([Recording], [Provenance.Input]) = ([], [])
    var analyses: [AudioAnalysis] = []
    let offsets = try clocks.offsets()
    guard !runs || offsets.isEmpty || offsets.count == recordings.count else {
      throw ReportError(
        subject: "--clock-ahead", reason: "\(offsets.count) values for \(recordings.count) recordings",
        remedy: "give one value for each recording, in the same order")
    }
    for (index, path) in recordings.enumerated() {
      let file = try SoundFile(path: path, mixes: !channels)
      if file.isTruncated {
        warn(
          "\(path): the file ends earlier than its header states; only the \(file.tracks[0].count) frames that it "
            + "contains are measured")
      }
      tracks += Recording.all(of: file, path: path)
      inputs.append(Provenance.Input(file: path, sha256: try SHA256.digest(ofFile: path)))
      guard runs else { continue }
      // The files of different runs often have the same name in different folders.
      tracks[tracks.count - 1].name = path
      guard index % 2 == 1 else { continue }
      let pair = offsets.isEmpty ? [] : Array(offsets[index - 1...index])
      analyses.append(try AudioAnalysis(recordings: tracks, clockOffsets: pair, aligns: align))
      tracks = []
    }
    var analysis =
      runs
      ? try AudioAnalysis(runs: analyses)
      : try AudioAnalysis(recordings: tracks, clockOffsets: offsets, aligns: align)
    let provenance = Provenance(inputs: inputs)
    analysis.report.provenance = provenance
    try output.print(analysis.report, provenance) { rows in
      rows.print(AudioHit.titles)
      for hit in analysis.hits { rows.print(hit.text) }
      rows.flush()
      // The rows contain no notes.
      for comparison in analysis.report.comparisons {
        for note in comparison.notes { warn("\(comparison.name): \(note)") }
      }
    }
    try gnuplot?.draw(script: analysis.plot)
  }
}

extension Recording {
  /// Reads the sound file at `path` and mixes its channels.
  init(file path: String) throws { self = Self.all(of: try SoundFile(path: path), path: path)[0] }

  /// Returns the recordings in a sound file, one for each track of the file. The instant of their first frames is the time reference
  /// of the file, or 0 if the file has no time reference.
  static func all(of file: SoundFile, path: String) -> [Recording] {
    let (seconds, frames) = (file.firstFrame ?? 0).quotientAndRemainder(dividingBy: Int64(file.rate))
    let first = Instant(nanoseconds: 0) + .seconds(seconds) + Nanoseconds(frames * 1_000_000_000 / Int64(file.rate))
    let name = URL(fileURLWithPath: path).lastPathComponent
    return file.tracks.enumerated().map { index, samples in
      Recording(
        name: file.tracks.count == 1 ? name : "\(name):\(index + 1)", samples: samples, rate: file.rate,
        firstInstant: first)
    }
  }
}

extension SHA256 {
  /// Returns the digest of a file, as 64 hexadecimal digits.
  ///
  /// - Throws: ``TraceError`` if the file cannot be read.
  static func digest(ofFile path: String) throws -> String {
    let file: FileHandle
    do { file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)) } catch {
      throw TraceError(path, unreadable: error)
    }
    var digest = SHA256()
    while let data = try file.read(upToCount: 1 << 18), !data.isEmpty { digest.update(Array(data)) }
    return digest.hexadecimal
  }
}

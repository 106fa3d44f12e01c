import ArgumentParser
import Audio
import Cryptography
import Measurement

/// The subcommand `tutti calibrate`.
struct CalibrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Measure how late mobile phones sound, from a recording of their clicks.",
    discussion: """
      A browser does not know the whole delay of its loudspeaker. A calibration measures the delay: the peer clicks, a \
      phone clicks, and the peer clicks again. This takes six seconds for each phone. The delay of the phone is the \
      time by which it sounds later than the peer, so the latency of the microphone has no effect. (Exception: a peer \
      without a loudspeaker, see `tutti peer --microphone-latency`.)

      There are two ways to calibrate. For both, first stop the rhythm. On each phone, open the web page of the peer \
      (`tutti peer --http 0.0.0.0:8080 --passkey-file FILE`) and press Join there.

      If the peer has a microphone, you do not need this command: type `:calibrate` at the peer, or press “Calibrate \
      all devices” on a page at the address that the peer prints as `lead`. Each phone then stores its delay.

      If the peer has no microphone, start it with --microphone none too. Record the room with another device, as WAV \
      or FLAC, and not in a lossy format. Type `:calibrate` at the peer. Then give the recording to `tutti calibrate \
      --from`. This command prints the delays of the phones in the order in which they clicked. On the page of each \
      phone, replace the value of “Extra delay of the loudspeaker” with the delay of this phone. If the clicks of the \
      peer were found, but no delay could be measured, the exit status is 1.

      Sound travels 1 m in 2.9 ms. Hold each phone as close to the microphone as the loudspeaker of the peer is.

      EXAMPLES
        tutti calibrate --from room.wav
        tutti calibrate --from room.wav --json
      """)

  @Option(
    name: .customLong("from"),
    help: ArgumentHelp("Read the clicks from this recording.", valueName: "FILE"),
    completion: .file(extensions: ["wav", "flac"]))
  var recording: String

  @Flag(help: "Print one JSON object instead of the table.")
  var json = false

  func run() throws {
    let file = try SoundFile(path: recording)
    if file.isTruncated {
      warn("\(recording): the file ends earlier than its header states; only the part that exists is analysed")
    }
    guard (8_000...384_000).contains(file.rate) else {
      throw ReportError(
        subject: recording, reason: "\(file.rate) frames per second",
        remedy: "give a recording with 8000 to 384000 frames per second")
    }
    // The channels are mixed into one track. A part is the calibration of one phone.
    let parts = try CalibrationAnalysis(Recording.all(of: file, path: recording)[0]).parts()
    let input = Provenance.Input(file: recording, sha256: try SHA256.digest(ofFile: recording))
    let listing = CalibrationListing(provenance: Provenance(inputs: [input]), parts: parts)
    if json { try printJSON(listing) } else { print(listing, terminator: "") }
    // The exit status is 1 if no phone has a delay.
    guard parts.contains(where: { $0.deviceDelay != nil }) else { throw ExitCode(1) }
  }
}

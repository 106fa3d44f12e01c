import Audio
import Cryptography
import Engine
import Foundation
import MIDI
import Measurement
import MusicalTime
import Realtime
import Transports

/// The source of the stamps of one clock: the argument of `tutti measure clock`.
enum ClockInput {
  /// A trace, a file of stamps, a MIDI file or a recording.
  case file(String)
  /// The address of an RTP-MIDI peer.
  case session(String)
  /// The name or the address of a port of the ALSA sequencer.
  case port(String)

  /// Reads the argument: `rtp:HOST[:PORT]`, `alsa:PORT`, or the path of a file.
  init(_ text: String) {
    if text.hasPrefix("rtp:") {
      self = .session(String(text.dropFirst(4)))
    } else if text.hasPrefix("alsa:") {
      self = .port(String(text.dropFirst(5)))
    } else {
      self = .file(text)
    }
  }

  /// Whether the source is a sound file.
  ///
  /// - Throws: the errors of the file.
  var isRecording: Bool {
    get throws {
      guard case .file(let path) = self else { return false }
      return try Self.soundFileHeads.contains(Self.head(of: path))
    }
  }

  /// The first four octets of sound files: WAV, RF64, FLAC and AIFF.
  private static let soundFileHeads = ["RIFF", "RF64", "fLaC", "FORM"].map { Data($0.utf8) }

  /// The options of the command.
  struct Options {
    /// The instants of a trace or of an RTP-MIDI device that are measured.
    var instant: ClockStamps.Source
    /// Whether the notes of a MIDI file are measured, and not its clock bytes.
    var usesNotes: Bool
    /// How long a device or a port is measured; 0: until Ctrl-C.
    var seconds: Double
  }

  /// Reads or records the stamps. Returns the stamps and the input for the provenance. For a live measurement, also returns the state
  /// of the clocks of this machine, if the kernel reports the state of NTP.
  ///
  /// - Throws: the errors of the source.
  func stamps(_ options: Options) throws -> (stamps: ClockStamps, input: Provenance.Input, systemClock: SystemClock?) {
    switch self {
    case .file(let path):
      let (stamps, input) = try Self.read(path, options)
      return (stamps, input, nil)
    case .session(let address):
      let clocks = SystemClockObserver()
      let (stamps, input) = try Self.record(session: address, options, clocks)
      return (stamps, input, clocks.finish())
    case .port(let name):
      let clocks = SystemClockObserver()
      let (stamps, input) = try Self.record(port: name, options, clocks)
      return (stamps, input, clocks.finish())
    }
  }

  /// Reads a file. Its first octets decide its type.
  private static func read(_ path: String, _ options: Options) throws -> (ClockStamps, Provenance.Input) {
    switch try Self.head(of: path) {
    case let head where soundFileHeads.contains(head):
      let file = try SoundFile(path: path)
      var stamps = try ClockStamps(Recording.all(of: file, path: path)[0])
      if file.isTruncated {
        stamps.warn(
          "\(path): the file ends earlier than its header states; only the part that exists is measured")
      }
      return (stamps, Provenance.Input(file: path, sha256: try SHA256.digest(ofFile: path)))
    case Data("MThd".utf8):
      let bytes = try [UInt8](Data(contentsOf: path, limit: StandardMIDIFile.maximumBytes + 1))
      let stamps = try ClockStamps(name: path, midiFile: bytes, usesNotes: options.usesNotes)
      return (stamps, Provenance.Input(file: path, sha256: try SHA256.digest(ofFile: path)))
    default:
      var digest = SHA256()
      let stamps = try ClockStamps(contentsOf: path, source: options.instant) { digest.update(Array($0)) }
      return (stamps, Provenance.Input(file: path, sha256: digest.hexadecimal, recording: stamps.header))
    }
  }

  /// Returns the first four octets of a regular file. Returns no octets for a pipe, because its octets can be read only once.
  private static func head(of path: String) throws -> Data {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let file = FileHandle(forReadingAtPath: path)
    else { return Data() }
    return (try? file.read(upToCount: 4)) ?? Data()
  }

  /// Records the clock of an RTP-MIDI peer.
  private static func record(
    session address: String, _ options: Options, _ clocks: SystemClockObserver
  ) throws -> (ClockStamps, Provenance.Input) {
    let session = try InvitedSession(to: address)
    let terminal = Terminal()
    let task = ClockTask(address, usesTimeStamps: options.instant == .due) {
      clocks.sampleIfDue(at: MonotonicClock.now)
      terminal.showStatus("\($0.peer): \($0.stamps.count) ticks")
    }
    try session.measure(task, seconds: options.seconds, terminal)
    // Packets can arrive in another order than they were sent, so the stamps are sorted.
    var stamps = ClockStamps(name: task.peer, stamps: task.stamps.sorted())
    if task.recovered > 0 {
      let ticks = task.recovered == 1 ? "1 tick was" : "\(task.recovered) ticks were"
      stamps.warn(
        "\(task.peer): \(ticks) lost on the network and restored from the recovery journal; here they count as lost")
    }
    if options.instant == .due {
      stamps.warn(
        "\(task.peer): RTP time stamps have a resolution of 100 us, so each phase error can be wrong by up to 100 us")
    }
    return (stamps, Provenance.Input(file: "rtp:\(address)", sha256: nil))
  }

  /// Records the clock of an ALSA sequencer port, by the time stamps of the kernel.
  private static func record(
    port name: String, _ options: Options, _ clocks: SystemClockObserver
  ) throws -> (ClockStamps, Provenance.Input) {
    let sequencer = try Sequencer(name: "tutti measure", takingClock: true)
    defer { sequencer.close() }
    let port = try sequencer.ports().find(name, sending: true)
    try sequencer.subscribe(SequencerLink(.clockInput, port.address))
    let (flag, terminal) = (Interruption(), Terminal())
    let signals = TerminationSignals { flag.raise() }
    defer { signals.cancel() }
    var (stamps, overflows): ([Int64], Int) = ([], 0)
    let end = options.seconds > 0 ? MonotonicClock.now + Nanoseconds(Int64(options.seconds * 1e9)) : .distantFuture
    while !flag.isRaised, MonotonicClock.now < end {
      var request = pollfd(fd: sequencer.descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&request, 1, sequencer.hasBuffered ? 0 : 100)
      while let arrival = sequencer.receive() {
        switch arrival.event {
        case .message(.clock): stamps.append(arrival.at.nanoseconds)
        case .overflow: overflows += 1
        default: break
        }
      }
      clocks.sampleIfDue(at: MonotonicClock.now)
      terminal.showStatus("\(port): \(stamps.count) ticks")
    }
    terminal.end()
    var result = ClockStamps(name: "\(port)", stamps: stamps.sorted())
    if overflows > 0 {
      let times = overflows == 1 ? "once" : "\(overflows) times"
      result.warn(
        "\(port): the kernel dropped events \(times), because this program was late; ticks can be missing from the "
          + "figures; close other programs and measure again")
    }
    return (result, Provenance.Input(file: "alsa:\(name)", sha256: nil))
  }
}

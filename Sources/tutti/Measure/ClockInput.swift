import ArgumentParser
import Audio
import Cryptography
import Engine
import Foundation
import MIDI
import Measurement
import MusicalTime
import RTPMIDI
import Realtime
import Transports

/// The source of the stamps of one clock: the argument of `tutti measure clock`, with the options that it needs.
struct ClockInput {
  /// The argument: `rtp:` with the address of an RTP-MIDI peer, `alsa:` with the name or the address of a port of the ALSA sequencer, or the
  /// path of a trace, a file of stamps, a MIDI file or a recording.
  let source: String
  /// The instants of a trace or of an RTP-MIDI device that are measured.
  let instant: ClockStamps.Source
  /// The column and the unit of the stamps of a text file.
  let format: StampFormat
  /// Whether the notes of a MIDI file are measured, and not its clock bytes.
  let usesNotes: Bool
  /// How long a device or a port is measured; 0: until Ctrl-C.
  let seconds: Double

  /// Whether the source is a sound file.
  var isRecording: Bool { Self.soundFileHeads.contains(Self.head(of: source)) }

  /// Whether the source is a Standard MIDI File.
  private var isMIDIFile: Bool { Self.head(of: source) == Data("MThd".utf8) }

  /// The first four octets of sound files: WAV, RF64, FLAC and AIFF.
  static let soundFileHeads = ["RIFF", "RF64", "fLaC", "FORM"].map { Data($0.utf8) }

  /// Reads or records the stamps. Returns the stamps and the input for the provenance. For a live measurement, also returns the state
  /// of the clocks of this machine, if the kernel reports the state of NTP.
  ///
  /// - Throws: the errors of the source. `ValidationError` if a source that is not a text file has a ``format``.
  func stamps() throws -> (stamps: ClockStamps, input: Provenance.Input, systemClock: SystemClock?) {
    let isText = !source.hasPrefix("rtp:") && !source.hasPrefix("alsa:") && !isRecording && !isMIDIFile
    guard isText || format == StampFormat() else {
      throw ValidationError("--column and --unit: \(source) is not a text file; omit --column and --unit")
    }
    let isSession = source.hasPrefix("rtp:")
    guard isSession || source.hasPrefix("alsa:") else {
      let (stamps, input) = try read()
      return (stamps, input, nil)
    }
    let clocks = SystemClockObserver()
    let stamps =
      try isSession
      ? record(session: String(source.dropFirst(4)), clocks) : record(port: String(source.dropFirst(5)), clocks)
    return (stamps, Provenance.Input(file: source, sha256: nil), clocks.finish())
  }

  /// Reads the file at ``source``. Its first octets decide its type.
  private func read() throws -> (ClockStamps, Provenance.Input) {
    let stamps: ClockStamps
    switch Self.head(of: source) {
    case let head where Self.soundFileHeads.contains(head):
      let file = try SoundFile(path: source)
      var pulses = try ClockStamps(Recording.all(of: file, path: source)[0])
      if file.isTruncated {
        pulses.warn("\(source): the file ends earlier than its header states; only the part that exists is measured")
      }
      stamps = pulses
    case Data("MThd".utf8):
      let bytes = try [UInt8](Data(contentsOf: source, limit: StandardMIDIFile.maximumBytes + 1))
      stamps = try ClockStamps(name: source, midiFile: bytes, usesNotes: usesNotes)
    default:
      var digest = SHA256()
      stamps = try ClockStamps(contentsOf: source, source: instant, format: format) { digest.update(Array($0)) }
      return (stamps, Provenance.Input(file: source, sha256: digest.hexadecimal, recording: stamps.header))
    }
    return (stamps, Provenance.Input(file: source, sha256: try SHA256.digest(ofFile: source)))
  }

  /// Returns the first four octets of a regular file. Returns no octets for a pipe, because its octets can be read only once.
  static func head(of path: String) -> Data {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let file = FileHandle(forReadingAtPath: path)
    else { return Data() }
    return (try? file.read(upToCount: 4)) ?? Data()
  }

  /// Records the clock of an RTP-MIDI peer.
  private func record(session address: String, _ clocks: SystemClockObserver) throws -> ClockStamps {
    let session = try InvitedSession(to: address)
    let terminal = Terminal()
    let task = ClockTask(address, usesTimeStamps: instant == .due) {
      clocks.sampleIfDue(at: MonotonicClock.now)
      terminal.showStatus("\($0.peer): \($0.stamps.count) ticks")
    }
    try session.measure(task, seconds: seconds, terminal)
    // Packets can arrive in another order than they were sent, so the stamps are sorted.
    var stamps = ClockStamps(name: task.peer, stamps: task.stamps.sorted())
    if task.recovered > 0 {
      let ticks = task.recovered == 1 ? "1 tick was" : "\(task.recovered) ticks were"
      stamps.warn(
        "\(task.peer): \(ticks) lost on the network and restored from the recovery journal; here they count as lost")
    }
    // The unit of RTP time stamps.
    if instant == .due { stamps.resolution = 100_000 }
    return stamps
  }

  /// Records the clock of an ALSA sequencer port, by the time stamps of the kernel.
  private func record(port name: String, _ clocks: SystemClockObserver) throws -> ClockStamps {
    let sequencer = try Sequencer(name: "tutti measure", takingClock: true)
    defer { sequencer.close() }
    let port = try sequencer.ports().find(name, sending: true)
    try sequencer.subscribe(SequencerLink(.clockInput, port.address))
    let (flag, terminal) = (Interruption(), Terminal())
    let signals = TerminationSignals { flag.raise() }
    defer { signals.cancel() }
    var (stamps, overflows): ([Int64], Int) = ([], 0)
    let end = seconds > 0 ? MonotonicClock.now + Nanoseconds(Int64(seconds * 1e9)) : .distantFuture
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
    return result
  }
}

/// Records the MIDI Timing Clocks that a peer sends.
final class ClockTask: InvitedSession.Task {
  /// One stamp per Timing Clock in nanoseconds: its arrival by the local clock, or its RTP time stamp by the clock of the peer.
  private(set) var stamps: [Int64] = []
  /// The name of the peer, with its address. Only the address, until the session is established or if the peer has no name.
  private(set) var peer: String
  /// The number of lost Timing Clocks that were restored from a recovery journal. They have no stamp, because the journal contains no
  /// instants.
  private(set) var recovered = 0
  private let usesTimeStamps: Bool
  private let onProgress: (ClockTask) -> Void

  /// - Parameters:
  ///   - address: the address of the peer. It is also shown as the name of the peer until the session is established.
  ///   - usesTimeStamps: whether the RTP time stamps are recorded instead of the arrivals.
  ///   - onProgress: called at least ten times per second.
  init(_ address: String, usesTimeStamps: Bool, onProgress: @escaping (ClockTask) -> Void) {
    (peer, self.usesTimeStamps, self.onProgress) = (address, usesTimeStamps, onProgress)
  }

  func established(_ info: SessionInfo, at now: Instant) {
    if let name = info.name, !name.isEmpty { peer = "\(name) (\(peer))" }
  }

  func advance(to now: Instant) -> Instant {
    onProgress(self)
    return now + .milliseconds(100)
  }

  // All datagrams go to the session, which passes the MIDI messages to `receive(_:)`.
  func receive(_ datagram: Span<UInt8>, from address: SocketAddress, at arrival: Instant) -> Bool { false }

  func receive(_ message: Endpoint.Output) {
    guard case .message(_, .clock, let stamp, let arrival, let isRecovered) = message else { return }
    guard !isRecovered else {
      recovered += 1
      return
    }
    stamps.append((usesTimeStamps ? stamp : arrival).nanoseconds)
  }
}

import ClockSync
import MusicalTime
public import RTPMIDI

/// An input for an external clock: an ALSA port, or the session with an RTP-MIDI device.
///
/// The packets of a session are numbered. While no packet is missing, no tick is missing. A lost tick that a recovery journal contains
/// is counted. If packets are missing and no journal has contained ticks, the number of lost ticks is estimated from the elapsed time.
public struct ClockInput: Sendable {
  /// The sender of the messages of an input.
  public enum Source: Hashable, Sendable {
    /// A port of the ALSA sequencer.
    case port(client: UInt8, port: UInt8)
    case session(SessionID)
  }

  /// How a message of a session has arrived.
  public struct Packet: Sendable {
    /// When the message applies, by the clock of the device.
    var stamp: Instant
    /// Whether the message comes from a recovery journal.
    var isRecovered: Bool
    /// The number of packets of the stream that are missing so far.
    var lost: Int64
  }

  /// The name of the input in messages for the user.
  public internal(set) var name: String
  /// The address of the control port of an RTP-MIDI device; nil for an ALSA port.
  public let address: SocketAddress?
  /// Nil while the input is not connected, for example because the ALSA port does not exist.
  public internal(set) var source: Source?
  public internal(set) var clock = ExternalClock()

  // MARK: State of the arbiter

  /// Whether the clock runs, but its rhythm has not started yet.
  var isWaiting = false
  /// The last reported reason why the rhythm cannot start yet.
  var refusal: CommandError?
  /// Whether ``ClockArbiter/Event/silent`` was reported and no tick has arrived since.
  var isSilent = false
  /// Whether ``ClockArbiter/Event/unplayable`` was reported since the clock began to run.
  var isUnplayable = false
  /// Whether ``ClockArbiter/Event/unused(beside:)`` was reported since the clock began to run.
  var isUnused = false

  // MARK: State of an RTP-MIDI device

  /// Whether the device is a Tutti peer. The local peer then follows its rhythm like the rhythm of any Tutti peer, and does not use its MIDI
  /// clock.
  var isTutti = false
  /// Whether the device has been in session before.
  var wasConnected = false
  /// Whether the device has the host of ``address``, but another port.
  private(set) var isOnlyByHost = false
  /// The estimate of the device's system clock, for its time stamps.
  var remote = RemoteClock()
  /// The number of missing packets of the stream when the last message arrived.
  private var missing: Int64 = 0
  /// Whether a journal has contained ticks since the last tick that arrived.
  private var isRecovered = false

  init(_ name: String, at address: SocketAddress? = nil, source: Source? = nil) {
    (self.name, self.address, self.source) = (name, address, source)
  }

  /// Records that the device is in session.
  mutating func established(_ session: SessionID, onlyByHost isOnlyByHost: Bool = false) {
    self.isOnlyByHost = isOnlyByHost
    (source, isTutti, missing, isRecovered, wasConnected) = (.session(session), false, 0, false, true)
    remote = RemoteClock()
  }

  /// Waits until the rhythm of this clock can start.
  mutating func wait() {
    isWaiting = clock.isRunning
    clock.expectEvenTicks()
  }

  /// Adds to a message what its packet tells about it: the number of packets that are missing before it, and the time stamp.
  mutating func complete(
    _ message: ExternalClock.Message, from packet: Packet, at arrival: Instant
  ) -> (message: ExternalClock.Message, stamp: ExternalClock.Stamp?, missing: Int64) {
    if packet.isRecovered {
      guard message == .clock else { return (message, nil, 0) }
      isRecovered = true
      return (.recoveredClock, nil, 0)
    }
    let lost = packet.lost - missing
    // At most 1000 packets count as missing. The elapsed time decides how many of them contained ticks.
    let missing = isRecovered ? 0 : min(max(0, lost), 1000)
    (self.missing, isRecovered) = (packet.lost, false)
    guard message == .clock else { return (message, nil, missing) }
    let stamp = remote.estimate(at: arrival).map { ExternalClock.Stamp(instant: packet.stamp, clock: $0) }
    // If the number of missing packets has fallen, this packet was one of the missing packets and has arrived late.
    return lost < 0 ? (.lateClock, stamp, 0) : (.clock, stamp, missing)
  }
}

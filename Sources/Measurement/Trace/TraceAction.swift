import MusicalTime

/// An action of the local player in a trace: a note that the player began, before any quantization.
public struct TraceAction: Hashable, Sendable, BitwiseCopyable {
  /// The instant of the action, in local time of the peer. For a note from an ALSA port, it is the time stamp of the ALSA
  /// sequencer. For a key or a typed command, it is the instant at which the network thread received the note.
  public var instant: Instant
  /// The force of the action, 1...127: the velocity of the note.
  public var force: UInt8

  /// Creates an action.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(at instant: Instant, force: UInt8) { (self.instant, self.force) = (instant, force) }

  /// Appends the action as a line with a newline: `{"action":ns,"force":n}`.
  func append(to bytes: inout [UInt8]) {
    bytes.append(contentsOf: "{\"action\":\(instant.nanoseconds),\"force\":\(force)}\n".utf8)
  }
}

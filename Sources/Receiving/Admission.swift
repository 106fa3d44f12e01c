/// What of a session may sound at the local peer.
public struct Admission: Hashable, Sendable, BitwiseCopyable {
  /// Whether the notes of the peer sound.
  public var notes = false
  /// Whether all its other messages sound: controllers, programs, pitch bend.
  public var modification = false
  /// Whether the peer is known to be a standard device. Its controllers 7 and 11 on channel 1 are volume and expression, and
  /// sound. Those of all other peers are activity, and do not.
  public var isStandardDevice = false

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init() {}
}

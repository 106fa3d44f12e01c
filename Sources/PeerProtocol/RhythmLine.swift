public import MusicalTime

/// The rhythm that plays from a tick on: the digest of the text that describes it, and the tick from which its steps count.
public struct RhythmLine: Hashable, Sendable, BitwiseCopyable {
  /// The digest of the text (``DocumentKind/rhythm``); nil if the master does not share the text. The other peers then play their own
  /// rhythms.
  public var digest: DocumentDigest?
  /// The tick of step 0 of the rhythm: a bar line of the grid that applied before.
  public var origin: Tick

  public init(_ digest: DocumentDigest?, from origin: Tick = Tick(0)) { (self.digest, self.origin) = (digest, origin) }

  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public static func == (a: RhythmLine, b: RhythmLine) -> Bool {
    a.origin == b.origin && DocumentDigest.areEqual(a.digest, b.digest)
  }

  /// The number of the step of the rhythm that contains `tick`; negative before the origin.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func step(at tick: Tick) -> Step { Tick(tick - origin).step }
}

public import MusicalTime

/// What plays of a score from a tick on: a written bar of the score, with which the music goes on as written, or a loop of bars.
///
/// Every peer unfolds the repeats of the score from ``bar`` on. A line depends on no earlier line, so a late joiner, a new master and a peer
/// that missed a change know the position from the newest message alone.
public struct ScoreLine: Hashable, Sendable, BitwiseCopyable {
  /// The digest of the score (``DocumentKind/score``); nil if no score plays.
  public var digest: DocumentDigest?
  /// The tick at which ``bar`` begins, or began: a loop can be entered after its first bar.
  public var origin: Tick
  /// The index of the written bar, 0...9999.
  public var bar: UInt16
  /// How often the repeated section with ``bar`` has begun, 1 or more. In a loop, this and ``isAfterJump`` apply to the bars after the loop.
  public var pass: UInt8
  /// Whether the music is after a D.C. or D.S., so that repeats are not taken.
  public var isAfterJump: Bool
  /// The index after the last bar of the loop that begins with ``bar``; 0 if the music goes on as written.
  public var loopEnd: UInt16
  /// Whether the rhythm plays beside the score.
  public var playsRhythm: Bool

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(
    _ digest: DocumentDigest?, from origin: Tick = Tick(0), bar: UInt16 = 0, pass: UInt8 = 1, loopEnd: UInt16 = 0,
    playsRhythm: Bool = false, isAfterJump: Bool = false
  ) {
    (self.digest, self.origin, self.bar, self.pass) = (digest, origin, bar, pass)
    (self.loopEnd, self.playsRhythm, self.isAfterJump) = (loopEnd, playsRhythm, isAfterJump)
  }

  /// No score. The rhythm plays.
  ///
  /// Real-time: safe.
  public static var none: ScoreLine { @_noLocks @_noAllocation get { ScoreLine(nil, playsRhythm: true) } }

  /// The largest index of a bar, and the largest ``loopEnd``.
  public static let maximumBar: UInt16 = 10_000

  /// Whether two lines play the same bars, perhaps from different ticks on.
  ///
  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public static func playSameBars(_ a: ScoreLine, _ b: ScoreLine) -> Bool {
    a.bar == b.bar && a.pass == b.pass && a.loopEnd == b.loopEnd && a.isAfterJump == b.isAfterJump
      && DocumentDigest.areEqual(a.digest, b.digest)
  }

  /// Real-time: safe.
  @inlinable @_noLocks @_noAllocation
  public static func == (a: ScoreLine, b: ScoreLine) -> Bool {
    a.origin == b.origin && a.playsRhythm == b.playsRhythm && playSameBars(a, b)
  }
}

public import MusicalTime
public import PeerProtocol

/// The levels that the others have told this peer, and what they come to together with its own.
///
/// Whoever has told a level counts: while something has been heard of it within ``patience``, while it takes part in the
/// rhythm, and while the receiver lets it. Who has left, or never told one, does not, not even as a 0 that would lower the
/// mean.
public struct ActivityTotal: Sendable {
  /// Who is silent for longer does not count.
  public static var patience: Nanoseconds { .seconds(5) }

  public var rule = ActivityRule.sum
  private var levels: [Identity: UInt8] = [:]
  /// Those of them of whom it is not known that they take part in the rhythm.
  private var absent: Set<Identity> = []

  public init() {}

  /// The peer's level is this from now on; more than 127 counts as 127.
  public mutating func told(_ level: UInt8, by peer: Identity) {
    levels[peer] = min(level, 127)
    absent.remove(peer)
  }

  /// The peer says that it takes part in the rhythm no more.
  public mutating func takesNoPart(_ peer: Identity) {
    if levels[peer] != nil { absent.insert(peer) }
  }

  /// The peer has left.
  public mutating func forget(_ peer: Identity) {
    levels[peer] = nil
    absent.remove(peer)
  }

  /// Another rhythm plays: nobody is known to take part in it yet.
  public mutating func beginAnew() { absent = Set(levels.keys) }

  /// What the peer told last.
  public func level(of peer: Identity) -> UInt8? { levels[peer] }

  /// The total, 0...127, of this peer's level and of the others' for whom `counts` is true.
  public func total(with own: UInt8, where counts: (Identity) -> Bool) -> UInt8 {
    var all = [min(own, 127)]
    for (peer, level) in levels where !absent.contains(peer) && counts(peer) { all.append(level) }
    return rule.total(of: all)
  }
}

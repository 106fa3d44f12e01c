/// A property that has to hold in every simulation.
public enum Invariant: String, CaseIterable, Hashable, Sendable, Codable {
  /// No two peers that are in session with each other are both masters for more than a second, unless a rhythm gate between them
  /// is closed.
  case oneMaster
  /// Each peer plays the steps of its rhythm in order, without losing or repeating one, also if the master changes. While the
  /// peer is connected, the rhythm neither restarts nor stands still.
  case steps
  /// Settled peers play the same step at the same time, within a tolerance that is larger while a peer slews to another phase. A peer
  /// is settled after it has followed one master for three seconds, in which it did not join and no partition of the network began or
  /// ended.
  case phase
  /// Settled peers select their layers by the same total activity.
  case layers
  /// Settled peers play the same rhythm in the same bars at each tick, except peers that play their own rhythm. A peer that lacks the rhythm
  /// receives it within six seconds.
  case rhythm
  /// Settled peers are at the same written position of the same score at each tick. A peer that lacks the score receives it within eight
  /// seconds.
  case score
  /// No rhythm ends because its master has disappeared. No peer still follows a master three seconds after the master has
  /// disappeared.
  case failover
  /// The total activity of the master follows the activities of all peers within half a second.
  case activity
  /// No note sounds for more than two seconds after its player has released the key, or for more than seven seconds after its player
  /// has disappeared.
  case notes
  /// Nothing passes a closed gate. A gate is a player's permission for a remote peer and one kind of message.
  case gates
  /// No note sounds at a peer whose player does not want to hear the player of the note.
  case hearing
  /// Peers that have been in session with each other for two seconds have different channels, and no peer lacks a channel for more than
  /// two seconds while one is free.
  case channels
  /// Peers that can reach each other are in session within fifteen seconds.
  case meeting
  /// Six seconds after the last change, all peers that are connected with each other, also through others, are one band: there is one master
  /// or none, all others follow the master, and no two have the same channel. Evaluated if not all peers reach each other (``BandShape``).
  case oneBand
  /// No peer wakes a thousand times in succession for a deadline that has already passed.
  case rest
}

/// A violation of an invariant.
public struct Violation: Hashable, Sendable, Codable, CustomStringConvertible {
  public var invariant: Invariant
  /// The name of the peer.
  public var peer: String
  /// The true time in seconds.
  public var seconds: Double
  /// What the invariant requires, in words.
  public var expected: String
  /// What the checker saw instead.
  public var seen: String

  enum CodingKeys: String, CodingKey {
    case peer, seconds, expected, seen
    case invariant = "check"
  }

  public var description: String {
    "\(invariant.rawValue): \(peer) at \(seconds) s: expected \(expected), saw \(seen)"
  }
}

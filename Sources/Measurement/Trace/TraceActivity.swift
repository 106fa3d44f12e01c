import Foundation
import MusicalTime

// The activity in a trace: the energies and movements of the players, and the layers of the rhythm. The total activity is in each tick
// (``TraceTick/activity``).

/// The energy of a player from an instant on: what the player plays and sets, smoothed. The energies of all players form the total
/// activity.
public struct TraceEnergy: Hashable, Sendable {
  /// The instant, in local time of the peer that wrote the trace. For a player of another peer, the instant at which the energy became
  /// known.
  public var instant: Instant
  /// The number of the player in this trace (``TraceParticipant/number``).
  public var player: Int
  /// The energy, 0...127; nil: the player has left, or the energy is no longer known.
  public var energy: UInt8?

  public init(at instant: Instant, of player: Int, _ energy: UInt8?) {
    (self.instant, self.player, self.energy) = (instant, player, energy)
  }

  /// The energy as a line with a newline.
  var line: String {
    "{\"energy\":\(energy.map { "\($0)" } ?? "null"),\"who\":\(player),\"at\":\(instant.nanoseconds)}\n"
  }
}

/// The strength of the movement of a player's phone from an instant on, as the page has reported it.
public struct TraceMotion: Hashable, Sendable {
  /// The instant at which the report of the page arrived, in local time of the peer.
  public var instant: Instant
  /// The number of the player in this trace (``TraceParticipant/number``).
  public var player: Int
  /// The strength, 0...127.
  public var strength: UInt8

  public init(at instant: Instant, of player: Int, _ strength: UInt8) {
    (self.instant, self.player, self.strength) = (instant, player, strength)
  }

  /// The movement as a line with a newline.
  var line: String { "{\"motion\":\(strength),\"who\":\(player),\"at\":\(instant.nanoseconds)}\n" }
}

/// A player whose energies and movements follow in the trace. The line is repeated when the name of the player changes.
public struct TraceParticipant: Hashable, Sendable, Codable {
  /// The number by which the other lines refer to the player, from 0.
  public var number: Int
  /// The player.
  public var player: TraceAction.Player
  /// The identity of the peer of the player: 16 hexadecimal digits.
  public var peer: String

  public init(number: Int, player: TraceAction.Player, peer: String) {
    (self.number, self.player, self.peer) = (number, player, peer)
  }

  enum CodingKeys: String, CodingKey {
    case player, peer
    case number = "who"
  }
}

/// The layers of the rhythm that sound from an instant on.
public struct TraceLayers: Hashable, Sendable, Codable {
  /// The due instant of the tick from which on the layers sound, in local time of the peer.
  public var instant: Instant { Instant(nanoseconds: at) }
  private var at: Int64
  /// The names of the layers, such as "always" or "from 40".
  public var layers: [String]

  public init(at instant: Instant, _ layers: [String]) { (at, self.layers) = (instant.nanoseconds, layers) }
}

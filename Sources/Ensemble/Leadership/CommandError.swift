import PeerProtocol

/// The reason why a command of the player was not executed.
///
/// Real-time: not safe.
public enum CommandError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The peer with this identity is the master. Only the master may stop the rhythm or change it.
  case belongsTo(Identity)
  /// The local peer is already the master.
  case alreadyPlaying
  /// No rhythm plays.
  case nothingPlays
  /// Only the peer with this name or identity may control the rhythm.
  case ledBy(String)
  /// The local peer cannot take the role of master, because it has this role.
  case isMaster
  /// The master has not offered the rhythm in the last 30 s.
  case nothingOffered
  /// The rhythm is offered, but the local peer has not entered it yet.
  case hasNotEntered
  /// The peer with this identity is not in session.
  case isAbsent(Identity)
  /// The master with this identity is heard only through another peer, so its offer would not arrive.
  case isNotConnected(Identity)
  /// The rhythm gate of the local peer is closed to the peer with this identity, so the local peer would not follow it.
  case gateIsClosed(Identity)
  /// The rhythm gate of the local peer is closed to all Tutti peers in session, or there are none.
  case nobodyToOffer
  /// The rhythm that was saved before a restart cannot be continued: another peer, or this peer with another identity, was its master, or the
  /// ensemble has played a later one and stopped it.
  case isOver
  /// No score plays, or none is chosen.
  case noScore
  /// The score has only this number of bars.
  case noSuchBar(count: Int)
  /// No ending with this number is ahead.
  case noSuchEnding(Int)

  public var description: String { description(naming: { "\($0)" }) }

  /// Returns the description with the text that `name` returns for an identity, such as the name of the peer.
  public func description(naming name: (Identity) -> String) -> String {
    switch self {
    case .belongsTo(let identity):
      "\(name(identity)) leads. \(name(identity)) can press h, then you press t; or type :ask"
    case .alreadyPlaying: "the rhythm: this peer plays it already as the master; stop it first"
    case .nothingPlays: "the rhythm: it does not play; start it"
    case .ledBy(let leader):
      "the rhythm: only \(leader) may control it (--led-by); wait for \(leader), or enter `led-by anyone` at every peer"
    case .isMaster: "the role of master: this peer has it already; to pass it on, enter `offer`"
    case .nothingOffered: "the role of master: no offer in the last 30 s; let the master offer it"
    case .hasNotEntered:
      "the role of master: this peer does not play the rhythm yet; try again when the rhythm sounds here"
    case .isAbsent(let identity): "\(name(identity)): not connected; wait until it is in the list of peers"
    case .isNotConnected(let identity):
      "the role of master: \(name(identity)) is heard only through another peer, so its offer would not arrive; "
        + "connect the two machines directly"
    case .gateIsClosed(let identity):
      "the offer: your rhythm gate is closed to \(name(identity)); enter `gate \(name(identity)):rhythm=open`"
    case .nobodyToOffer:
      "the offer: no Tutti peer is connected for which your rhythm gate is open; wait for one, or enter "
        + "`gate PEER:rhythm=open`"
    case .isOver:
      "the rhythm: it has ended, because the others stopped it while this peer was absent, or its master had another identity; start a rhythm"
    case .noScore: "the score: none; choose one with `score FILE`"
    case .noSuchBar(let count):
      "the bar: the score has \(count) bars; give a number from 1 to \(count), and for a loop two such numbers"
    case .noSuchEnding(let number): "ending \(number): it is not ahead; enter the command while its repeat plays"
    }
  }
}

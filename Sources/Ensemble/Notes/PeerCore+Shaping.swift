public import MIDI
public import PeerProtocol
import RTPMIDI
import Receiving
import Sending

// Shaping: a player changes the sound of the instrument of another player.
extension PeerCore {
  /// Why the local player cannot change the sound of an instrument.
  public enum ShapingError: Error, Hashable, Sendable {
    /// The peer is not in session, or has no channel yet.
    case noChannel
    /// The peer has closed its gate for modification.
    case gateIsClosed
    /// The message does not shape an instrument.
    case doesNotShape
  }

  /// Changes the sound of the instrument of a player: sends a controller to the peer of this player only, on the channel of the player. The
  /// peer handles the controller as if the player had sent it. For a player of the local peer, plays the controller.
  public func shape(_ player: Identity, controller: UInt7, value: UInt7) throws(ShapingError) {
    let isLocal = ensemble.localPlayer(player) != nil
    guard let peer = ensemble.peer(of: player),
      let channel = isLocal ? ensemble.channelOfLocal(player) : ensemble.channel(ofPlayer: player, at: peer)
    else { throw .noChannel }
    let message = Message.controlChange(channel, controller: controller, value: value)
    guard message.shapesInstrument else { throw .doesNotShape }
    if isLocal { return emit(.receiving(player == identity ? .play(message) : .playForPage(message))) }
    guard let stream = roster.stream(of: peer) else { throw .noChannel }
    let gates = roster.slot(of: peer).flatMap { roster[$0].membership?.presence?.gates }
    guard gates?[.modification] != false else { throw .gateIsClosed }
    emit(.stream(.message(StreamMessage(message, at: nil, to: .stream(stream)))))
  }

  /// Handles a report of the receiver: the peer of a session has changed the sound of the local player's instrument. The player is
  /// informed once per session.
  func shaped(by session: SessionID) {
    guard let slot = ensemble.roster.slot(of: session), !ensemble.roster[slot].session!.hasShaped else { return }
    ensemble.roster[slot].session!.hasShaped = true
    emit(.event(.shaped(by: ensemble.roster[slot].reference)))
  }
}

import MusicalTime
import PeerProtocol

// What the ensemble decides.
extension PeerCore {
  func handleEffects(at now: Instant) {
    for effect in ensemble.takeEffects() {
      switch effect {
      case .tell(let timelineMessage, let identity, let isNews):
        say(timelineMessage.systemExclusive, to: identity, isNews)
      case .present(let presence, let identity, let isNews): say(presence.systemExclusive, to: identity, isNews)
      case .offer(let offer, let identity, let isNews): say(offer.systemExclusive, to: identity, isNews)
      case .send(let message, let instant, let identity):
        guard let identity else {
          emit(.stream(.message(message, at: instant, to: .tutti)))
          break
        }
        if let session = sessions[identity] { emit(.stream(.message(message, at: instant, to: .session(session)))) }
      case .play(let schedule): emit(.play(schedule))
      case .role(let role):
        if let master = role == .master ? identity : role.master { seek(master: master, at: now) }
        tell(.role(role))
      case .seek(let master): seek(master: master, at: now)
      case .outranked(let identity): tell(.outranked(by: identity))
      case .handedOver(let identity): tell(.handedOver(to: identity))
      case .masterLost(let identity): tell(.masterLost(identity))
      case .doubt(let identity, let warning): tell(.doubt(identity, warning))
      case .offered(let identity): tell(.offered(by: identity))
      case .tookOver(let identity): tell(.tookOver(from: identity))
      case .channel(let channel): tell(.channel(channel))
      }
    }
  }

  /// Whoever gives the rhythm is to be in session with this peer.
  private func seek(master: Identity, at now: Instant) {
    let sessions = sessions
    connections.follow(master: master, isMet: { sessions[$0] != nil }, at: now)
  }

  private func say(_ exclusive: [UInt8], to identity: Identity?, _ isNews: Bool) {
    guard let identity else { return emit(.stream(.exclusive(exclusive, to: nil, isJournalled: isNews))) }
    if let session = sessions[identity] { emit(.stream(.exclusive(exclusive, to: session, isJournalled: isNews))) }
  }
}

import MusicalTime
import PeerProtocol
import Sending

// Conversion of the outputs of the ensemble state, which address peers by identity, to outputs of the core, which address peers
// by session or stream.
extension PeerCore {
  /// Converts all outputs of the ensemble state since the last call.
  func handleEnsembleOutputs(at now: Instant) {
    for output in ensemble.takeOutputs() {
      switch output {
      case .send(let message, let identity, let isNews): send(message, to: identity, isJournalled: isNews)
      case .message(let message, let instant, let identity):
        guard let identity else {
          emit(.stream(.message(StreamMessage(message, at: instant, to: .tuttiPeers))))
          break
        }
        if let stream = roster.stream(of: identity) {
          emit(.stream(.message(StreamMessage(message, at: instant, to: .stream(stream)))))
        }
      case .play(let schedule): emit(.play(schedule))
      // A peer has reported this master. The local peer is perhaps not in session with the master.
      case .connect(let master): connect(toMaster: master, at: now)
      case .event(let event):
        if case .role(let role) = event, let master = role == .master ? identity : role.master {
          connect(toMaster: master, at: now)
        }
        // The local peer has another channel, on which it plays from now on.
        if case .channel(let channel) = event { moveSettings(to: channel) }
        emit(.event(event))
      }
    }
  }

  /// Records the master in the list of invitations. The local peer then connects to the master, because each peer must be in
  /// session with the master. If the local peer is the master, it connects to all discovered peers.
  private func connect(toMaster master: Identity, at now: Instant) {
    let roster = roster
    invitations.follow(master: master, isInSession: { roster.session(of: $0) != nil }, at: now)
  }

  /// Sends a message to the peer with this identity, or to all Tutti peers (nil).
  private func send(_ message: PeerMessage, to identity: Identity?, isJournalled: Bool) {
    if case .documentPart(let part) = message {
      guard let stream = identity.flatMap({ roster.stream(of: $0) }),
        let transmission = DocumentTransmission(part.systemExclusive, to: stream)
      else { return }
      return emit(.document(transmission))
    }
    guard let data = SystemExclusiveData(message.systemExclusive) else { return }
    guard let identity else { return emit(.stream(.exclusive(data, to: nil, isJournalled: isJournalled))) }
    if let stream = roster.stream(of: identity) {
      emit(.stream(.exclusive(data, to: stream, isJournalled: isJournalled)))
    }
  }
}

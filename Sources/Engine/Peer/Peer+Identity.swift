import Ensemble
import MusicalTime

// The reaction of a peer to the report that another machine uses its identity.
extension Peer {
  /// How ``run(status:watch:snapshot:)`` has ended.
  public enum Outcome: Sendable {
    /// The peer has left.
    case left
    /// Another machine uses the identity of the peer. The store has a new identity. The caller starts the peer again, with a
    /// new recording and a new trace.
    case renewedIdentity
  }

  /// Handles the report of `peer` that a second machine uses the identity of this peer. If this peer has just started, it takes
  /// a new identity and starts again (``IdentityRenewal``). Otherwise it informs the player once.
  func identityIsUsed(accordingTo peer: PeerReference, at now: Instant) {
    guard !isLeaving else { return }
    let decision = identityRenewal.report(isMaster: ensemble.role == .master, at: now)
    guard decision != .ignore else { return }
    let fact = "another machine uses the identity of this peer, perhaps because its disk was copied"
    guard decision == .renew, storage.store.renewIdentity() else {
      let remedy = "give this peer another --name, which creates a new identity"
      return write("\(name(of: peer)) reports: \(fact); \(remedy)", .warning, .identities, of: host(of: peer), at: now)
    }
    log.warning("\(name(of: peer)) reports: \(fact); this peer starts again with a new identity")
    outcome = .renewedIdentity
    leavesAt = now
  }
}

import PeerProtocol
package import RTPMIDI

extension EndpointNetwork {
  /// The datagrams with this command, for example "IN", that were sent from `address`.
  package func sent(_ letters: String, by address: Int) -> [[UInt8]] {
    let command = letters.utf8.reduce(0) { $0 << 8 | UInt16($1) }
    return (sent[address] ?? []).filter { Self.command(of: $0) == command }
  }

  /// The peer of the first session of endpoint `k`.
  package func info(_ k: Int) -> SessionInfo? {
    for case .established(_, let info) in events(of: k) { return info }
    return nil
  }

  /// The SSRC in the packets of endpoint `k` in its newest session; 0 if there was none.
  package func localSSRC(_ k: Int) -> UInt32 {
    for case .established(_, let info) in events(of: k).reversed() { return info.localSSRC }
    return 0
  }

  /// The newest session of endpoint `k`.
  package func session(_ k: Int) -> SessionID? {
    for case .established(let id, _) in events(of: k).reversed() { return id }
    return nil
  }

  /// Whether the endpoints `a` and `b` have exactly one session each: the session with each other, at their present addresses.
  /// If they use the peer protocol, they must also have recognised each other.
  package func areTogether(_ a: Int, _ b: Int) -> Bool {
    for (local, other) in [(a, b), (b, a)] {
      guard standing[local].count == 1, let session = standing[local].values.first else { return false }
      guard session.identity == endpoints[other].peerExtension?.identity,
        standing[other].values.contains(where: { $0.info.localSSRC == session.info.ssrc }),
        session.info.control == .at(homes[other]), session.info.data == .at(homes[other] + 1)
      else { return false }
    }
    return true
  }
}

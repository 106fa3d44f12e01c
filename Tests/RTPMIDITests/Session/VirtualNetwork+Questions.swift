import MusicalTime
import RTPMIDI

extension VirtualNetwork {
  /// Datagrams that `address` has sent, of the command with these two letters.
  func sent(_ letters: String, by address: Int) -> [[UInt8]] {
    (sent[address] ?? []).filter { $0.count > 4 && $0[0] == 0xFF && Array($0[2..<4]) == Array(letters.utf8) }
  }

  /// How many invitations were sent in all, on either port.
  var invitations: Int { sent.keys.reduce(0) { $0 + sent("IN", by: $1).count } }

  func info(_ k: Int) -> SessionInfo? {
    for case .established(_, let info) in told[k] { return info }
    return nil
  }

  func session(_ k: Int) -> SessionID? {
    for case .established(let id, _) in told[k].reversed() { return id }
    return nil
  }

  func isRecognised(_ k: Int) -> Bool {
    told[k].contains { if case .recognised = $0 { true } else { false } }
  }

  /// Whether endpoints `a` and `b` have one session each, with one another as they are now, and know each other.
  func areTogether(_ a: Int, _ b: Int) -> Bool {
    for (own, other) in [(a, b), (b, a)] {
      guard standing[own].count == 1, let session = standing[own].values.first else { return false }
      guard session.identity == endpoints[other].identity, session.info.ssrc == endpoints[other].ssrc,
        session.info.control == .at(homes[other]), session.info.data == .at(homes[other] + 1)
      else { return false }
    }
    return true
  }

  func transits(_ k: Int) -> [ClockTransit] {
    told[k].compactMap { if case .clock(_, let transit) = $0 { transit } else { nil } }
  }

  /// What was told beside clocks.
  func news(_ k: Int) -> [Output] {
    told[k].filter { if case .clock = $0 { false } else { true } }
  }
}

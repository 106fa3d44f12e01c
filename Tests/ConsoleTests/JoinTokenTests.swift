import Engine
import PeerProtocol
import Testing

@testable import Console

/// Tests of ``JoinTokens``, the secrets in the addresses of the page, one for each kind of access. With the key of a group, the tokens are
/// derived from the key. Without a key, they are random.
@Suite struct JoinTokenTests {
  @Test func groupsHaveTheSameTokensAtAllPeers() {
    let key = GroupKey([UInt8](repeating: 7, count: 32))
    let (first, second) = (JoinTokens(key: key), JoinTokens(key: key))
    for access in Access.allCases { #expect(first[access] == second[access]) }
    #expect(JoinTokens(key: GroupKey([UInt8](repeating: 8, count: 32)))[.lead] != first[.lead])
  }

  @Test func tokensGiveTheirAccessOnly() {
    let tokens = JoinTokens(key: nil)
    // 20 characters of five bits are 100 bits.
    #expect(tokens[.lead].count == 20)
    #expect(tokens.access(of: tokens[.lead]) == .lead)
    #expect(tokens.access(of: tokens[.play]) == .play)
    #expect(JoinTokens(key: nil).access(of: tokens[.lead]) == nil)
    for wrong in ["", "a", tokens[.lead] + "a", String(tokens[.lead].dropLast())] {
      #expect(tokens.access(of: wrong) == nil)
    }
  }
}

import PeerProtocol
import Receiving
import Testing

@testable import Ensemble

/// The rules with which the player chooses whose notes sound locally, and how loud.
@Suite struct HearingChoicesTests {
  private let ada = Identity(0xADA)

  /// Returns the percentage at which the player hears the peer `ada`, whose name is `name`, after `rules` were applied in order.
  private func percent(_ rules: String..., named name: String? = "Ada") throws -> UInt8 {
    var choices = HearingChoices()
    for rule in rules { try choices.apply(rule) }
    return choices.hearing(of: ada, named: name).percent
  }

  @Test func ruleSelectsPeers() throws {
    #expect(try percent() == 0, "a player hears no other Tutti peer at first")
    // A rule without a percentage stands for 60 %.
    #expect(try percent("all") == 60 && percent("all=100") == 100 && percent("all 25") == 25)
    #expect(try percent("Ada") == 60 && percent("Ada=7") == 7 && percent("Ada 7") == 7 && percent("Ben") == 0)
    #expect(try percent("\(ada)=9", named: nil) == 9 && percent("Ada=9", named: nil) == 0)
    #expect(try percent("\(ada)=9", "Ada=8") == 9, "the identity has precedence")
    #expect(try percent("a = b 2=30", named: "a = b 2") == 30, "a name with signs of the notation")
  }

  @Test func laterRuleReplacesEarlierOnes() throws {
    #expect(try percent("Ada=10", "Ada=20") == 20 && percent("all", "Ada=0") == 0)
    #expect(try percent("Ada=10", "all=50") == 50 && percent("all", "Ada", "none") == 0)
  }

  @Test(arguments: ["", "=50", "Ada=", "Ada=loud", "Ada=101", "Ada=-1", "Ada 200", "none=1000"])
  func invalidRuleChangesNothing(rule: String) throws {
    var choices = HearingChoices()
    try choices.apply("Ada=5")
    #expect(throws: HearingError.self) { try choices.apply(rule) }
    #expect(choices.hearing(of: ada, named: "Ada").percent == 5)
  }
}

import Ensemble
import MusicalTime
import PeerProtocol
import Testing

@Suite struct GateTests {
  private let anna = Identity(0xA11A)
  private let bert = Identity(0xBE27)

  @Test func anExceptionSaysWhatItSaysAndNoMore() throws {
    var gates = Gates()
    #expect(gates.opening(for: anna, named: "anna") == .all)
    try gates.apply("anna:notes=closed")
    try gates.apply("rhythm=closed")
    let opening = gates.opening(for: anna, named: "anna")
    #expect(Gate.allCases.map { opening[$0] } == [false, false, true, true])
    // Its other gates go with everybody's.
    try gates.apply("all=open")
    #expect(gates.opening(for: anna, named: "anna")[.rhythm] && !gates.opening(for: anna, named: "anna")[.notes])
    #expect(gates.opening(for: bert, named: nil) == .all)
    gates.removeException(for: "anna")
    #expect(gates == Gates())
  }

  @Test func anIdentityGoesBeforeANameAndIsNoName() throws {
    var gates = Gates()
    try gates.apply("\(anna):notes=open")
    try gates.apply("anna:notes,activity=closed")
    let opening = gates.opening(for: anna, named: "anna")
    #expect(opening[.notes] && !opening[.activity])
    // Whoever calls itself another's identity is not that.
    try gates.apply("notes=closed")
    #expect(!gates.opening(for: bert, named: anna.description)[.notes])
    // In capitals it is the same identity.
    try gates.apply("\(bert.description.uppercased()):rhythm=closed")
    #expect(!gates.opening(for: bert, named: nil)[.rhythm])
  }

  @Test func ofSeveralOfOneNameTheFirstIsMeantUntilItLeaves() throws {
    var ensemble = EnsembleState(identity: Identity(1))
    let now = Instant(nanoseconds: 0)
    try ensemble.gates.apply("notes=closed")
    try ensemble.gates.apply("anna:notes=open")
    ensemble.joined(bert, named: "bert", at: now)
    ensemble.joined(anna, named: "anna", at: now)
    let borrowers = (100..<300).map { Identity($0) }
    for borrower in borrowers { ensemble.joined(borrower, named: "anna", at: now) }
    #expect(ensemble.admits(.notes, from: anna) && !ensemble.admits(.notes, from: bert))
    #expect(!borrowers.contains { ensemble.admits(.notes, from: $0) })
    // Nor by the name of one who is there, without being a Tutti peer.
    #expect(!ensemble.admits(.notes, from: nil, named: "anna"))
    // Coming again changes nothing.
    ensemble.joined(anna, named: "anna", at: now)
    #expect(ensemble.admits(.notes, from: anna))
    ensemble.left(anna, at: now)
    #expect(borrowers.filter { ensemble.admits(.notes, from: $0) } == [borrowers[0]])
    ensemble.joined(anna, named: "anna", at: now)
    #expect(!ensemble.admits(.notes, from: anna))
    for borrower in borrowers { ensemble.left(borrower, at: now) }
    #expect(ensemble.admits(.notes, from: anna))
    ensemble.left(anna, at: now)
    #expect(ensemble.admits(.notes, from: nil, named: "anna"))
  }

  @Test func aLedSessionIsOneWord() throws {
    var gates = Gates()
    try gates.apply("bert:rhythm=open")
    try gates.apply("bert:notes=closed")
    #expect(!gates.areLed)
    gates.ledBy("anna")
    #expect(gates.areLed)
    #expect(gates.opening(for: anna, named: "anna")[.rhythm])
    #expect(!gates.opening(for: bert, named: "bert")[.rhythm] && !gates.opening(for: bert, named: "bert")[.notes])
    // The leader's own.
    gates.ledBy(nil)
    #expect(!gates.areLed && !gates.opening(for: anna, named: "anna")[.rhythm])
  }

  @Test func aFileSaysOneRuleALine() throws {
    var gates = Gates()
    try gates.apply(
      lines: """
        # Anna leads.
        rhythm = closed
          anna : rhythm = open

        a=b:c : notes , activity = closed
        #2:all=closed
        """)
    #expect(
      gates.rules == [
        "notes,modification,activity=open", "rhythm=closed", "a=b:c:notes,activity=closed", "anna:rhythm=open",
      ])
    var again = Gates()
    try again.apply(lines: gates.rules.joined(separator: "\n"))
    #expect(again == gates)
  }

  @Test(arguments: [
    (
      "notes",
      "gate \"notes\": is neither open nor closed; write KINDS=open or PEER:KINDS=closed, such as notes=closed"
    ),
    ("notes=shut", "gate \"notes=shut\": \"shut\" is neither open nor closed; write =open or =closed at its end"),
    (
      "noise=open",
      "gate \"noise=open\": \"noise\" is not a gate; write rhythm, notes, modification, activity or all"
    ),
    (
      "anna:=open",
      "gate \"anna:=open\": \"\" is not a gate; write rhythm, notes, modification, activity or all"
    ),
    (
      "notes,=open",
      "gate \"notes,=open\": \"\" is not a gate; write rhythm, notes, modification, activity or all"
    ),
    (
      ":notes=open",
      "gate \":notes=open\": has no peer before the colon; write a name or identity there, or remove the colon"
    ),
  ])
  func whatIsWrongIsNamedAndChangesNothing(rule: String, message: String) {
    var gates = Gates()
    gates.set(.rhythm, open: false, for: "anna")
    let before = gates
    #expect { try gates.apply(rule) } throws: { "\($0)" == message }
    #expect { try gates.apply(lines: "all=closed\n\n\(rule)") } throws: { "\($0)" == "line 3: " + message }
    #expect(gates == before)
  }
}

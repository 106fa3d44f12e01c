import Ensemble
import MusicalTime
import PeerProtocol
import Testing

/// The rules that open and close gates: their precedence, their text form, and their errors.
@Suite struct GateTests {
  private let anna = Identity(0xA11A)
  private let bert = Identity(0xBE27)

  @Test func exceptionAffectsOnlyTheGatesItNames() throws {
    var gates = Gates()
    #expect(gates.opening(for: anna, named: "anna") == .all)
    try gates.apply("anna:notes=closed")
    try gates.apply("rhythm=closed")
    let opening = gates.opening(for: anna, named: "anna")
    // In the order rhythm, notes, modification, activity.
    #expect(Gate.allCases.map { opening[$0] } == [false, false, true, true])
    // The default applies to the other gates of the peer.
    try gates.apply("all=open")
    #expect(gates.opening(for: anna, named: "anna")[.rhythm] && !gates.opening(for: anna, named: "anna")[.notes])
    #expect(gates.opening(for: bert, named: nil) == .all)
    gates.removeException(for: "anna")
    #expect(gates == Gates())
  }

  @Test func identityTakesPrecedenceOverNameAndIsNotMatchedByName() throws {
    var gates = Gates()
    try gates.apply("\(anna):notes=open")
    try gates.apply("anna:notes,activity=closed")
    let opening = gates.opening(for: anna, named: "anna")
    #expect(opening[.notes] && !opening[.activity])
    // A peer whose name is the identity of another peer does not get that peer's exception.
    try gates.apply("notes=closed")
    #expect(!gates.opening(for: bert, named: anna.description)[.notes])
    // Identities are not case-sensitive.
    try gates.apply("\(bert.description.uppercased()):rhythm=closed")
    #expect(!gates.opening(for: bert, named: nil)[.rhythm])
  }

  @Test func exceptionForASharedNameAppliesToTheFirstPeerUntilItLeaves() throws {
    var ensemble = EnsembleState(identity: Identity(1))
    let now = Instant(nanoseconds: 0)
    try ensemble.gates.apply("notes=closed")
    try ensemble.gates.apply("anna:notes=open")
    ensemble.joined(bert, named: "bert", at: now)
    ensemble.joined(anna, named: "anna", at: now)
    let namesakes = (100..<300).map { Identity($0) }
    for namesake in namesakes { ensemble.joined(namesake, named: "anna", at: now) }
    #expect(ensemble.admits(.notes, from: anna) && !ensemble.admits(.notes, from: bert))
    #expect(!namesakes.contains { ensemble.admits(.notes, from: $0) })
    // A standard device with the same name is not admitted either while a Tutti peer of that name is present.
    #expect(!ensemble.admits(.notes, from: nil, named: "anna"))
    // Joining twice changes nothing.
    ensemble.joined(anna, named: "anna", at: now)
    #expect(ensemble.admits(.notes, from: anna))
    ensemble.left(anna, at: now)
    #expect(namesakes.filter { ensemble.admits(.notes, from: $0) } == [namesakes[0]])
    ensemble.joined(anna, named: "anna", at: now)
    #expect(!ensemble.admits(.notes, from: anna))
    for namesake in namesakes { ensemble.left(namesake, at: now) }
    #expect(ensemble.admits(.notes, from: anna))
    ensemble.left(anna, at: now)
    #expect(ensemble.admits(.notes, from: nil, named: "anna"))
  }

  @Test func leadersReplaceAllRhythmRulesAndKeepTheOthers() throws {
    var gates = Gates()
    try gates.apply("bert:rhythm=open")
    try gates.apply("bert:notes=closed")
    gates.setLeaders(["anna"])
    #expect(gates.opening(for: anna, named: "anna")[.rhythm])
    #expect(!gates.opening(for: bert, named: "bert")[.rhythm] && !gates.opening(for: bert, named: "bert")[.notes])
    // A deputy.
    gates.setLeaders(["anna", "bert"])
    #expect(gates.opening(for: bert, named: "bert")[.rhythm] && gates.leaders == ["anna", "bert"])
    // At the leader itself, the rhythm gate is closed to all remote peers, also to one with its name.
    gates.setLeaders(["anna"], local: "anna")
    #expect(!gates.opening(for: anna, named: "anna")[.rhythm] && gates.leaders == ["anna"])
  }

  @Test func removingTheLeadersOpensTheRhythmGateToAllPeers() throws {
    var gates = Gates()
    try gates.apply("bert:rhythm=closed")
    gates.setLeaders(["anna"])
    gates.setLeaders([])
    #expect(gates.leaders.isEmpty && gates.isOpenToAll(.rhythm))
  }

  @Test func leadersAreNamesWithCommasBetweenThem() {
    #expect(Gates.leaders("Ada") == ["Ada"] && Gates.leaders(" Ada , Ben C ") == ["Ada", "Ben C"])
    #expect(Gates.leaders("anyone") == [])
    for text in ["", " ", "Ada,", ",Ada", "Ada,,Ben"] { #expect(Gates.leaders(text) == nil, "\(text)") }
  }

  /// A line that starts with # is a comment, even if it looks like a rule. The name of a peer may contain the signs of the notation, as
  /// `a=b:c` does.
  @Test func fileContainsOneRulePerLine() throws {
    var gates = Gates()
    try gates.apply(
      lines: """
        # Anna leads.
        rhythm = closed
          anna : rhythm = open

        a=b:c : notes , activity = closed
        #2:all=closed
        """)
    // The rules for all peers come first, with the open gates before the closed ones. The exceptions follow, sorted by the names.
    #expect(
      gates.rules == [
        "notes,modification,activity=open", "rhythm=closed", "a=b:c:notes,activity=closed", "anna:rhythm=open",
      ])
    var copy = Gates()
    try copy.apply(lines: gates.rules.joined(separator: "\n"))
    #expect(copy == gates)
  }

  @Test(arguments: [
    (
      "notes",
      "gate \"notes\": \"=open\" or \"=closed\" is missing; write KINDS=open or PEER:KINDS=closed, such as notes=closed"
    ),
    ("notes=shut", "gate \"notes=shut\": \"shut\" is neither open nor closed; write =open or =closed at its end"),
    (
      "noise=open",
      "gate \"noise=open\": \"noise\" is not a gate; write rhythm, notes, modification, activity or all"
    ),
    (
      "anna:=open",
      "gate \"anna:=open\": a gate name is missing; write rhythm, notes, modification, activity or all"
    ),
    (
      "notes,=open",
      "gate \"notes,=open\": a gate name is missing; write rhythm, notes, modification, activity or all"
    ),
    (
      ":notes=open",
      "gate \":notes=open\": no peer before the colon; write a name or identity there, or remove the colon"
    ),
  ])
  func invalidRuleIsReportedAndChangesNothing(rule: String, message: String) {
    var gates = Gates()
    gates.set(.rhythm, open: false, for: "anna")
    let before = gates
    #expect { try gates.apply(rule) } throws: { "\($0)" == message }
    #expect { try gates.apply(lines: "all=closed\n\n\(rule)") } throws: { "\($0)" == "line 3: " + message }
    #expect(gates == before)
  }
}

import Engine
import Ensemble
import Foundation
import MusicalTime
import Testing

/// Tests of ``Command``, which a page sends to its peer as JSON. A page with the access `play` may not control the rhythm.
@Suite struct PageCommandTests {
  private func command(_ json: String, access: Access = .lead) -> Command? {
    (try? JSONDecoder().decode(CommandArguments.self, from: Data(json.utf8))).flatMap { Command($0, access: access) }
  }

  @Test func commandsOfTheLeaderAreDecoded() throws {
    #expect(command(#"{"do":"start"}"#) == .player(.start))
    #expect(command(#"{"do":"tempo","bpm":96}"#) == .player(.setTempo(try Tempo(bpm: 96))))
    #expect(command(#"{"do":"nudge","bpm":-1}"#) == .player(.tempo(by: -1)))
    #expect(command(#"{"do":"level","part":"bass","percent":40}"#) == .player(.level(.bass, 40)))
    #expect(command(#"{"do":"mute","peer":"00000000000000ff","on":true}"#) == .player(.mute("00000000000000ff", true)))
    #expect(
      command(#"{"do":"gate","peer":"00000000000000ff","kind":"notes","on":false}"#)
        == .player(.gate(try GateRule("00000000000000ff:notes=closed"))))
    #expect(command(#"{"do":"patch","name":"street"}"#) == .selectRhythm("street"))
    #expect(command(#"{"do":"ask","on":true}"#) == .player(.ask(true)))
    #expect(command(#"{"do":"ask","on":false}"#) == .player(.ask(false)))
    #expect(command(#"{"do":"calibrate"}"#) == .calibrate)
    #expect(command(#"{"do":"connect","host":"Ben <b>"}"#) == .player(.connect(toHost: "Ben <b>")))
    for kind in ConnectionPolicy.Kind.allCases {
      #expect(command(#"{"do":"policy","who":"\#(kind)"}"#) == .player(.policy(kind)))
    }
  }

  @Test func theLeaderControlsTheScore() {
    #expect(command(##"{"do":"bar","number":"#12"}"##) == .player(.bar("#12")))
    #expect(command(##"{"do":"loop","from":"#5","to":"#8"}"##) == .player(.loop(from: "#5", to: "#8")))
    #expect(command(#"{"do":"vamp","on":false}"#) == .player(.vamp(false)))
    #expect(command(##"{"do":"score-part","part":"#3","percent":false}"##) == .player(.scorePart("#3", .percent(0))))
    #expect(command(##"{"do":"score-part","part":"#3","percent":true}"##) == .player(.scorePart("#3", .percent(100))))
    for json in [
      #"{"do":"bar"}"#, #"{"do":"bar","number":12}"#, ##"{"do":"score-part","part":"#3"}"##,
      #"{"do":"loop","from":"1"}"#,
    ] { #expect(command(json) == nil, "\(json)") }
    for json in [#"{"do":"bar","number":"1"}"#, #"{"do":"score-part","part":"1","percent":0}"#] {
      #expect(command(json, access: .play) == nil, "\(json)")
    }
  }

  @Test func valuesOutOfRangeAreRejected() {
    for json in [
      "", "{}", "[]", "null", #"{"do":"leave"}"#, #"{"do":"tempo"}"#, #"{"do":"tempo","bpm":1000}"#,
      #"{"do":"tempo","bpm":1e400}"#, #"{"do":"tempo","bpm":"96"}"#, #"{"do":"nudge","bpm":1000}"#,
      #"{"do":"level","part":"bass","percent":101}"#, #"{"do":"level","part":"tuba","percent":50}"#,
      #"{"do":"note","key":128,"velocity":1}"#, #"{"do":"count-in","bars":99}"#,
      #"{"do":"shape","peer":"Ben","controller":1,"value":1}"#, #"{"do":"phrase","action":"send","peer":"Ben"}"#,
      #"{"do":"shape","peer":"00000000000000ff","controller":128,"value":1}"#, #"{"do":"phrase","action":"send"}"#,
      #"{"do":"phrase","action":"record","bars":9}"#, #"{"do":"phrase"}"#, #"{"do":"connect"}"#,
      #"{"do":"connect","host":5004}"#, #"{"do":"policy"}"#, #"{"do":"policy","who":"friends"}"#,
      #"{"do":"ask"}"#, #"{"do":"ask","on":1}"#, #"{"do":"ask","off":""}"#,
      // Names and rules of gates are not accepted where an identity is needed.
      #"{"do":"mute","peer":"Ben","on":true}"#, #"{"do":"gate","peer":"all=open,x","kind":"notes","on":true}"#,
      #"{"do":"gate","peer":"00000000000000ff","kind":"notes=open;rhythm","on":true}"#,
    ] { #expect(command(json) == nil, "\(json)") }
  }

  @Test func playersMayOnlyPlay() {
    #expect(command(#"{"do":"note","key":60,"velocity":90}"#, access: .play) == .player(.note(60, velocity: 90)))
    #expect(command(#"{"do":"activity","value":90}"#, access: .play) == .player(.activity(90)))
    // In a calibration, a page answers whether it clicks in a turn.
    #expect(command(#"{"do":"clicking","turn":3,"on":true}"#, access: .play) == .clicking(turn: 3, true))
    #expect(command(#"{"do":"clicking","on":true}"#, access: .play) == nil)
    let peer = "00000000000000ff"
    #expect(
      command(#"{"do":"shape","peer":"\#(peer)","controller":74,"value":20}"#, access: .play)
        == .player(.shape(peer, controller: 74, value: 20)))
    #expect(command(#"{"do":"phrase","action":"record"}"#, access: .play) == .player(.phrase(.record(bars: 2))))
    #expect(
      command(#"{"do":"phrase","action":"send","peer":"\#(peer)"}"#, access: .play)
        == .player(.phrase(.send(to: peer))))
    #expect(command(#"{"do":"phrase","action":"vary"}"#, access: .play) == .player(.phrase(.vary)))
    for verb in ["start", "stop", "take", "ask", "quiet", "patch", "calibrate", "connect", "policy"] {
      let fields = #""on":true,"name":"street","host":"Ben","who":"anyone""#
      #expect(command(#"{"do":"\#(verb)",\#(fields)}"#, access: .play) == nil)
      #expect(command(#"{"do":"\#(verb)",\#(fields)}"#) != nil)
    }
  }
}

import Engine
import Ensemble
import MusicalTime
import Testing

@testable import tutti

/// Tests of the text form of the commands that concern another player or a phrase (``PlayerCommand``), and of the errors of all commands.
@Suite struct PlayerCommandTests {
  @Test func commandIsParsed() throws {
    for (line, command) in try [
      ("hear Ada", .hear(HearingRule("Ada"))), ("hear Ada 40", .hear(HearingRule("Ada=40"))),
      ("hear none", .hear(.none)), ("gate Big Ben:notes=open", .gate(GateRule("Big Ben:notes=open"))),
      ("count-in 4", .countIn(bars: 4)), ("count-in", .countIn(bars: 1)), ("part bass off", .plays(.bass, false)),
      ("part bass 80%", .level(.bass, 80)), ("tempo 120 over 16", .rampTempo(Tempo(bpm: 120), beats: 16)),
      ("latency 40", .latency(milliseconds: 40)), ("latency -5.5", .latency(milliseconds: -5.5)),
      ("fill", .fill), ("quiet", .quiet(true)), ("quiet off", .quiet(false)), ("offer", .offer(to: nil)),
      ("offer Big Ben", .offer(to: "Big Ben")), ("unmute Ada", .mute("Ada", false)),
      ("ask", .ask(true)), ("ask off", .ask(false)), ("connect ben:5006", .seek(host: "ben:5006")),
      ("note 60", .note(60, velocity: 100)), ("release 60", .note(60, velocity: 0)),
      ("shape Big Ben 74 20", .shape("Big Ben", controller: 74, value: 20)),
      ("pitches from Big Ben", .pitches(from: "Big Ben")), ("pitches from none", .pitches(from: nil)),
      ("phrase record", .phrase(.record(bars: 2))), ("phrase record 4", .phrase(.record(bars: 4))),
      ("phrase send Big Ben", .phrase(.send(to: "Big Ben"))), ("phrase play", .phrase(.play)),
      ("phrase stop", .phrase(.stop)), ("phrase vary", .phrase(.vary)),
    ] as [(String, PlayerCommand)] {
      #expect(try Command(text: line) == .player(command), "\(line)")
    }
  }

  @Test(arguments: [
    "hear", "hear Ada=loud", "shape Ben 1", "shape Ben 1 128", "shape 1 90", "pitches", "pitches Ada", "pitches from",
    "phrase", "connect", "phrase record 0", "phrase record two", "phrase send", "phrase play it", "phrase loop",
  ])
  func invalidCommandIsRefused(line: String) {
    #expect(throws: CommandSyntaxError.self) { try Command(text: line) }
  }

  @Test func commandsOfTheTerminalAreParsed() throws {
    #expect(try Command(text: "patch") == .listRhythms && Command(text: "patch waltz") == .selectRhythm("waltz"))
    #expect(try Command(text: "help") == .help(nil) && Command(text: "help tempo") == .help("tempo"))
    #expect(try Command(text: "gates") == .player(.showGates))
    #expect(Command.words.contains("total-activity") && !Command.words.contains("nudge"))
  }

  @Test(arguments: [
    ("instrument", "instrument: incomplete; give NAME"),
    ("mute", "mute: incomplete; give PEER"), ("quiet on", "quiet on: unexpected words; enter `quiet` or `quiet off`"),
    ("ask on", "ask on: unexpected words; enter `ask` or `ask off`"),
    ("start now", "start now: unexpected words; enter `start`"),
    ("phrase record 999", "phrase record 999: out of range; give 1 bar or more, at most 128 sixteenth notes"),
    ("count-in x", "count-in x: not 1 to 4 bars"), ("loudness", "loudness: not a percentage"),
    ("phrase record two", "phrase record two: not a command for a phrase"),
    ("latency", "latency: not a latency; give milliseconds, such as 40 or -5"),
    ("latency 1001", "latency 1001: not a latency"), ("latency soon", "latency soon: not a latency"),
    ("dance", "dance: unknown command; `help` lists the commands"),
  ])
  func errorFitsTheCommand(line: String, message: String) {
    let error = #expect(throws: CommandSyntaxError.self) { try Command(text: line) }
    #expect(error?.description.hasPrefix(message) == true, "\(String(describing: error))")
  }
}

import Foundation
import MusicalTime
import Rhythm
import Testing
import _TestSupport
import _TestTraits

@testable import tutti

/// Tests of the status lines of `tutti peer` on a pseudo-terminal.
@Suite(.serialized, .ownThreads) struct StatusDisplayTests {
  private func session(
    columns: Int, in folder: TemporaryFolder, environment: [String: String] = [:], _ arguments: [String]
  ) throws -> TerminalSession {
    try TerminalSession(
      columns: columns, in: folder, environment: environment,
      ["peer", "--port", "0", "--discovery", "off", "--audio", "none"] + arguments)
  }

  /// The digits by which the names of two peers differ are at the end.
  @Test func longNameKeepsItsEnd() {
    #expect(StatusDisplay.shortened("Ada 3f2a", to: 9) == "Ada 3f2a")
    #expect(StatusDisplay.shortened("Christine Lovelace 3f2a", to: 20) == "Christine Lov.. 3f2a")
  }

  @Test(arguments: [80, 40]) func statusFitsTheTerminal(columns: Int) async throws {
    let folder = try TemporaryFolder()
    let session = try session(columns: columns, in: folder, ["--name", "ada", "--start", "--patch", "bossa"])
    try await session.wait(for: "master    ")
    try await session.waitForBeats()
    session.expectOneStatus()
    // A peer begins with the activity 56, which is in the ranges of six of the twelve layers of `bossa`.
    #expect(session.screen.text.contains { $0.hasPrefix("drums     kick, ") })
    #expect(columns < 80 || session.screen.text.contains { $0.hasSuffix("(6 of 12 layers)") })
    // The key w lists the other peers. A message appears above the status lines.
    session.type("w")
    try await session.wait(for: "no other peer is connected")
    try await session.waitForBeats()
    session.expectOneStatus()
    try await session.leave()
  }

  /// At the start, a peer prints one line about its sound, one about its timing at most, and how the others connect. A peer that connects to
  /// another one does not print the latter.
  @Test(arguments: [[], ["--connect", "127.0.0.1:9"]]) func startPrintsFewLines(arguments: [String]) async throws {
    let folder = try TemporaryFolder()
    let outcome = try await Child.tutti(
      ["peer", "--name", "ada", "--port", "0", "--discovery", "off", "--duration", "2"] + arguments, in: folder
    ).outcome()
    let lines = outcome.errors.split(separator: "\n")
    for topic in ["sound", "tutti doctor"] {
      #expect(lines.count { $0.contains(topic) } <= 1, "\(outcome.errors)")
    }
    #expect(lines.count { $0.contains("on the other machines") } <= (arguments.isEmpty ? 1 : 0), "\(outcome.errors)")
    #expect(!lines.contains { $0.contains("MIDI channel") || $0.contains("limits") }, "\(outcome.errors)")
  }

  @Test func statusSurvivesAResize() async throws {
    let folder = try TemporaryFolder()
    let session = try session(columns: 80, in: folder, ["--name", "ada", "--start"])
    try await session.wait(for: "master    ")
    for columns in [40, 30, 100, 60] {
      session.update()
      session.resize(columns: columns)
      try await session.waitForBeats()
      session.expectOneStatus()
    }
    try await session.leave()
  }

  @Test func commandsAndKeysChangeTheStatus() async throws {
    let folder = try TemporaryFolder()
    let session = try session(columns: 80, in: folder, ["--name", "ada", "--start"])
    try await session.wait(for: "master    ")
    session.type(":activity 127")
    try await session.wait(for: ":activity 127")
    session.type("\n")
    try await session.wait(for: "you       127 ##########")
    session.expectOneStatus()
    // F5, arrow up and F1. The sequence of F5 contains the digits 1 and 5. These digits must not act as the keys that set the activity.
    session.type("\u{1B}[15~\u{1B}[A\u{1B}OP")
    session.type(":part drums 40%\n")
    try await session.wait(for: "parts     drums 40 %")
    try await session.wait(for: "you       127 ##########")
    session.expectOneStatus()
    // The key s silences the rhythm and all players. When it is pressed again, they sound again.
    session.type("s")
    try await session.wait(for: "parts     quiet: ")
    session.expectOneStatus()
    session.type("s")
    try await session.wait(for: "parts     drums 40 %")
    // The command `patch` selects another patch. The key p selects the next patch of the library in alphabetical order. The last patch is
    // `waltz`, and the first one is `ballad`.
    // Backspace removes the letter ä, which has two octets.
    session.type(":patch wä\u{7F}altz\n")
    try await session.wait(for: "rhythm waltz: plays from the next bar on")
    session.type("p")
    try await session.wait(for: "rhythm ballad: plays from the next bar on")
    session.type(":patch nothing\n")
    try await session.wait(for: "rhythm ballad: not changed")
    // The space bar stops the rhythm.
    session.type(" ")
    try await session.wait(for: "the rhythm stopped")
    session.type(":patch waltz\n")
    try await session.wait(for: "rhythm waltz: chosen; it plays when the rhythm starts")
    try await session.leave()
  }

  /// With TERM=dumb, the output contains no control sequences.
  @Test func outputIsPlainLinesWithoutAUsableTerminal() async throws {
    let folder = try TemporaryFolder()
    let session = try session(
      columns: 80, in: folder, environment: ["TERM": "dumb"], ["--name", "ada", "--start", "--duration", "1"])
    var text = ""
    var octets = [UInt8](repeating: 0, count: 65_536)
    try await session.child.wait(for: "to end") {
      let count = read(session.terminal, &octets, octets.count)
      if count > 0 { text += String(decoding: octets.prefix(count), as: UTF8.self) }
      return !session.child.isRunning
    }
    #expect(text.contains("ada: port") && !text.contains("\u{1B}"))
  }

  /// NO_COLOR removes colours only: the status lines stay.
  @Test func statusIsShownWithoutColours() async throws {
    let folder = try TemporaryFolder()
    let session = try session(
      columns: 80, in: folder, environment: ["NO_COLOR": "1"],
      ["--name", "ada", "--start", "--http", "0.0.0.0:0", "--http-open"])
    try await session.wait(for: "master    ")
    session.expectOneStatus()
    #expect(!session.output.contains("\u{1B}[38"))
    try await session.leave()
  }

  /// Names are shown in the columns that they take, in windows of each width.
  @Test(arguments: [40, 80, 120]) func namesOfAllScriptsFit(columns: Int) async throws {
    let folder = try TemporaryFolder()
    let long = String(repeating: "Katharina Elisabeth ", count: 3).dropLast()
    let session = try session(columns: columns, in: folder, ["--name", "ada", "--port", "45120", "--start"])
    try await session.wait(for: "master    ")
    var others: [Child] = []
    for (number, name) in ["José", "太鼓 🥁", String(long)].enumerated() {
      others.append(
        try Child.tutti(
          [
            "peer", "--name", name, "--port", "\(45130 + 2 * number)", "--discovery", "off", "--audio", "none",
            "--connect", "127.0.0.1:45120",
          ], in: folder))
    }
    // A name has at most 48 octets.
    for name in ["José   ", "太鼓 🥁", "Katharina "] { try await session.waitForStatus(beginning: name) }
    try await session.waitForBeats()
    session.expectOneStatus()
    let rows = session.screen.text.filter { $0.contains(" follower ") }
    #expect(rows.count == 3, "\(session.screen.text)")
    #expect(Set(rows.map { $0.prefix(while: { $0 != "f" }).columns }).count == 1, "\(rows)")
    for other in others { other.signal(SIGTERM) }
    try await session.leave()
  }

  @Test func statusStaysVisibleWhileACommandIsTyped() async throws {
    let folder = try TemporaryFolder()
    let session = try session(columns: 80, in: folder, ["--name", "ada", "--start"])
    try await session.wait(for: "master    ")
    session.type(":tempo 10")
    try await session.wait(for: ":tempo 10")
    try await session.waitForBeats()
    #expect(session.screen.text.contains { $0.hasPrefix("master    ") })
    // The arrow moves the cursor, Tab completes, and the arrow up brings the line back.
    session.type("\u{1B}[D2\n")
    try await session.wait(for: "120.0 BPM")
    session.type(":\u{1B}[A")
    try await session.wait(for: ":tempo 120")
    session.type("\u{1B}")
    try await session.waitForBeats()
    #expect(!session.screen.text.contains(":tempo 120"))
    session.type(":total-a\tme\t\n")
    try await session.wait(for: "total activity: the mean of the activities of all players")
    session.type(":gates\n")
    try await session.wait(for: "gates for all peers: rhythm, notes, modification, activity open")
    session.type(":gate notes=closed\n")
    try await session.wait(for: "gates: notes closed for all other peers")
    try await session.leave()
  }

  @Test(arguments: [40, 80, 120]) func helpFitsTheWindow(columns: Int) async throws {
    let folder = try TemporaryFolder()
    let session = try session(columns: columns, in: folder, ["--name", "ada", "--start"])
    try await session.wait(for: "master    ")
    session.type("?")
    try await session.wait(for: "1/")
    #expect(session.screen.text.contains { $0.hasPrefix("space") })
    #expect(session.screen.text.contains { $0.hasPrefix("master    ") })
    session.type("?")
    try await session.wait(for: "2/")
    session.type("\u{1B}")
    try await session.wait(for: "you auto ")
    session.expectOneStatus()
    session.type(":help tempo\n")
    try await session.wait(for: "tempo BPM [over BEATS]")
    try await session.waitForBeats()
    session.expectOneStatus()
    try await session.leave()
  }

  @Test func rhythmIsChosenFromAList() async throws {
    let folder = try TemporaryFolder()
    try "name: mine\ndescription: My own.\ntempo: 120\nplay: { always: { kick: x... x... x... x... } }\n".write(
      toFile: folder.path("mine.yaml"), atomically: true, encoding: .utf8)
    try "version: 3\n".write(toFile: folder.path("no-patch.yaml"), atomically: true, encoding: .utf8)
    let session = try session(columns: 80, in: folder, ["--name", "ada", "--start"])
    try await session.wait(for: "master    ")
    session.type(":patch\n")
    try await session.wait(for: "> street")
    // The end of the list is the player's own rhythm.
    session.type("\u{1B}[F")
    try await session.wait(for: "> mine")
    #expect(!session.screen.text.contains { $0.contains("no-patch") })
    // The list fills the alternate screen of the terminal. The lines above the status stay as they were.
    #expect(session.screen.isAlternate)
    session.type("\n")
    try await session.wait(for: "rhythm mine: plays from the next bar on")
    try await session.waitForBeats()
    #expect(!session.screen.isAlternate && session.screen.text.contains { $0.hasPrefix("ada: port") })
    session.expectOneStatus()
    session.type("P")
    try await session.wait(for: "rhythm waltz: plays from the next bar on")
    // The list marks the rhythm that plays.
    try await session.wait(for: ".  waltz")
    session.type(":patch\n")
    try await session.wait(for: "> waltz")
    session.type("\u{1B}")
    try await session.waitForBeats()
    session.expectOneStatus()
    try await session.leave()
    #expect(!session.screen.isAlternate)
  }

  /// The list marks the rhythm of the master, not the rhythm that the player of the follower has tried to choose.
  @Test func listOfAFollowerMarksTheRhythmOfTheMaster() async throws {
    let folder = try TemporaryFolder()
    let ben = try await PeerProcess("ben", ["--start", "--patch", "bossa"], in: folder)
    try await ben.wait(forRole: "master")
    let session = try session(columns: 80, in: folder, ["--name", "ada", "--connect", "127.0.0.1:\(ben.port)"])
    try await session.wait(for: "bossa (ben)")
    session.type("p")
    try await session.wait(for: "not played. ben leads. ben can press h")
    session.type(":patch\n")
    try await session.wait(for: "> bossa")
    session.type("\u{1B}")
    // The players have set no activity, so each has a part of a moderate beginning.
    try await session.wait(for: "you auto   28 ")
    ben.type("activity 40")
    try await session.wait(for: "the players set the activity now; yours is 0 until you press a digit")
    try await session.wait(for: "you         0 ")
    try await session.leave()
    try await ben.leave()
    // The peer leaves itself, so no line says that the other one left.
    session.update()
    #expect(!session.output.contains(" left"), "\(session.output)")
  }

  /// Each line of the status has at most 79 columns. Drums that do not fit are counted, and drums that only rest are not listed.
  @Test func drumsThatDoNotFitAreCounted() throws {
    let names = ["kick", "snare", "stick", "hat", "open hat", "clap", "cowbell", "ride", "crash", "low tom", "splash"]
    var text = "name: test\ndescription: A test.\ntempo: 100\nplay:\n  always:\n"
    for name in names { text += "    \(name): \(name == "stick" ? "...." : "x...") .... .... ....\n" }
    let patch = try PatchLoader.patch(from: text, file: "test")
    func drums(_ width: Int) -> String { StatusDisplay.drums(of: patch, total: 64, width: width) }
    #expect(drums(81) == "drums     kick, snare, hat, open hat, clap, cowbell, ride, crash, low tom, splash")
    #expect(drums(79) == "drums     kick, snare, hat, open hat, clap, cowbell, ride, crash, +2 more")
    #expect(drums(30) == "drums     kick, snare, +8 more")
    #expect(drums(200).hasSuffix("low tom, splash (1 of 1 layers)"))
  }

  /// A negative time that is rounded to zero has no minus sign.
  @Test(arguments: [(-400, "+0.000"), (0, "+0.000"), (-600, "-0.001"), (12_300, "+0.012")])
  func signOfZeroIsPlus(nanoseconds: Int64, text: String) {
    #expect(StatusDisplay.signed(Nanoseconds(nanoseconds)) == text)
  }

  @Test func countInIsCounted() async throws {
    let folder = try TemporaryFolder()
    let session = try session(columns: 80, in: folder, ["--name", "ada", "--bpm", "60"])
    try await session.wait(for: "idle      ")
    session.type("n")
    try await session.wait(for: "count-in 1 2 3")
    try await session.wait(for: "1.1")
    #expect(!session.screen.text.contains { $0.contains("count-in") })
    try await session.leave()
  }

  /// The peer reloads its patch file when the file is saved. A valid version replaces the present one, and a version with an error
  /// does not.
  @Test func savedPatchIsReloaded() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("mine.yaml")
    func save(_ play: String) throws {
      try "name: mine\ndescription: Mine.\ntempo: 120\nplay: { \(play) }\n".write(
        toFile: path, atomically: true, encoding: .utf8)
    }
    try save("always: { kick: x... x... x... x... }")
    let session = try session(columns: 80, in: folder, ["--name", "ada", "--start", "--patch", "mine.yaml"])
    try await session.wait(for: "(1 of 1 layers)")
    try save("always: { kick: x... x... x... x... }, from 0 to 100: { hat: x.x. x.x. x.x. x.x. }")
    try await session.wait(for: "(2 of 2 layers)")
    try save("always: { kick: x }")
    try await session.wait(for: "has 1 step in bar 1")
    try await session.wait(for: "rhythm mine.yaml: not changed")
    try await session.wait(for: "(2 of 2 layers)")
    try await session.leave()
  }
}

extension TerminalSession {
  /// Waits until a line of the screen begins with `text`.
  fileprivate func waitForStatus(beginning text: String) async throws {
    try await child.wait(for: "to show \(text)") {
      update()
      return screen.text.contains { $0.hasPrefix(text) }
    }
  }

  /// Waits until the line of the master, which shows the beat, has changed twice. The status lines have then been drawn again.
  fileprivate func waitForBeats() async throws {
    for _ in 0..<2 {
      let before = screen.text.last { $0.hasPrefix("master    ") }
      try await child.wait(for: "to show the next beat") {
        update()
        return screen.text.last { $0.hasPrefix("master    ") } != before
      }
    }
  }

  /// Expects that the status lines are on the screen exactly once. The last three lines must be shorter than the width of the terminal
  /// and shorter than 80 columns.
  fileprivate func expectOneStatus() {
    let lines = screen.text
    for prefix in ["master    ", "drums     ", "you "] {
      #expect(lines.count { $0.hasPrefix(prefix) } == 1, "\(prefix): \(lines)")
    }
    let status = lines.suffix(3)
    #expect(status.allSatisfy { $0.columns < screen.columns && $0.columns < 80 }, "\(lines)")
  }

  /// Ends the peer by the key q, and expects the exit status 0.
  fileprivate func leave() async throws {
    type("q")
    #expect(try await child.status() == 0)
  }
}

import Testing

@testable import tutti

/// Tests of the parts of the command line on a terminal that need no terminal.
@Suite struct CommandLineTests {
  @Test(arguments: [
    ("a", 1), ("é", 1), ("e\u{301}", 1), ("太", 2), ("한", 2), ("🥁", 2), ("❤\u{FE0F}", 2), ("🇩🇪", 2), ("👨‍👩‍👧", 2), ("…", 1),
  ])
  func charactersHaveTheirColumns(character: Character, columns: Int) { #expect(character.columns == columns) }

  @Test func textIsCutAndPaddedByColumns() {
    #expect("太鼓 🥁".columns == 7)
    #expect("太鼓 🥁".prefix(columns: 3) == "太" && "太鼓 🥁".prefix(columns: 4) == "太鼓")
    #expect("太".padded(toColumns: 4) == "太  ")
  }

  @Test func messagesWrapBetweenWords() {
    #expect("one two three".wrapped(toColumns: 7) == ["one two", "three"])
    // An address is not broken, so that it can be copied.
    #expect(
      "see http://192.168.1.20:8080/x now".wrapped(toColumns: 10) == ["see", "http://192.168.1.20:8080/x", "now"])
  }

  @Test func lineIsEdited() {
    var line = TypedLine("tempo 10")
    line.moveLeft()
    line.insert("2")
    #expect(line.text == "tempo 120" && line.head == "tempo 12")
    line.deleteBackward()
    line.deleteForward()
    #expect(line.text == "tempo 1")
    line.moveToBeginning()
    line.insert("ä")
    line.moveToEnd()
    line.deleteBackward()
    #expect(line.text == "ätempo ")
  }

  /// The part around the cursor stays visible.
  @Test func longLineShowsItsCursor() {
    var line = TypedLine("patch a-long-name")
    #expect(line.visible(columns: 30) == (":patch a-long-name", 0))
    #expect(line.visible(columns: 6) == ("g-name", 0))
    line.moveToBeginning()
    #expect(line.visible(columns: 6) == (":patch", 5))
  }

  @Test(arguments: [
    ("pear", "pear: no such command; did you mean peer?"), ("patch lsit", "lsit: no such command; did you mean list?"),
    ("measure netwrok ben", "netwrok: no such command; did you mean network?"),
  ])
  func misspeltCommandIsSuggested(line: String, message: String) {
    let error = #expect(throws: (any Error).self) {
      try Tutti.checkSubcommands(line.split(separator: " ").map(String.init))
    }
    #expect(error.map { "\($0)" } == message)
  }

  @Test(arguments: ["", "peer", "patch show stret", "--version", "help pear", "patch --help", "xylophone", "demo pear"])
  func otherArgumentsAreLeftToTheParser(line: String) throws {
    try Tutti.checkSubcommands(line.split(separator: " ").map(String.init))
  }

  @Test func wordsAndNamesAreCompleted() {
    let completion = CommandCompletion(players: ["Ada", "Adam", "Ben"])
    #expect(completion.complete("tot") == .line("total-activity "))
    #expect(completion.complete("total-activity m") == .candidates(["mean", "maximum"]))
    #expect(completion.complete("mute A") == .line("mute Ada"))
    #expect(completion.complete("mute Ada") == .candidates(["Ada", "Adam"]))
    #expect(completion.complete("mute B") == .line("mute Ben"))
    #expect(completion.complete("part g") == .line("part guitar"))
    #expect(completion.complete("nothing x") == .nothing)
  }

  @Test func helpNamesAllKeysAndCommands() {
    let help = KeyHelp.standard
    #expect(help.keys.first?.name == "space" && help.keys.last?.name == "q")
    #expect(help.commands.first?.name == "start, stop, continue" && help.commands.last?.name == "leave")
    #expect(help.entries(for: "tempo").count == 2)
    #expect(help.entries(for: "p").map(\.name) == ["p P"])
    #expect(help.entries(for: "no-such").isEmpty)
    #expect(help.commands.allSatisfy { !$0.text.isEmpty } && help.keys.allSatisfy { !$0.text.isEmpty })
  }

  @Test(arguments: [(39, 24), (79, 24), (119, 40), (20, 5)]) func pagesFitTheWindow(columns: Int, rows: Int) {
    let pages = KeyHelp.standard.pages(columns: columns, rows: rows)
    #expect(pages.allSatisfy { $0.count <= rows - 2 || rows < 6 })
    // Only the name of a command, such as `led-by PEER[,PEER]|anyone`, may be longer than a very narrow window.
    #expect(pages.joined().allSatisfy { $0.columns <= max(columns, 39) })
  }

  @Test func listKeepsTheMarkedRhythmVisible() throws {
    #expect(PatchChooser([], current: nil) == nil)
    var chooser = try #require(PatchChooser((1...50).map { "rhythm-\($0)" }, current: "rhythm-7"))
    #expect(chooser.chosen == "rhythm-7")
    for move in [1, -100, 100, -10] {
      chooser.move(by: move)
      let lines = chooser.lines(columns: 80, rows: 24)
      #expect(lines.count <= 22 && lines.contains { $0.hasPrefix("> \(chooser.chosen) ") })
    }
  }
}

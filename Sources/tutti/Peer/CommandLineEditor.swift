import Engine
import Realtime
import Rhythm
import Synchronization
import Text

/// Turns the octets of standard input into commands. On a terminal, each octet is a key of ``KeyBindings``, but a colon begins a command
/// line. Return runs the command line, and Escape discards it. Input from a pipe or a file consists of command lines only.
final class CommandLineEditor: @unchecked Sendable {
  // @unchecked Sendable: all calls are made on the dispatch queue of ``KeyboardInput``, except ``players`` and ``playing``, which have locks.

  /// The maximum length of a command line in octets.
  private static let maximumLength = 1024
  /// The number of command lines that the arrow keys bring back.
  private static let maximumHistory = 200
  /// Whether each octet outside a command line is a key. True if standard input and standard error are terminals.
  private let isTerminal: Bool
  /// Sends a command to the peer.
  private let post: (PlayerCommand) -> Void
  private let rhythms: PatchSelector
  private let instruments: PatchSelector
  private let pages: PageConnection
  private let terminal: Terminal

  /// What the keys do.
  private enum Mode {
    /// Each key is a command.
    case keys
    /// A command line is being typed.
    case line(TypedLine)
    /// The keys act too, but the help key shows the next page.
    case help([[String]], page: Int)
    case chooser(PatchChooser)
  }
  private var mode: Mode
  /// The octets of a character that has not arrived completely.
  private var incomplete: [UInt8] = []
  /// The lines that were typed, the newest last, and the one that the arrow keys show now; nil: the one that is being typed.
  private var history: [String] = []
  private var recalled: Int?
  private var draft = TypedLine()
  /// The tempo that the player taps with the key ``KeyBindings/tap``.
  private var taps = TapTempo()
  /// The names of all players, for the completion with Tab.
  private let players = Mutex<[String]>([])
  /// The names of the rhythm that plays, which may be that of another player: as the user has written it, and in its file.
  private let playing = Mutex<[String]>([])

  init(
    isTerminal: Bool, post: @escaping (PlayerCommand) -> Void, rhythms: PatchSelector, instruments: PatchSelector,
    pages: PageConnection, terminal: Terminal
  ) {
    (self.isTerminal, self.post, self.rhythms, self.instruments) = (isTerminal, post, rhythms, instruments)
    (self.pages, self.terminal) = (pages, terminal)
    mode = isTerminal ? .keys : .line(TypedLine())
  }

  /// Sets the names of the players that Tab completes. May be called on any thread.
  func setPlayers(_ names: [String]) { players.withLock { $0 = names } }

  /// Sets the names of the rhythm that plays, which the list of rhythms marks. May be called on any thread.
  func setRhythm(_ names: [String]) { playing.withLock { $0 = names } }

  /// Handles octets that arrived together. On a terminal, the escape sequences of keys without a character, such as function keys, have no
  /// effect, except those that edit the line.
  func read(_ octets: [UInt8]) {
    var rest = octets[...]
    while let key = rest.popFirst() {
      let length = isTerminal && key == EscapeSequence.escape ? EscapeSequence.length(after: rest) : 0
      if length > 0 {
        if let key = EscapeSequence.key(of: rest.prefix(length)) { press(key) }
        rest.removeFirst(length)
      } else {
        read(key)
      }
    }
  }

  /// Handles one octet.
  private func read(_ key: UInt8) {
    switch mode {
    case .line(let line): type(key, in: line)
    case .chooser(let chooser): choose(key, chooser)
    case .help(let pages, let page) where key == KeyBindings.help: show(pages, page: page + 1)
    case .help:
      show(.keys)
      if key != EscapeSequence.escape { command(key) }
    case .keys: command(key)
    }
  }

  /// Handles a key that is a command.
  private func command(_ key: UInt8) {
    switch key {
    case UInt8(ascii: ":"): show(.line(TypedLine()))
    case KeyBindings.help:
      show(KeyHelp.standard.pages(columns: terminal.size.columns - 1, rows: terminal.size.rows), page: 0)
    case KeyBindings.nextPatch: rhythms.selectNext()
    case KeyBindings.previousPatch: rhythms.selectNext(backwards: true)
    case KeyBindings.nextInstrument: instruments.selectNext()
    case KeyBindings.tap: if let tempo = taps.tap(at: MonotonicClock.now) { post(.setTempo(tempo)) }
    default: if let command = KeyBindings.command(for: key) { post(command) }
    }
  }

  // MARK: What is shown

  private func show(_ mode: Mode) {
    self.mode = mode
    switch mode {
    case .keys:
      terminal.showOverlay(nil)
      terminal.prompt(nil)
    case .line(let line): if isTerminal { terminal.prompt(line) }
    case .help(let pages, let page): terminal.showOverlay(pages[page])
    case .chooser(let chooser):
      let size = terminal.size
      terminal.showOverlay(chooser.lines(columns: size.columns, rows: size.rows))
    }
  }

  private func show(_ pages: [[String]], page: Int) {
    show(page < pages.count ? .help(pages, page: page) : .keys)
  }

  // MARK: The command line

  /// Handles one octet of a command line.
  private func type(_ key: UInt8, in line: TypedLine) {
    var line = line
    switch key {
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return end(line)
    case 0x7F, 0x08: line.deleteBackward()
    case EscapeSequence.escape: return discard()
    case UInt8(ascii: "\t") where isTerminal: return complete(line)
    default:
      // The octets of a character in UTF-8 can arrive one by one.
      incomplete.append(key)
      let text = String(decoding: incomplete, as: UTF8.self)
      if text.unicodeScalars.contains("\u{FFFD}"), incomplete.count < 4 { return }
      incomplete.removeAll()
      if line.text.utf8.count < Self.maximumLength { line.insert(text) }
    }
    recalled = nil
    show(.line(line))
  }

  private func end(_ line: TypedLine) {
    let text = line.text
    discard()
    guard text.contains(where: { !$0.isWhitespace }) else { return }
    if history.last != text { history.append(text) }
    if history.count > Self.maximumHistory { history.removeFirst() }
    execute(text)
  }

  private func discard() {
    incomplete.removeAll()
    recalled = nil
    show(isTerminal ? .keys : .line(TypedLine()))
  }

  private func complete(_ line: TypedLine) {
    switch CommandCompletion(players: players.withLock { $0 }).complete(line.head) {
    case .line(let text):
      var completed = TypedLine(text)
      completed.append(line)
      show(.line(completed))
    case .candidates(let names): terminal.printLine(names.joined(separator: "  "))
    case .nothing: break
    }
  }

  /// Handles a key without a character.
  private func press(_ key: EscapeSequence.Key) {
    switch mode {
    case .keys, .help: break
    case .chooser(var chooser):
      let page = PatchChooser.height(terminal.size.rows)
      switch key {
      case .up: chooser.move(by: -1)
      case .down: chooser.move(by: 1)
      case .pageUp: chooser.move(by: -page)
      case .pageDown: chooser.move(by: page)
      case .home: chooser.move(by: -chooser.index)
      case .end: chooser.move(by: Int(Int32.max))
      case .left, .right, .delete: break
      }
      show(.chooser(chooser))
    case .line(var line):
      switch key {
      case .left: line.moveLeft()
      case .right: line.moveRight()
      case .home: line.moveToBeginning()
      case .end: line.moveToEnd()
      case .delete: line.deleteForward()
      case .up: line = recall(older: true, than: line)
      case .down: line = recall(older: false, than: line)
      case .pageUp, .pageDown: break
      }
      show(.line(line))
    }
  }

  /// The line before or after the present one in the history. After the newest one comes the line that was being typed.
  private func recall(older: Bool, than line: TypedLine) -> TypedLine {
    let present = recalled ?? history.count
    let next = present + (older ? -1 : 1)
    guard next >= 0, next <= history.count else { return line }
    if recalled == nil { draft = line }
    recalled = next < history.count ? next : nil
    return next < history.count ? TypedLine(history[next]) : draft
  }

  // MARK: The list of rhythms

  private func choose(_ key: UInt8, _ chooser: PatchChooser) {
    var chooser = chooser
    switch key {
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
      show(.keys)
      rhythms.select(chooser.chosen)
    case EscapeSequence.escape, UInt8(ascii: "q"): show(.keys)
    case KeyBindings.nextPatch, KeyBindings.previousPatch:
      chooser.move(by: key == KeyBindings.nextPatch ? 1 : -1)
      show(.chooser(chooser))
    // The space bar starts and stops the rhythm while the list is open.
    default: command(key)
    }
  }

  // MARK: Execution

  /// Executes the command line `text`, or prints a syntax error.
  private func execute(_ text: String) {
    do {
      switch try Command(text: text) {
      case .player(let command): post(command)
      case .selectScore(nil): post(.score(nil))
      case .selectScore(let name?): post(.score(try ScoreOptions.choice(of: name)))
      case .selectRhythm(let name): rhythms.select(name)
      case .listRhythms: listRhythms()
      case .help(let word): help(word)
      case .selectInstrument(let name): instruments.select(name)
      case .saveRhythm(let name): post(.savePatch(to: try PatchLibrary.newPath(of: name)))
      case .calibrate:
        guard let console = pages.console else {
          return terminal.printLine("tutti: calibrate: this peer has no web page; start it with --http")
        }
        console.calibrate()
      // Only pages send this command.
      case .clicking: break
      }
    } catch {
      terminal.printLine("tutti: \(error)")
    }
  }

  private func listRhythms() {
    let names = PatchLibrary.names(of: .rhythm)
    let current = playing.withLock { $0 }.first(where: names.contains) ?? rhythms.current
    if isTerminal, terminal.isInteractive, let chooser = PatchChooser(names, current: current) {
      show(.chooser(chooser))
    } else {
      terminal.printLine(
        names.isEmpty ? "tutti: patch: no rhythms found; \(PatchLibrary.folderRemedy)" : names.joined(separator: "  "))
    }
  }

  /// Shows all keys and commands, or prints the commands that begin with `word`.
  private func help(_ word: String?) {
    let columns = terminal.size.columns - 1
    if let word {
      let entries = KeyHelp.standard.entries(for: word)
      guard !entries.isEmpty else {
        return terminal.printLine("tutti: help \(word.printable()): no such key or command; enter `help`")
      }
      return terminal.printLines(KeyHelp.lines(entries, columns: columns))
    }
    guard isTerminal, terminal.isInteractive else {
      return terminal.printLines(KeyHelp.lines(KeyHelp.standard.commands, columns: columns))
    }
    show(KeyHelp.standard.pages(columns: columns, rows: terminal.size.rows), page: 0)
  }
}

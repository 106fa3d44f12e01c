/// A simulated terminal with the functions that the program uses: printable characters, CR, LF, and the ECMA-48 sequences CUU
/// (cursor up), CUB (cursor left), ED and EL (erase to the end of the screen or line), and the alternate screen of xterm. A long line wraps.
/// A resize wraps all lines again.
struct TerminalScreen {
  private(set) var columns: Int
  /// The lines as they were written; a line may take several rows.
  private var lines: [[Character]] = [[]]
  /// The position of the cursor: the line, and the character in it.
  private var line = 0
  private var column = 0
  /// The part of an incomplete control sequence that has been written so far.
  private var pending = ""
  /// The screen and its cursor, while the alternate screen is visible.
  private var former: (lines: [[Character]], line: Int, column: Int)?

  /// Whether the alternate screen is visible.
  var isAlternate: Bool { former != nil }

  init(columns: Int) { self.columns = columns }

  /// The lines as they were written, without spaces at the ends.
  var text: [String] {
    lines.map { line in String(line.reversed().drop { $0 == " " }.reversed()) }
  }

  /// Changes the width and wraps all lines again. The cursor stays in its line.
  mutating func resize(columns: Int) { self.columns = columns }

  mutating func write(_ text: String) {
    for character in text {
      if !pending.isEmpty || character == "\u{1B}" {
        pending.append(character)
        if pending.count > 2, character.isLetter {
          execute(pending)
          pending = ""
        }
        continue
      }
      put(character)
    }
  }

  private mutating func put(_ character: Character) {
    switch character {
    case "\r\n":
      put("\r")
      put("\n")
    // CR moves to the beginning of the row, which is not the beginning of a line that has several rows.
    case "\r": column -= column % columns
    case "\n":
      line += 1
      column = 0
      if line == lines.count { lines.append([]) }
    default:
      while lines[line].count <= column { lines[line].append(" ") }
      lines[line][column] = character
      column += 1
    }
  }

  /// Executes `ESC [ number letter`.
  private mutating func execute(_ sequence: String) {
    let number = Int(sequence.dropFirst(2).dropLast()) ?? 0
    switch sequence.last {
    case "h" where sequence == "\u{1B}[?1049h":
      former = (lines, line, column)
      (lines, line, column) = ([[]], 0, 0)
    case "l" where sequence == "\u{1B}[?1049l":
      if let former { (lines, line, column) = former }
      former = nil
    case "D": column = max(0, column - max(1, number))
    case "A": for _ in 0..<max(1, number) { moveUp() }
    case "J":
      lines.removeSubrange((line + 1)...)
      lines[line].removeSubrange(min(column, lines[line].count)...)
    case "K": lines[line].removeSubrange(min(column, lines[line].count)...)
    default: break
    }
  }

  /// Moves the cursor up by one row.
  private mutating func moveUp() {
    if column >= columns {
      column -= columns
    } else if line > 0 {
      line -= 1
      // The last row of the line above.
      column = max(0, lines[line].count - 1) / columns * columns + column % columns
    }
  }
}

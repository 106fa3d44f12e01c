import Engine
import Text

/// The keys and the commands with their explanations, from the help of `tutti peer`, for the terminal of a running peer.
struct KeyHelp {
  /// A key or a command, and what it does.
  struct Entry: Equatable {
    var name: String
    var text: String
  }

  let keys: [Entry]
  let commands: [Entry]

  static let standard = KeyHelp(PeerCommand.discussion)

  /// Reads the sections KEYS and COMMANDS of a help text. An entry is indented by two spaces, its further lines more. The
  /// explanation begins after at least two spaces, or in the next line.
  init(_ help: String) {
    keys = Self.entries(of: "KEYS", in: help)
    commands = Self.entries(of: "COMMANDS", in: help)
  }

  private static func entries(of section: String, in help: String) -> [Entry] {
    let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
    let body = lines.drop { $0 != section }.dropFirst().prefix { !isTitle($0) }
    var entries: [Entry] = []
    for line in body where line.first == " " {
      let indent = line.prefix { $0 == " " }.count
      let words = line.drop { $0 == " " }
      guard indent <= 2 else {
        let space = entries.last?.text.isEmpty == true ? "" : " "
        if !entries.isEmpty { entries[entries.count - 1].text += space + words }
        continue
      }
      if let gap = words.firstRange(of: "  ") {
        entries.append(
          Entry(name: String(words[..<gap.lowerBound]), text: String(words[gap.upperBound...].drop { $0 == " " })))
      } else {
        entries.append(Entry(name: String(words), text: ""))
      }
    }
    return entries
  }

  /// Whether a line is the title of a section: capital letters only.
  private static func isTitle(_ line: Substring) -> Bool {
    !line.isEmpty && line.allSatisfy { $0.isUppercase || $0 == " " }
  }

  /// The commands one of whose forms begins with `word`; the keys if it is one character.
  func entries(for word: String) -> [Entry] {
    let found = commands.filter { entry in
      entry.name.split(separator: ",").contains { $0.split(separator: " ").first.map(String.init) == word }
    }
    return found + (word.count == 1 ? keys.filter { $0.name.split(separator: " ").contains { $0 == word } } : [])
  }

  /// The lines of entries on a terminal of this width: the name, and beside or below it the explanation.
  static func lines(_ entries: [Entry], columns: Int) -> [String] {
    let column = min(entries.map(\.name.columns).max() ?? 0, 28) + 2
    return entries.flatMap { entry -> [String] in
      let indent = String(repeating: " ", count: columns < 60 ? 4 : column)
      let text = (indent + entry.text).wrapped(toColumns: columns, indent: indent)
      let fitsBeside = entry.name.columns + 2 <= indent.columns
      guard fitsBeside, let first = text.first else { return [entry.name] + text }
      return [entry.name + first.dropFirst(entry.name.count)] + text.dropFirst()
    }
  }

  /// All entries in pages that fit a terminal of this size beside one status line. The last line of each page says how to go on.
  func pages(columns: Int, rows: Int) -> [[String]] {
    let height = max(1, rows - 4)
    let lines =
      Self.lines(keys, columns: columns) + ["", "Type a colon before a command:"]
      + Self.lines(commands, columns: columns)
    let count = (lines.count + height - 1) / height
    return (0..<count).map { page in
      let footer = page + 1 < count ? "? next page, Esc leaves" : "? or Esc leaves"
      return Array(lines[page * height..<min(lines.count, (page + 1) * height)]) + ["\(page + 1)/\(count)  \(footer)"]
    }
  }
}

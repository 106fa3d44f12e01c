/// The likely mistake behind an error of the YAML parser. The parser names its own state, such as "a simple key", and often reports the line
/// after the mistake.
struct TypingMistake {
  let position: TextPosition
  let reason: String
  let remedy: String

  /// Finds the mistake; nil if none is likely.
  ///
  /// - Parameters:
  ///   - problem: what the parser reports.
  ///   - number: the number of the line where the parser reports it. The mistake is there or above.
  ///   - lines: all lines of the text.
  init?(_ problem: String, upTo number: Int, in lines: [Substring]) {
    // The line that the parser reports, and the three lines with text above it, from the bottom to the top.
    let near = lines.indices.prefix(number).reversed().filter { Self.hasText(lines[$0]) }.prefix(4)
    guard let last = near.first else { return nil }
    if problem.contains("tab character"),
      let index = near.first(where: { Self.indentation(of: lines[$0]).contains("\t") })
    {
      self.init(index, lines, "begins with a tab", "write spaces instead of the tab")
    } else if let index = near.first(where: { Self.lacksColon(lines[$0]) }) {
      if Self.withoutComment(lines[index]).contains(":") {
        self.init(index, lines, "has no space after the colon", "write a space after it, such as `kick: X... X...`")
      } else {
        self.init(index, lines, "has no colon", "write a colon and a space after the name, such as `kick: X... X...`")
      }
    } else if problem.contains("mapping values are not allowed"), Self.colons(in: lines[last]) > 1 {
      self.init(last, lines, "has two colons", "write quotation marks around the text after the first colon")
    } else if problem.contains("mapping values are not allowed") || problem.contains("did not find expected key"),
      near.dropFirst().first.map({ Self.indentation(of: lines[$0]) != Self.indentation(of: lines[last]) }) == true
    {
      let remedy = "begin all lines of a layer in the same column, after the same number of spaces"
      self.init(last, lines, "is not indented like the line above", remedy)
    } else {
      return nil
    }
  }

  /// - Parameter index: the index of the line with the mistake.
  private init(_ index: Int, _ lines: [Substring], _ reason: String, _ remedy: String) {
    let column = Self.indentation(of: lines[index]).unicodeScalars.count + 1
    (position, self.reason, self.remedy) = (TextPosition(line: index + 1, column: column), reason, remedy)
  }

  /// Whether a line contains more than spaces and a comment.
  private static func hasText(_ line: Substring) -> Bool { line.first { !$0.isWhitespace }.map { $0 != "#" } == true }

  private static func indentation(of line: Substring) -> Substring { line.prefix { $0.isWhitespace } }

  /// Whether no colon of a line ends a name. A line of a list, or with brackets or quotation marks, is never said to lack one.
  private static func lacksColon(_ line: Substring) -> Bool {
    colons(in: line) == 0 && !line.contains { "[]{}\"'".contains($0) } && !line.drop { $0.isWhitespace }.hasPrefix("-")
      && !line.hasPrefix("...")
  }

  private static func withoutComment(_ line: Substring) -> Substring {
    line.firstRange(of: " #").map { line[..<$0.lowerBound] } ?? line
  }

  /// The number of colons that end a name: those before a space, and one at the end of the line. Those in a comment do not count.
  private static func colons(in line: Substring) -> Int {
    let scalars = Array(withoutComment(line).unicodeScalars)
    return scalars.indices.count {
      scalars[$0] == ":" && ($0 + 1 == scalars.count || scalars[$0 + 1] == " " || scalars[$0 + 1] == "\t")
    }
  }
}

import Text
import Yams

extension PatchReader {
  /// The largest number of `[` and `{` together in a text.
  static let maximumBrackets = 1_024
  /// The largest number of `?` in a text.
  static let maximumQuestionMarks = 16

  /// Parses `text`, which must contain one document. Returns its root, or nil after a fault.
  ///
  /// Yams hashes every key of a mapping with all nodes below it. Three features of YAML can make this work very large:
  ///
  /// - Aliases. With them, a few lines represent billions of nodes (the "billion laughs" attack). Aliases are rejected before
  ///   parsing.
  /// - Keys that are deeply nested collections. The number of brackets is limited.
  /// - Long keys. They are possible only after `?`; other keys have at most 1024 characters (YAML 1.2.2 section 7.4.3). The number
  ///   of question marks is limited.
  mutating func root(of text: String) -> Node? {
    // The caller may pass only the beginning of a file that is too long. The fault therefore does not state the length of the text.
    guard text.utf8.count <= PatchLoader.maximumBytes else {
      fault(at: .start, "", "has more than \(PatchLoader.maximumBytes) bytes", "write a shorter patch")
      return nil
    }
    // A byte order mark at the beginning of a file is not part of the text.
    let hasMark = text.unicodeScalars.first == "\u{FEFF}"
    let text = hasMark ? String(text.unicodeScalars.dropFirst()) : text
    self.text = text
    guard let forbidden = firstForbiddenConstruct(in: text) else { return compose(text) }
    fault(at: forbidden.position, "", forbidden.reason, forbidden.remedy)
    return nil
  }

  /// The first construct that must not reach the parser: an alias, or a bracket or question mark beyond the limit. Nil if there is
  /// none.
  private func firstForbiddenConstruct(in text: String) -> (position: TextPosition, reason: String, remedy: String)? {
    var (line, column, brackets, questions) = (1, 0, 0, 0)
    var anchors: Set<String> = []
    let octets = Array(text.utf8)
    for (index, octet) in octets.enumerated() {
      // The octets 80...BF continue a Unicode scalar.
      if octet & 0xC0 != 0x80 { column += 1 }
      switch octet {
      case UInt8(ascii: "\n"): (line, column) = (line + 1, 0)
      case UInt8(ascii: "["), UInt8(ascii: "{"): brackets += 1
      case UInt8(ascii: "?"): questions += 1
      case UInt8(ascii: "&"), UInt8(ascii: "*"):
        let name = String(decoding: octets[(index + 1)...].prefix { Self.isAnchorLetter($0) }, as: UTF8.self)
        if octet == UInt8(ascii: "&") {
          anchors.insert(name)
        } else if !name.isEmpty, anchors.contains(name) {
          // Only a `*` with an earlier anchor of the same name is an alias. Any other `*` is text, or a fault that the parser reports.
          let reason = "has the alias *\(name.printable()), which is not allowed"
          return (TextPosition(line: line, column: column), reason, "write its value instead")
        }
      default: break
      }
      if brackets > Self.maximumBrackets {
        let reason = "has more than \(Self.maximumBrackets) of the characters [ and {, including comments"
        return (TextPosition(line: line, column: column), reason, "write nested values on indented lines instead")
      }
      if questions > Self.maximumQuestionMarks {
        let reason = "has more than \(Self.maximumQuestionMarks) question marks, including comments"
        return (TextPosition(line: line, column: column), reason, "remove some of them")
      }
    }
    return nil
  }

  /// Whether libyaml accepts the character in the name of an anchor.
  private static func isAnchorLetter(_ octet: UInt8) -> Bool {
    switch Unicode.Scalar(octet) {
    case "0"..."9", "A"..."Z", "a"..."z", "_", "-": true
    default: false
    }
  }

  /// Parses the text. Returns its root, or nil after a fault.
  private mutating func compose(_ text: String) -> Node? {
    do {
      // The basic resolver returns every scalar as text; the reader of each field interprets it. The constructor would convert values, so
      // its maps are empty.
      let parser = try Parser(yaml: text, resolver: .basic, constructor: Constructor([:], [:], [:]), encoding: .utf8)
      if let root = try parser.singleRoot() { return root }
      fault(at: .start, "", "is empty", "write a patch: \(kind.requiredFields)")
    } catch let error as YamlError {
      fault(error, in: text)
    } catch {
      fault(at: .start, "", "cannot be read (\(error))", "check that the file is valid YAML")
    }
    return nil
  }

  /// Records the fault that the parser reports.
  private mutating func fault(_ error: YamlError, in text: String) {
    let remedy = "check indentation (spaces, no tabs), colons and quotes; a value that begins with | needs quotes"
    switch error {
    case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      if let mistake = TypingMistake(problem, upTo: mark.line, in: textLines) {
        return fault(at: mistake.position, "", mistake.reason, mistake.remedy)
      }
      // The construct in which the problem was found, for example "while parsing a block mapping".
      let construct =
        context.map { "\($0.text)\($0.mark.line < mark.line ? " that begins in line \($0.mark.line)" : ""), " } ?? ""
      let reason = construct + problem
      fault(
        at: TextPosition(mark), "", "is not valid YAML at column \(mark.column): \(reason.printable(upTo: 160))", remedy
      )
    case .duplicatedKeysInMapping(let names, let context):
      let duplicate = DuplicateName(names.first ?? "", at: TextPosition(context.mark), in: textLines)
      fault(at: duplicate.position, duplicate.name.printable(), duplicate.reason, duplicate.remedy)
    case .reader(let problem, let offset, _, _):
      let line = 1 + text.prefix(offset ?? 0).count { $0.isNewline }
      fault(
        at: TextPosition(line: line, column: 1), "", "has a character that YAML does not allow: \(problem)", "remove it"
      )
    case .no, .memory, .writer, .emitter, .representer, .dataCouldNotBeDecoded:
      fault(at: .start, "", "cannot be read", "check that the file is valid YAML")
    }
  }
}

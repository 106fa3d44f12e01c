import Yams

extension PatchReader {
  /// The largest numbers of `[` and `{`, and of `?`, in a text.
  static let maximumBrackets = 1_024
  static let maximumQuestionMarks = 16

  /// Parses `text`, which must contain one document. Returns its root, or nil after a fault.
  ///
  /// Yams hashes every key of a mapping with all nodes below it. Three features of YAML make this work explode:
  /// aliases, by which a few lines represent billions of nodes (the "billion laughs" attack); collections that are
  /// nested in keys many times; and long keys, which are possible only after `?` (other keys have at most 1024
  /// characters, YAML 1.2.2 section 7.4.3). Therefore aliases are rejected before parsing, and the numbers of brackets
  /// and question marks, of which a patch needs few, are limited.
  mutating func root(of text: String) -> Node? {
    let (bytes, most) = (text.utf8.count, PatchLoader.maximumBytes)
    guard bytes <= most else {
      fault(at: .start, "", "has \(bytes) bytes", "write a patch of at most \(most)")
      return nil
    }
    var scalars = text.unicodeScalars[...]
    if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
    let text = String(scalars)
    lastLine = 1 + text.count { $0.isNewline } - (text.last?.isNewline == true ? 1 : 0)
    guard let found = excess(in: text) else { return compose(text) }
    fault(at: found.place, "", found.reason, found.remedy)
    return nil
  }

  /// The first construct that must not reach the parser; nil if there is none.
  private func excess(in text: String) -> (place: Place, reason: String, remedy: String)? {
    var (line, column, brackets, questions) = (1, 0, 0, 0)
    var anchors: Set<String> = []
    let scalars = text.unicodeScalars
    for index in scalars.indices {
      column += 1
      switch scalars[index] {
      case "\n": (line, column) = (line + 1, 0)
      case "[", "{": brackets += 1
      case "?": questions += 1
      case let sign where sign == "&" || sign == "*":
        let name = String(scalars[scalars.index(after: index)...].prefix { $0.isAnchorLetter })
        if sign == "&" {
          anchors.insert(name)
        } else if !name.isEmpty, anchors.contains(name) {
          let reason = "has the alias *\(name.printable()), which is not allowed"
          return (Place(line: line, column: column), reason, "write its value instead")
        }
      default: break
      }
      if brackets > Self.maximumBrackets || questions > Self.maximumQuestionMarks {
        let reason = "has more than \(Self.maximumBrackets) brackets or \(Self.maximumQuestionMarks) question marks"
        return (Place(line: line, column: column), reason, "remove what the patch does not need")
      }
    }
    return nil
  }

  private mutating func compose(_ text: String) -> Node? {
    do {
      // The basic resolver returns every scalar as text; the reader of each field interprets it.
      let parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
      if let root = try parser.singleRoot() { return root }
      fault(at: .start, "", "is empty", "write a patch: name, description, meter, bars, tempo, kit and layers")
    } catch let error as YamlError {
      fault(error, in: text)
    } catch {
      fault(at: .start, "", "cannot be read (\(error))", "check that the file is valid YAML")
    }
    return nil
  }

  private mutating func fault(_ error: YamlError, in text: String) {
    let remedy = "check indentation (spaces, no tabs), colons and quotes; a value that begins with | needs quotes"
    switch error {
    case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      let began =
        context.map { "\($0.text)\($0.mark.line < mark.line ? " that begins in line \($0.mark.line)" : ""), " } ?? ""
      let reason = began + problem
      fault(at: Place(mark), "", "is not valid YAML at column \(mark.column): \(reason.printable(upTo: 160))", remedy)
    case .duplicatedKeysInMapping(let names, let context):
      fault(
        at: Place(context.mark), (names.first ?? "").printable(), "is defined more than once, first here",
        "keep one definition")
    case .reader(let problem, let offset, _, _):
      let line = 1 + text.prefix(offset ?? 0).count { $0.isNewline }
      fault(at: Place(line: line, column: 1), "", "has a character that YAML does not allow: \(problem)", "remove it")
    case .no, .memory, .writer, .emitter, .representer, .dataCouldNotBeDecoded:
      fault(at: .start, "", "cannot be read", "check that the file is valid YAML")
    }
  }
}

extension Unicode.Scalar {
  /// Whether libyaml accepts the character in the name of an anchor.
  fileprivate var isAnchorLetter: Bool {
    switch self {
    case "0"..."9", "A"..."Z", "a"..."z", "_", "-": true
    default: false
    }
  }
}

import Yams

extension PatchReader {
  /// The most `[` and `{`, and the most `?`, in a text.
  static let mostBrackets = 1_024
  static let mostQuestionMarks = 16

  /// The node of the one document in `text`, or nil and a fault.
  ///
  /// Yams hashes every key of a mapping with all that is below it. Three things in YAML make that explode: aliases,
  /// which let a few lines stand for billions of nodes (the "billion laughs"), collections nested in keys many times
  /// over, and long keys, which only `?` introduces (a key without it ends within 1024 characters, YAML 1.2.2 section
  /// 7.4.3). So aliases are refused before parsing, and brackets and question marks, of which a patch needs few, are
  /// counted.
  mutating func root(of text: String) -> Node? {
    let (bytes, most) = (text.utf8.count, PatchLoader.mostBytes)
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

  /// What must not reach the parser, if anything.
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
          let reason = "has the alias *\(name.printable()), which a patch may not"
          return (Place(line: line, column: column), reason, "write out what it stands for")
        }
      default: break
      }
      if brackets > Self.mostBrackets || questions > Self.mostQuestionMarks {
        let reason = "has more than \(Self.mostBrackets) brackets or \(Self.mostQuestionMarks) question marks"
        return (Place(line: line, column: column), reason, "remove what a patch does not need")
      }
    }
    return nil
  }

  private mutating func compose(_ text: String) -> Node? {
    do {
      // The basic resolver leaves every scalar a text: what a field means is decided where it is read.
      let parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
      if let root = try parser.singleRoot() { return root }
      fault(at: .start, "", "holds nothing", "write a patch: name, description, meter, bars, tempo, kit and layers")
    } catch let error as YamlError {
      fault(error, in: text)
    } catch {
      fault(at: .start, "", "cannot be read (\(error))", "check that it is YAML")
    }
    return nil
  }

  private mutating func fault(_ error: YamlError, in text: String) {
    let remedy = "check indentation (spaces, no tabs), colons and quotes; a value that begins with | needs quotes"
    switch error {
    case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      let began =
        context.map { "\($0.text)\($0.mark.line < mark.line ? " begun in line \($0.mark.line)" : ""), " } ?? ""
      let reason = began + problem
      fault(at: Place(mark), "", "is not YAML at column \(mark.column): \(reason.printable(upTo: 160))", remedy)
    case .duplicatedKeysInMapping(let names, let context):
      fault(
        at: Place(context.mark), (names.first ?? "").printable(), "stands more than once, here first",
        "keep one of them")
    case .reader(let problem, let offset, _, _):
      let line = 1 + text.prefix(offset ?? 0).count { $0.isNewline }
      fault(at: Place(line: line, column: 1), "", "has a character YAML does not allow: \(problem)", "remove it")
    case .no, .memory, .writer, .emitter, .representer, .dataCouldNotBeDecoded:
      fault(at: .start, "", "cannot be read", "check that it is YAML")
    }
  }
}

extension Unicode.Scalar {
  /// Whether libyaml takes it into the name of an anchor.
  fileprivate var isAnchorLetter: Bool {
    switch self {
    case "0"..."9", "A"..."Z", "a"..."z", "_", "-": true
    default: false
    }
  }
}

import Text
import Yams

/// Reads the nodes of a patch file and collects all faults. A reading function returns nil if a fault prevents a result. The
/// reading then continues with the next field, so that the user sees all faults at once.
struct PatchReader {
  /// The name of the file, for the descriptions of faults.
  let file: String
  /// What the file describes, for the remedies.
  let kind: PatchKind
  /// The faults found so far, at most ``PatchError/maximumFaults``.
  private(set) var faults: [PatchFault] = []
  /// The number of further faults.
  private var omitted = 0
  /// The faults of ``fault(at:_:_:_:ofKind:check:)`` by kind: their number, the index of the last one in ``faults``, and what to check.
  private var repeated: [String: (count: Int, last: Int, check: String)] = [:]
  /// The text of the file.
  var text = ""
  /// The lines of ``text``, which only a fault needs. Their number limits the reported line numbers, because the parser reports a fault at
  /// the end of the text with the number of the last line plus 1.
  var textLines: [Substring] {
    mutating get {
      if let foundLines { return foundLines }
      var lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
      if lines.last?.isEmpty == true { lines.removeLast() }
      foundLines = lines
      return lines
    }
  }
  private var foundLines: [Substring]?

  /// A field of a mapping, with an example of how to write it.
  struct Field {
    let name: String
    let example: String
    var isRequired = true
  }

  /// An entry of a mapping.
  struct Entry {
    let name: String
    let key: Node
    let value: Node
  }

  init(file: String, kind: PatchKind) { (self.file, self.kind) = (file.printable(upTo: 255), kind) }

  /// The faults as one error, in the order of the file.
  var error: PatchError {
    var faults = faults
    for (count, last, check) in repeated.values where count > Self.repeatsShown && faults.indices.contains(last) {
      let more = count - Self.repeatsShown
      faults[last].remedy += "; and \(more) more error\(more == 1 ? "" : "s") of this kind: \(check)"
    }
    return PatchError(faults: faults.sorted { ($0.line, $0.column) < ($1.line, $1.column) }, omitted: omitted)
  }

  /// How many faults of one kind are shown in full.
  private static let repeatsShown = 3

  /// Records a fault of `field`, the path of a field, or "" for the file as a whole. The reason is a predicate, such as "is
  /// empty". The remedy is an imperative, such as "write 1 to 40 characters".
  mutating func fault(at position: TextPosition, _ field: String, _ reason: String, _ remedy: String) {
    guard faults.count < PatchError.maximumFaults else {
      omitted += 1
      return
    }
    let line = min(position.line, max(1, textLines.count))
    faults.append(
      PatchFault(file: file, line: line, column: position.column, field: field, reason: reason, remedy: remedy))
  }

  /// Records a fault that one wrong field can cause in many lines. Of all faults of a kind, only the first three are recorded. The last of
  /// these states the number of the others, and what to check.
  mutating func fault(
    at position: TextPosition, _ field: String, _ reason: String, _ remedy: String, ofKind kind: String, check: String
  ) {
    var (count, last, _) = repeated[kind] ?? (0, -1, check)
    count += 1
    if count <= Self.repeatsShown {
      let index = faults.count
      fault(at: position, field, reason, remedy)
      last = faults.count > index ? index : -1
    }
    repeated[kind] = (count, last, check)
  }

  /// The question that suggests the names nearest to a misspelt one, followed by another remedy; nil if no name is near, or if no further
  /// fault will be shown, because the search takes time.
  func suggestion(for name: String, among names: some Sequence<String>, otherwise remedy: String) -> String? {
    guard faults.count < PatchError.maximumFaults else { return nil }
    return names.suggestion(for: name).map { "\($0) Otherwise \(remedy)" }
  }

  /// The path of the field `name` within `field`.
  func path(_ field: String, _ name: String) -> String {
    field.isEmpty ? name.printable() : "\(field).\(name.printable())"
  }

  /// Reads the entries of the mapping `node`, the value of `field`, in the order of the file. Every name must be unique. If
  /// the node is not a mapping, the fault has the given remedy.
  mutating func entries(of node: Node, _ field: String, remedy: String) -> [Entry]? {
    guard let mapping = node.mapping else {
      fault(at: node.position, field, "is \(kind(of: node)), not a mapping of names to values", remedy)
      return nil
    }
    var names = Set<String>(minimumCapacity: mapping.count)
    var entries: [Entry] = []
    entries.reserveCapacity(mapping.count)
    for (key, value) in mapping {
      guard let name = key.scalar?.string else {
        fault(at: key.position, field, "has \(kind(of: key)) instead of a name", remedy)
        continue
      }
      // Yams rejects duplicate names, unless a tag distinguishes them.
      guard names.insert(name).inserted else {
        fault(at: key.position, path(field, name), "is defined more than once", "keep one definition")
        continue
      }
      entries.append(Entry(name: name, key: key, value: value))
    }
    return entries
  }

  /// Reads the fields of the mapping `node`, the value of `field`, by name. `known` contains the allowed fields. An unknown
  /// field is a fault, and so is a missing required field.
  mutating func values(of node: Node, _ field: String, _ known: [Field]) -> [String: Node]? {
    let names = known.map(\.name).joined(separator: ", ")
    guard let entries = entries(of: node, field, remedy: "write the fields \(names)") else { return nil }
    var values: [String: Node] = [:]
    for entry in entries {
      if known.contains(where: { $0.name == entry.name }) {
        values[entry.name] = entry.value
      } else {
        let given = Set(entries.map(\.name))
        let missing = known.map(\.name).filter { !given.contains($0) }
        fault(
          at: entry.key.position, path(field, entry.name), "is an unknown field",
          suggestion(for: entry.name, among: missing, otherwise: "remove it")
            ?? "remove it, or write one of \(names)")
      }
    }
    for missing in known where missing.isRequired && values[missing.name] == nil {
      fault(at: node.position, path(field, missing.name), "is missing", "add it, such as \"\(missing.example)\"")
    }
    return values
  }

  /// Reads the text of a scalar, which must not be empty.
  mutating func scalar(_ node: Node, _ field: String, remedy: String) -> String? {
    guard let text = node.scalar?.string else {
      fault(at: node.position, field, "is \(kind(of: node)), not a single value", remedy)
      return nil
    }
    if text.isEmpty {
      fault(at: node.position, field, "is empty", remedy)
      return nil
    }
    return text
  }

  /// Reads the name of a patch: a text with 1...40 characters, which is cut to 48 octets as every name is.
  mutating func name(_ node: Node, _ field: String) -> String? {
    guard let text = text(node, field, maximumLength: 40) else { return nil }
    if let name = text.cleanName() { return name }
    fault(at: node.position, field, "has no visible character", "write 1 to 40 characters")
    return nil
  }

  /// Reads a text of one line with 1...`maximumLength` printable characters.
  mutating func text(_ node: Node, _ field: String, maximumLength: Int) -> String? {
    let remedy = "write 1 to \(maximumLength) characters"
    guard let text = scalar(node, field, remedy: remedy) else { return nil }
    if !text.dropFirst(maximumLength).isEmpty {
      fault(at: node.position, field, "has \(text.count) characters", remedy)
      return nil
    }
    guard text.unicodeScalars.allSatisfy({ $0.isPrintable }) else {
      fault(
        at: node.position, field, "has characters that are not printable (\(text.printable()))",
        "write plain text on one line")
      return nil
    }
    // One character can consist of any number of Unicode scalars, for example a letter with combining accents. The number
    // of scalars is therefore limited too, to four per character on average.
    let count = text.unicodeScalars.count
    guard count <= 4 * maximumLength else {
      fault(
        at: node.position, field, "has \(count) Unicode scalars, more than the limit of \(4 * maximumLength)",
        "write fewer combining accents")
      return nil
    }
    return text
  }

  /// Reads an integer within `range`.
  mutating func integer(_ node: Node, _ field: String, in range: ClosedRange<Int>) -> Int? {
    let remedy = "write a whole number from \(range.lowerBound) to \(range.upperBound)"
    guard let text = scalar(node, field, remedy: remedy) else { return nil }
    guard let number = Int(text) else {
      fault(at: node.position, field, "is \"\(text.printable())\", not a whole number in range", remedy)
      return nil
    }
    guard range.contains(number) else {
      fault(at: node.position, field, "is \(number), out of range", remedy)
      return nil
    }
    return number
  }

  /// Reads a single value, which `parse` converts.
  ///
  /// - Parameter kind: what the value must be. If `parse` returns nil, a fault reports that the value is not of this kind.
  mutating func value<Value>(
    _ node: Node, _ field: String, _ kind: String, remedy: String, parse: (String) -> Value?
  ) -> Value? {
    guard let text = scalar(node, field, remedy: remedy) else { return nil }
    if let value = parse(text) { return value }
    fault(at: node.position, field, "is \"\(text.printable())\", not \(kind)", remedy)
    return nil
  }

  /// Reads a percentage within `range`, such as `60%`.
  mutating func percent(_ node: Node, _ field: String, in range: ClosedRange<Int>) -> Int? {
    let remedy = "write a whole percentage from \(range.lowerBound)% to \(range.upperBound)%"
    return value(node, field, "a percentage in range", remedy: remedy) { text in
      guard text.hasSuffix("%"), let number = Int(text.dropLast().trimmed) else { return nil }
      return range.contains(number) ? number : nil
    }
  }

  /// Reads one of the values of an enumeration.
  mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ node: Node, _ field: String, of type: Choice.Type
  ) -> Choice? where Choice.RawValue == String {
    let remedy = "write " + type.allCases.map(\.rawValue).joined(separator: " or ")
    return value(node, field, "a known value", remedy: remedy) { Choice(rawValue: $0) }
  }

  /// The position in the file of the character at `index` of the scalar `node`, which has the value `text`. The result is exact for a
  /// scalar that is written on one line without escapes, with or without quotation marks. For any other scalar, the result is the position
  /// of its beginning.
  mutating func position(ofCharacter index: Int, in node: Node, _ text: String) -> TextPosition {
    let position = node.position
    guard (1...max(1, textLines.count)).contains(position.line), !textLines.isEmpty else { return position }
    let rest = textLines[position.line - 1].unicodeScalars.dropFirst(position.column - 1)
    let isQuoted = rest.first == "\"" || rest.first == "'"
    guard String(isQuoted ? rest.dropFirst() : rest).hasPrefix(text) else { return position }
    let scalars = text.prefix(index).unicodeScalars.count
    return TextPosition(line: position.line, column: position.column + scalars + (isQuoted ? 1 : 0))
  }

  /// Returns a number of things as text, such as "1 step" or "15 steps".
  static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  /// The kind of a node, as in "is a list".
  func kind(of node: Node) -> String {
    switch node {
    case .scalar(let scalar): scalar.string.isEmpty ? "empty" : "a single value"
    case .mapping: "a mapping of names to values"
    case .sequence: "a list"
    case .alias: "an alias"
    }
  }
}

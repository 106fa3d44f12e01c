import Yams

/// Walks the nodes of a patch file and writes down every fault on its way. What it returns is nil where the fault
/// leaves nothing to go on with; the walk goes on all the same, so that people see all faults at once.
struct PatchReader {
  let file: String
  private(set) var faults: [PatchFault] = []
  private var omitted = 0
  /// The last line of the text. The parser places the end of the text one line below it.
  var lastLine = 1

  /// A field of a mapping, and a line that shows how to write it.
  struct Field {
    let name: String
    let example: String
    var isRequired = true
  }

  /// A name and its value in a mapping.
  struct Entry {
    let name: String
    let key: Node
    let value: Node
  }

  init(file: String) { self.file = file.printable(upTo: 255) }

  /// The faults as one error, in the order of the file.
  var error: PatchError {
    PatchError(faults: faults.sorted { ($0.line, $0.column) < ($1.line, $1.column) }, omitted: omitted)
  }

  mutating func fault(at place: Place, _ field: String, _ reason: String, _ remedy: String) {
    guard faults.count < PatchError.mostFaults else {
      omitted += 1
      return
    }
    let line = place.line < lastLine ? place.line : lastLine
    faults.append(
      PatchFault(file: file, line: line, column: place.column, field: field, reason: reason, remedy: remedy))
  }

  /// The path of `name` within `field`.
  func path(_ field: String, _ name: String) -> String {
    field.isEmpty ? name.printable() : "\(field).\(name.printable())"
  }

  /// The entries of a mapping in the order of the file, each name once.
  mutating func entries(of node: Node, _ field: String, remedy: String) -> [Entry]? {
    guard let mapping = node.mapping else {
      fault(at: node.place, field, "is \(kind(of: node)), not a list of names and values", remedy)
      return nil
    }
    var names: Set<String> = []
    var entries: [Entry] = []
    for (key, value) in mapping {
      guard let name = key.scalar?.string else {
        fault(at: key.place, field, "has \(kind(of: key)) where a name should stand", remedy)
        continue
      }
      // Yams finds a name that stands twice, unless a tag sets the two apart.
      guard names.insert(name).inserted else {
        fault(at: key.place, path(field, name), "stands more than once", "keep one of them")
        continue
      }
      entries.append(Entry(name: name, key: key, value: value))
    }
    return entries
  }

  /// The values of the known fields of a mapping. Others are faults, and so are the required ones that are not there.
  mutating func values(of node: Node, _ field: String, _ known: [Field]) -> [String: Node]? {
    let names = known.map(\.name).joined(separator: ", ")
    guard let entries = entries(of: node, field, remedy: "write the fields \(names)") else { return nil }
    var values: [String: Node] = [:]
    for entry in entries {
      if known.contains(where: { $0.name == entry.name }) {
        values[entry.name] = entry.value
      } else {
        fault(
          at: entry.key.place, path(field, entry.name), "is not a field known here",
          "remove it, or write one of \(names)")
      }
    }
    for missing in known where missing.isRequired && values[missing.name] == nil {
      fault(at: node.place, path(field, missing.name), "is missing", "add it, such as \"\(missing.example)\"")
    }
    return values
  }

  /// The text of a scalar that is not empty.
  mutating func scalar(_ node: Node, _ field: String, remedy: String) -> String? {
    guard let text = node.scalar?.string else {
      fault(at: node.place, field, "is \(kind(of: node)), not one value", remedy)
      return nil
    }
    if text.isEmpty {
      fault(at: node.place, field, "is empty", remedy)
      return nil
    }
    return text
  }

  /// A text for people, of one line: 1...`most` characters that show.
  mutating func text(_ node: Node, _ field: String, most: Int) -> String? {
    let remedy = "write 1 to \(most) characters"
    guard let text = scalar(node, field, remedy: remedy) else { return nil }
    if !text.dropFirst(most).isEmpty {
      fault(at: node.place, field, "has \(text.count) characters", remedy)
      return nil
    }
    // A letter can carry any number of accents.
    guard text.unicodeScalars.count <= 4 * most, text.unicodeScalars.allSatisfy(\.isPrintable) else {
      fault(
        at: node.place, field, "has characters that do not show (\(text.printable()))", "write plain text on one line")
      return nil
    }
    return text
  }

  /// A whole number within `range`.
  mutating func integer(_ node: Node, _ field: String, in range: ClosedRange<Int>) -> Int? {
    let remedy = "write a whole number from \(range.lowerBound) to \(range.upperBound)"
    guard let text = scalar(node, field, remedy: remedy) else { return nil }
    guard let number = Int(text) else {
      fault(at: node.place, field, "is \"\(text.printable())\", not a whole number in range", remedy)
      return nil
    }
    guard range.contains(number) else {
      fault(at: node.place, field, "is \(number), out of range", remedy)
      return nil
    }
    return number
  }

  func kind(of node: Node) -> String {
    switch node {
    case .scalar(let scalar): scalar.string.isEmpty ? "empty" : "one value"
    case .mapping: "a list of names and values"
    case .sequence: "a list"
    case .alias: "an alias"
    }
  }
}

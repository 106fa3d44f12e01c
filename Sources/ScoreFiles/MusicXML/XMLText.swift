import Scores

/// Appends elements to the text of an XML document, indented by one space per level.
struct XMLText {
  private(set) var octets: [UInt8] = Array(#"<?xml version="1.0" encoding="UTF-8"?>"#.utf8) + [0x0A]
  private var names: [StaticString] = []

  typealias Attributes = KeyValuePairs<StaticString, String>

  /// Begins an element with children.
  mutating func open(_ name: StaticString, _ attributes: Attributes = [:]) {
    begin(name, attributes, ">")
    octets.append(0x0A)
    names.append(name)
  }

  /// Ends the element that was begun last.
  mutating func close() {
    let name = names.removeLast()
    indent()
    add("</")
    add(name)
    add(">\n")
  }

  /// Writes an element with a text.
  mutating func element(_ name: StaticString, _ text: String, _ attributes: Attributes = [:]) {
    begin(name, attributes, ">")
    escape(text)
    add("</")
    add(name)
    add(">\n")
  }

  mutating func element(_ name: StaticString, _ number: some BinaryInteger) { element(name, "\(number)") }

  /// Writes an element without content.
  mutating func empty(_ name: StaticString, _ attributes: Attributes = [:]) {
    begin(name, attributes, "/>")
    octets.append(0x0A)
  }

  /// Writes an element without content whose name comes from a table.
  mutating func empty(named name: String) {
    indent()
    add("<")
    octets.append(contentsOf: name.utf8)
    add("/>\n")
  }

  private mutating func begin(_ name: StaticString, _ attributes: Attributes, _ end: StaticString) {
    indent()
    add("<")
    add(name)
    for (name, value) in attributes {
      add(" ")
      add(name)
      add("=\"")
      escape(value)
      add("\"")
    }
    add(end)
  }

  private mutating func indent() { for _ in names { octets.append(0x20) } }

  private mutating func add(_ text: StaticString) {
    octets.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func escape(_ text: String) {
    for octet in text.utf8 {
      switch octet {
      case 0x26: add("&amp;")
      case 0x3C: add("&lt;")
      case 0x3E: add("&gt;")
      case 0x22: add("&quot;")
      default: octets.append(octet)
      }
    }
  }
}

/// `value` thousandths as a decimal number: `96.5` for 96 500.
func decimalText(_ value: Int, per scale: Int) -> String {
  let (whole, rest) = abs(value).quotientAndRemainder(dividingBy: scale)
  let sign = value < 0 ? "-" : ""
  if rest == 0 { return "\(sign)\(whole)" }
  var digits = String(String(rest + scale).dropFirst())
  while digits.last == "0" { digits.removeLast() }
  return "\(sign)\(whole).\(digits)"
}

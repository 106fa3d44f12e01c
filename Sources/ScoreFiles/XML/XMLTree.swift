import Scores

/// One element with its descendants, such as a note. The reader takes a file apart into such elements, so that its memory does not grow
/// with the file. The tree lies in four arrays, which keep their memory from one element to the next.
struct XMLTree {
  /// The place of an element in the tree. The element itself is 0.
  typealias Index = Int32

  /// The elements of one tree.
  static let maximumNodes = 100_000
  /// The attributes of one element.
  static let maximumAttributes = 64
  /// The octets of the texts and attributes of one tree.
  static let maximumOctets = 4 << 20

  struct Node {
    var name: UInt16
    /// Whether the reader has used the element. Elements that it has not used are listed for the user.
    var isUsed = false
    var firstChild: Index = -1
    var lastChild: Index = -1
    var next: Index = -1
    var attributes: Range<Int32>
    var text: Range<Int32> = 0..<0
  }

  struct Attribute {
    var name: UInt16
    var value: Range<Int32>
  }

  /// The names of the elements and attributes of the whole file.
  private(set) var names = NameTable.start
  private(set) var nodes: [Node] = []
  private var attributes: [Attribute] = []
  private var octets: [UInt8] = []
  /// The place of the element in the file in octets.
  private(set) var offset = 0
  /// The open elements.
  private var open: [Index] = []

  // MARK: Building

  mutating func begin(offset: Int) {
    nodes.removeAll(keepingCapacity: true)
    attributes.removeAll(keepingCapacity: true)
    octets.removeAll(keepingCapacity: true)
    open.removeAll(keepingCapacity: true)
    self.offset = offset
  }

  /// The reason why an element is not added.
  enum Refusal: Error { case names, attributes, nodes, octets }

  /// Adds an element with its attributes, a list of names and values that ends with nil, to the open element, and opens it.
  ///
  /// The pointers are expat's. Each ends with a zero, and is valid during the callback that passes it.
  ///
  /// - Returns: the number of its name.
  mutating func open(
    _ name: UnsafePointer<CChar>, _ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) throws(Refusal) -> UInt16 {
    guard let number = withOctets(name, { names.number($0) }) else { throw .names }
    guard nodes.count < Self.maximumNodes else { throw .nodes }
    let index = Index(nodes.count)
    if let parent = open.last.map(Int.init) {
      if nodes[parent].lastChild < 0 {
        nodes[parent].firstChild = index
      } else {
        nodes[Int(nodes[parent].lastChild)].next = index
      }
      nodes[parent].lastChild = index
    }
    let first = Int32(attributes.count)
    var place = 0
    while let name = list?[place], let value = list?[place + 1] {
      guard place < 2 * Self.maximumAttributes, let attribute = withOctets(name, { names.number($0) }) else {
        throw .attributes
      }
      let start = Int32(octets.count)
      withOctets(value) { octets.append(contentsOf: $0) }
      attributes.append(Attribute(name: attribute, value: start..<Int32(octets.count)))
      place += 2
    }
    nodes.append(Node(name: number, attributes: first..<Int32(attributes.count)))
    open.append(index)
    guard octets.count <= Self.maximumOctets else { throw .octets }
    return number
  }

  /// Adds to the text of the open element. Text after a child is not part of MusicXML and is left out.
  mutating func add(text: UnsafeBufferPointer<UInt8>) throws(Refusal) {
    guard let index = open.last.map(Int.init), nodes[index].lastChild < 0 else { return }
    let isFirst = nodes[index].text.isEmpty
    if isFirst, text.allSatisfy(isSpace) { return }
    guard octets.count + text.count <= Self.maximumOctets else { throw .octets }
    let start = isFirst ? Int32(octets.count) : nodes[index].text.lowerBound
    octets.append(contentsOf: text)
    nodes[index].text = start..<Int32(octets.count)
  }

  /// Closes the open element. Returns whether the whole tree is complete.
  mutating func close() -> Bool {
    open.removeLast()
    return open.isEmpty
  }

  // MARK: Reading

  func name(_ index: Index) -> XMLName? { XMLName(rawValue: nodes[Int(index)].name) }

  /// The children of an element, without marking them as used.
  func children(_ index: Index) -> [Index] {
    var list: [Index] = []
    var child = nodes[Int(index)].firstChild
    while child >= 0 {
      list.append(child)
      child = nodes[Int(child)].next
    }
    return list
  }

  func firstChild(_ index: Index) -> Index? {
    let child = nodes[Int(index)].firstChild
    return child >= 0 ? child : nil
  }

  func next(_ index: Index) -> Index? {
    let next = nodes[Int(index)].next
    return next >= 0 ? next : nil
  }

  mutating func use(_ index: Index) { nodes[Int(index)].isUsed = true }

  /// The first child with a name, which becomes used.
  mutating func child(_ index: Index, _ name: XMLName) -> Index? {
    var child = nodes[Int(index)].firstChild
    while child >= 0 {
      if nodes[Int(child)].name == name.rawValue {
        nodes[Int(child)].isUsed = true
        return child
      }
      child = nodes[Int(child)].next
    }
    return nil
  }

  /// The value of an attribute.
  func attribute(_ index: Index, _ name: XMLName) -> String? {
    for attribute in nodes[Int(index)].attributes where attributes[Int(attribute)].name == name.rawValue {
      return string(attributes[Int(attribute)].value)
    }
    return nil
  }

  func has(_ index: Index, _ name: XMLName, _ value: StaticString) -> Bool {
    for attribute in nodes[Int(index)].attributes where attributes[Int(attribute)].name == name.rawValue {
      return octets[indices(attributes[Int(attribute)].value)].elementsEqual(
        UnsafeBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount))
    }
    return false
  }

  /// The text of an element without spaces at its ends.
  func text(_ index: Index) -> String { string(nodes[Int(index)].text) }

  /// The text of the first child with a name, which becomes used.
  mutating func text(_ index: Index, _ name: XMLName) -> String? {
    guard let child = child(index, name) else { return nil }
    return text(child)
  }

  /// The text of an element as an exact number; nil if it is not a decimal number.
  func number(_ index: Index) -> Fraction? { decimal(octets[trimmed(nodes[Int(index)].text)]) }

  mutating func number(_ index: Index, _ name: XMLName) -> Fraction? {
    guard let child = child(index, name) else { return nil }
    return number(child)
  }

  /// The text of the first child with a name as an integer; nil if it is no integer of at most nine digits.
  mutating func integer(_ index: Index, _ name: XMLName) -> Int? {
    guard let number = number(index, name), number.denominator == 1, abs(number.numerator) < 1_000_000_000 else {
      return nil
    }
    return Int(number.numerator)
  }

  func number(_ index: Index, attribute name: XMLName) -> Fraction? {
    for attribute in nodes[Int(index)].attributes where attributes[Int(attribute)].name == name.rawValue {
      return decimal(octets[trimmed(attributes[Int(attribute)].value)])
    }
    return nil
  }

  private func indices(_ range: Range<Int32>) -> Range<Int> { Int(range.lowerBound)..<Int(range.upperBound) }

  private func trimmed(_ range: Range<Int32>) -> Range<Int> {
    var range = indices(range)
    while !range.isEmpty, isSpace(octets[range.lowerBound]) { range = range.lowerBound + 1..<range.upperBound }
    while !range.isEmpty, isSpace(octets[range.upperBound - 1]) { range = range.lowerBound..<range.upperBound - 1 }
    return range
  }

  private func string(_ range: Range<Int32>) -> String { String(decoding: octets[trimmed(range)], as: UTF8.self) }
}

/// Passes the octets of a C string to `body`.
private func withOctets<Result>(_ text: UnsafePointer<CChar>, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result
{
  var count = 0
  while text[count] != 0 { count += 1 }
  return text.withMemoryRebound(to: UInt8.self, capacity: count) { body(UnsafeBufferPointer(start: $0, count: count)) }
}

private func isSpace(_ octet: UInt8) -> Bool { octet == 0x20 || octet == 0x0A || octet == 0x09 || octet == 0x0D }

/// The number that `text` writes in decimal digits, with a sign and up to nine decimals; nil if it is none, or if it has more than 12
/// digits before the point.
func decimal(_ text: some Collection<UInt8>) -> Fraction? {
  var (value, scale, digits): (Int64, Int64, Int) = (0, 1, 0)
  var (isNegative, isAfterPoint, isFirst) = (false, false, true)
  for octet in text {
    switch octet {
    case 0x2B where isFirst: break
    case 0x2D where isFirst: isNegative = true
    case 0x2E where !isAfterPoint: isAfterPoint = true
    case 0x30...0x39:
      if isAfterPoint {
        // Further decimals are below a billionth.
        guard scale < 1_000_000_000, value < 1_000_000_000_000 else { break }
        scale *= 10
      } else {
        guard value < 100_000_000_000 else { return nil }
      }
      value = value * 10 + Int64(octet - 0x30)
      digits += 1
    default: return nil
    }
    isFirst = false
  }
  return digits > 0 ? Fraction(isNegative ? -value : value, scale) : nil
}

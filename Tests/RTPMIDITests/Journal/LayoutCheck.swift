import BasicContainers
import Testing

typealias ReadLayout<Layout> = (borrowing Span<UInt8>, inout Int, Int) -> Layout?
typealias AppendLayout<Layout> = (Layout, inout RigidArray<UInt8>) -> Bool

/// Checks that `layout` corresponds to the handwritten octets of `dump`: reading within other octets gives `layout`,
/// reading fails if one octet is missing, and writing gives `dump` if there is exactly enough room.
func check<Layout: Equatable>(
  _ layout: Layout, _ dump: String, _ read: ReadLayout<Layout>, _ append: AppendLayout<Layout>,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let body = hex(dump)
  let packet = [0xFF] + body + [0xFF]
  var position = 1
  let whole = read(packet.span, &position, body.count + 1)
  #expect(whole == layout && position == body.count + 1, sourceLocation: sourceLocation)
  for end in 1...body.count {
    position = 1
    let cut = read(packet.span, &position, end)
    #expect(cut == nil && position == 1, "\(end - 1) octets", sourceLocation: sourceLocation)
  }
  #expect(octets(capacity: body.count) { _ = append(layout, &$0) } == body, sourceLocation: sourceLocation)
  for capacity in 0..<body.count {
    var isWritten = true
    let written = octets(capacity: capacity) { isWritten = append(layout, &$0) }
    #expect(!isWritten && written == [], "room for \(capacity)", sourceLocation: sourceLocation)
  }
}

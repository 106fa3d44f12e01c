import BasicContainers
import Testing
import _TestSupport

/// Reads a layout from a packet. The arguments are the packet, the position of the layout, which advances, and the end of the readable
/// octets. Returns nil on failure.
typealias ReadLayout<Layout> = (borrowing Span<UInt8>, inout Int, Int) -> Layout?
/// Appends a layout to a packet. Returns false if there is no room.
typealias AppendLayout<Layout> = (Layout, inout RigidArray<UInt8>) -> Bool

/// Expects that `layout` is encoded as `octets`, which are handwritten in hexadecimal. `read` must return the layout if other octets
/// precede and follow it, and must return nil if octets are missing at its end. `append` must write the octets, or return false and
/// write nothing if there is less room.
func expectLayout<Layout: Equatable>(
  of layout: Layout, octets dump: String, read: ReadLayout<Layout>, append: AppendLayout<Layout>,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let body = hex(dump)
  let packet = [0xFF] + body + [0xFF]
  var position = 1
  let whole = read(packet.span, &position, body.count + 1)
  #expect(whole == layout && position == body.count + 1, sourceLocation: sourceLocation)
  for end in 1...body.count {
    position = 1
    let truncated = read(packet.span, &position, end)
    #expect(truncated == nil && position == 1, "read from \(end - 1) octets", sourceLocation: sourceLocation)
  }
  #expect(octets(capacity: body.count) { _ = append(layout, &$0) } == body, sourceLocation: sourceLocation)
  for capacity in 0..<body.count {
    var isWritten = true
    let written = octets(capacity: capacity) { isWritten = append(layout, &$0) }
    #expect(!isWritten && written == [], "append with room for \(capacity)", sourceLocation: sourceLocation)
  }
}

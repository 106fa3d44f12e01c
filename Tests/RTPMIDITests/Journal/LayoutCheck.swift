import BasicContainers
import Testing
import _TestSupport

/// Reads a layout from a packet. The arguments are the packet, the position of the layout, which advances, and the end of the readable
/// octets. Returns nil on failure.
typealias ReadLayout<Layout> = (borrowing Span<UInt8>, inout Int, Int) -> Layout?
/// Appends a layout to a packet. Throws an error if there is no room.
typealias AppendLayout<Layout> = (Layout, inout RigidArray<UInt8>) throws -> Void

/// The octets that `write` appends to an empty packet with room for `capacity` octets; nil if it throws an error.
func written(capacity: Int = 1472, _ write: (inout RigidArray<UInt8>) throws -> Void) -> [UInt8]? {
  var isWritten = true
  let result = octets(capacity: capacity) { packet in
    do { try write(&packet) } catch { isWritten = false }
  }
  return isWritten ? result : nil
}

/// Expects that `layout` is encoded as `octets`, which are handwritten in hexadecimal. `read` must return the layout if other octets
/// precede and follow it, and must return nil if octets are missing at its end. `append` must write the octets, or throw an error if
/// there is less room.
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
    #expect(truncated == nil, "read from \(end - 1) octets", sourceLocation: sourceLocation)
  }
  #expect(written(capacity: body.count) { try append(layout, &$0) } == body, sourceLocation: sourceLocation)
  for capacity in 0..<body.count {
    let octets = written(capacity: capacity) { try append(layout, &$0) }
    #expect(octets == nil, "append with room for \(capacity)", sourceLocation: sourceLocation)
  }
}

import MusicalTime
import NIOCore

/// The header of a frame: version, kind, two octets of zero, sequence number (UInt32), instant (Int64, nanoseconds of the sender's
/// clock). All numbers are big-endian. The payload follows.
struct Frame: Equatable {
  static let version: UInt8 = 1
  /// The length of the header in octets.
  static let headerLength = 16
  /// The maximum length of a frame from a page in octets.
  static let maximumLength = 2048

  var kind: FrameKind
  /// The number of the frame on its connection.
  var sequence: UInt32
  var at: Instant
  var payload: ByteBuffer

  init(_ kind: FrameKind, sequence: UInt32, at: Instant, payload: ByteBuffer) {
    (self.kind, self.sequence, self.at, self.payload) = (kind, sequence, at, payload)
  }

  /// Decodes a frame; nil if it is malformed, or if its version or kind is unknown.
  init?(_ octets: ByteBuffer) {
    var octets = octets
    guard octets.readableBytes <= Self.maximumLength,
      let (version, kind, _, sequence, at) = octets.readMultipleIntegers(
        as: (UInt8, UInt8, UInt16, UInt32, Int64).self), version == Self.version, let kind = FrameKind(rawValue: kind)
    else { return nil }
    (self.kind, self.sequence, self.at, payload) = (kind, sequence, Instant(nanoseconds: at), octets)
  }

  /// The octets of the frame.
  var encoded: ByteBuffer {
    var octets = ByteBuffer()
    octets.reserveCapacity(Self.headerLength + payload.readableBytes)
    octets.writeMultipleIntegers(Self.version, kind.rawValue, UInt16(0), sequence, at.nanoseconds)
    octets.writeImmutableBuffer(payload)
    return octets
  }
}

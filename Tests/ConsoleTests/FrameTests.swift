import MusicalTime
import NIOCore
import Testing

@testable import Console

/// Tests of ``Frame``, a message between a page and its peer.
@Suite struct FrameTests {
  @Test func decodingReversesEncoding() {
    let frame = Frame(
      .clockRequest, sequence: 7, at: Instant(nanoseconds: -123_456_789), payload: ByteBuffer(bytes: [1, 2, 3]))
    #expect(Frame(frame.encoded) == frame)
  }

  @Test func headerHasSixteenOctetsInNetworkOrder() {
    let frame = Frame(.activity, sequence: 0x0102_0304, at: Instant(nanoseconds: 5), payload: ByteBuffer(bytes: [64]))
    // Version 1, kind 130 (activity), two octets of zero, the sequence number, the instant, and the payload.
    #expect(
      Array(frame.encoded.readableBytesView) == [1, 130, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 5, 64])
  }

  @Test func malformedFramesAreRejected() {
    let valid = Array(
      Frame(.activity, sequence: 1, at: Instant(nanoseconds: 1), payload: ByteBuffer()).encoded.readableBytesView)
    #expect(Frame(ByteBuffer(bytes: valid)) != nil)
    for length in 0..<Frame.headerLength { #expect(Frame(ByteBuffer(bytes: valid.prefix(length))) == nil) }
    #expect(Frame(ByteBuffer(bytes: [2] + valid.dropFirst())) == nil, "unknown version")
    #expect(Frame(ByteBuffer(bytes: [1, 99] + valid.dropFirst(2))) == nil, "unknown kind")
    let long = valid + [UInt8](repeating: 0, count: Frame.maximumLength)
    #expect(Frame(ByteBuffer(bytes: long)) == nil, "too long")
  }
}

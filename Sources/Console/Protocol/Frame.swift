import MusicalTime
import NIOCore

/// A message between a page and its peer: a header and a payload. The header consists of the version, the kind, two octets of zero, the
/// sequence number (UInt32) and the instant (Int64). All numbers are big-endian.
struct Frame: Equatable {
  /// The version of the protocol.
  static let version: UInt8 = 1
  /// The length of the header in octets.
  static let headerLength = 16
  /// The maximum length in octets of a frame from a page, with its header.
  static let maximumLength = 2048

  var kind: FrameKind
  /// The number of the frame. Each sender increases it by one with each frame.
  var sequence: UInt32
  /// The instant in the header, by the clock of the sender.
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

  /// The frame as octets.
  var encoded: ByteBuffer {
    var octets = ByteBuffer()
    octets.reserveCapacity(Self.headerLength + payload.readableBytes)
    octets.writeMultipleIntegers(Self.version, kind.rawValue, UInt16(0), sequence, at.nanoseconds)
    octets.writeImmutableBuffer(payload)
    return octets
  }
}

/// The kinds of frames. <doc:Protocol> describes their payloads.
enum FrameKind: UInt8, CaseIterable {
  // From the peer to the page. `partners` contains the keys that remote players hold, and the controllers that they can set (see
  // ``PlayedMessages``). `notes` contains what other players have just played. `alternatives` lists the peers to which the page moves if
  // its own peer disappears. `score` describes the score on the music stand, and `route` says which bar of it sounds when. In a
  // calibration, `clicks` asks the page to click, and `delay` contains the result.
  case welcome = 1
  case rhythm, levels, ensemble, patch, sounds, library, notices, calibration, partners, alternatives, notes, score,
    route
  case clockReply = 16
  case clicks, delay
  // From the page to the peer. `output` reports the time from the sending of a change of the rhythm by the peer until the page sounds the
  // change.
  case clockRequest = 128
  case command, activity, output

  /// The kinds that contain a part of the state of the peer. A frame of such a kind replaces the earlier frame of the same kind.
  static let state: [FrameKind] = [
    .rhythm, .levels, .ensemble, .patch, .sounds, .library, .notices, .calibration, .partners, .alternatives, .score,
    .route,
  ]
}

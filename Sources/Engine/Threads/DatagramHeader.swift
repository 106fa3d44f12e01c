import BasicContainers
import RTPMIDI

/// The kind of a datagram and the SSRC of its sender, from the first octets. Any octets have a kind, because the octets may be
/// random. The endpoint decides later whether the datagram is valid.
struct DatagramHeader: BitwiseCopyable {
  enum Kind: BitwiseCopyable {
    /// IN, OK, NO, BY: FF FF and two letters.
    case session
    /// CK, RS, a clock probe, or an unknown command: also FF FF and two letters.
    case clock
    /// RTP, or anything else.
    case stream

    /// 0, 1 or 2. A raw value is not permitted in real-time code.
    var index: Int {
      @_noLocks @_noAllocation get {
        switch self {
        case .session: 0
        case .clock: 1
        case .stream: 2
        }
      }
    }
  }

  let kind: Kind
  /// 0 if the datagram is too short.
  let ssrc: UInt32

  /// Reads a datagram, of which `octets` are the first ones.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  init(_ octets: borrowing RigidArray<UInt8>) {
    let offset: Int
    if octets.count >= 4, octets.uint16(at: 0) == 0xFFFF {
      switch octets.uint16(at: 2) {
      case 0x494E, 0x4F4B, 0x4E4F: (kind, offset) = (.session, 12)
      // A BY may lack the token.
      case 0x4259: (kind, offset) = (.session, octets.count >= 16 ? 12 : 8)
      // TU, a clock probe.
      case 0x5455: (kind, offset) = (.clock, 8)
      default: (kind, offset) = (.clock, 4)
      }
    } else {
      (kind, offset) = (.stream, 8)
    }
    ssrc = octets.count >= offset + 4 ? octets.uint32(at: offset) : 0
  }
}

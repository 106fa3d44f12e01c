import RTPMIDI

/// The kind of a datagram and the SSRC of its sender, from the first octets. Even a datagram with random content has a
/// kind. The endpoint decides later whether the datagram is valid.
public struct DatagramHeader: Sendable, BitwiseCopyable {
  public enum Kind: Sendable, BitwiseCopyable {
    /// The AppleMIDI session commands IN, OK, NO and BY: FF FF and two letters.
    case session
    /// Any other datagram that begins with FF FF: CK, RS, a clock probe, a packet of the passkey handshake, or an
    /// unknown command.
    case control
    /// RTP, or anything else.
    case other

    /// The kind as an index into an array: 0, 1 or 2. The property replaces a raw value, which is not permitted in real-time code.
    ///
    /// Real-time: safe.
    public var index: Int {
      @_noLocks @_noAllocation get {
        switch self {
        case .session: 0
        case .control: 1
        case .other: 2
        }
      }
    }
  }

  public let kind: Kind
  /// The SSRC of the sender; 0 if the datagram is too short.
  public let ssrc: UInt32
  /// Whether the datagram can belong to a session that is only beginning: IN, OK, NO, or a packet of the passkey
  /// handshake.
  public let canBegin: Bool

  /// The header of an empty datagram.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init() { (kind, ssrc, canBegin) = (.other, 0, false) }

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ datagram: borrowing Span<UInt8>) {
    // The offset of the SSRC.
    let offset: Int
    if datagram.count >= 4, datagram.uint16(at: 0) == 0xFFFF {
      switch datagram.uint16(at: 2) {
      // IN, OK and NO.
      case 0x494E, 0x4F4B, 0x4E4F: (kind, offset, canBegin) = (.session, 12, true)
      // BY. Some BY packets have no initiator token. Their SSRC then follows the protocol version.
      case 0x4259: (kind, offset, canBegin) = (.session, datagram.count >= 16 ? 12 : 8, false)
      // TH, a packet of the passkey handshake.
      case 0x5448: (kind, offset, canBegin) = (.control, 8, true)
      // TU, a clock probe.
      case 0x5455: (kind, offset, canBegin) = (.control, 8, false)
      // CK, RS, or an unknown command.
      default: (kind, offset, canBegin) = (.control, 4, false)
      }
    } else {
      (kind, offset, canBegin) = (.other, 8, false)
    }
    ssrc = datagram.count >= offset + 4 ? datagram.uint32(at: offset) : 0
  }
}

/// Whether a datagram is authentic: the result of ``Receiver/authenticate(_:_:from:port:)``.
public enum DatagramAuthenticity: Sendable, BitwiseCopyable {
  /// The datagram belongs to no session with a passkey.
  case unprotected
  /// The source of the datagram is in a session with a passkey. The datagram needs no tag, because it is of a kind that
  /// can begin a new session, such as an invitation.
  case beginning
  /// The datagram has a valid tag. Its first `count` octets are the content.
  case authentic(count: Int)
  /// The datagram must be dropped: its session has a passkey, and the tag is missing, wrong, repeated, or too old.
  case refused
}

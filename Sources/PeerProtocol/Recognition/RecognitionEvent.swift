public import RTPMIDI

/// An event of recognition in one session.
///
/// Real-time: not safe.
public enum RecognitionEvent: Hashable, Sendable {
  /// The peer is the Tutti peer with this identity.
  case recognised(Identity)
  /// The peer is a standard device. It has not announced itself as a Tutti peer or is exempt from the passkey of the group, and gets no
  /// probes. Or it has not replied to the probes.
  case standardDevice
  /// After ``standardDevice``: the peer is a Tutti peer nevertheless. It gets probes until it replies.
  case tuttiPeer
  /// The peer is a Tutti peer with another version of the protocol (``ClockProbe/version``). It counts as a standard device.
  case otherVersion(UInt8)

  /// Decodes an event that ``PeerExtension`` has reported; nil for any other event.
  public init?(_ event: ExtensionEvent) {
    switch event.kind {
    case 1: self = .recognised(Identity(event.value))
    case 2: self = .standardDevice
    case 3: self = .tuttiPeer
    case 4: self = .otherVersion(UInt8(truncatingIfNeeded: event.value))
    default: return nil
    }
  }

  /// The event as the endpoint reports it.
  var encoded: ExtensionEvent {
    switch self {
    case .recognised(let identity): ExtensionEvent(kind: 1, value: identity.bits)
    case .standardDevice: ExtensionEvent(kind: 2)
    case .tuttiPeer: ExtensionEvent(kind: 3)
    case .otherVersion(let version): ExtensionEvent(kind: 4, value: UInt64(version))
    }
  }
}

extension Endpoint.Output {
  /// An event of recognition, as an output of an endpoint.
  ///
  /// Real-time: not safe.
  public static func peer(_ session: SessionID, _ event: RecognitionEvent) -> Self { .extended(session, event.encoded) }
}

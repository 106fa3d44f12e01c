/// A System Exclusive message between Tutti peers, of any kind (``MessageKind``).
///
/// Real-time: not safe.
public enum PeerMessage: Hashable, Sendable {
  case timeline(TimelineMessage)
  case presence(Presence)
  case offer(Offer)
  case usedIdentity(UsedIdentity)
  case documentRequest(DocumentRequest)
  case documentPart(DocumentPart)
  case phrase(PhraseMessage)
  case playerEnergies(PlayerEnergies)
  case introduction(Introduction)
  case relayRequest(RelayRequest)
  case relayedPresence(RelayedPresence)
  case relayedTimeline(RelayedTimeline)

  /// A message of a Tutti peer that cannot be decoded: it is damaged, or of another version of the protocol.
  public struct Unreadable: Error {}

  /// Decodes the data octets of a System Exclusive message, without F0 and F7. Returns nil for a message of another program.
  public init?(systemExclusive bytes: [UInt8]) throws(Unreadable) {
    guard MessageKind.isOurs(bytes) else { return nil }
    let message: Self? =
      switch MessageKind(of: bytes) {
      case .timelineMessage: TimelineMessage(systemExclusive: bytes).map(Self.timeline)
      case .presence: Presence(systemExclusive: bytes).map(Self.presence)
      case .offer: Offer(systemExclusive: bytes).map(Self.offer)
      case .usedIdentity: UsedIdentity(systemExclusive: bytes).map(Self.usedIdentity)
      case .documentRequest: DocumentRequest(systemExclusive: bytes).map(Self.documentRequest)
      case .documentPart: DocumentPart(systemExclusive: bytes).map(Self.documentPart)
      case .phrase: PhraseMessage(systemExclusive: bytes).map(Self.phrase)
      case .playerEnergies: PlayerEnergies(systemExclusive: bytes).map(Self.playerEnergies)
      case .introduction: Introduction(systemExclusive: bytes).map(Self.introduction)
      case .relayRequest: RelayRequest(systemExclusive: bytes).map(Self.relayRequest)
      case .relayedPresence: RelayedPresence(systemExclusive: bytes).map(Self.relayedPresence)
      case .relayedTimeline: RelayedTimeline(systemExclusive: bytes).map(Self.relayedTimeline)
      case nil: nil
      }
    guard let message else { throw Unreadable() }
    self = message
  }

  /// The data octets of the message, without F0 and F7.
  public var systemExclusive: [UInt8] {
    switch self {
    case .timeline(let message): message.systemExclusive
    case .presence(let presence): presence.systemExclusive
    case .offer(let offer): offer.systemExclusive
    case .usedIdentity(let used): used.systemExclusive
    case .documentRequest(let request): request.systemExclusive
    case .documentPart(let part): part.systemExclusive
    case .phrase(let phrase): phrase.systemExclusive
    case .playerEnergies(let energies): energies.systemExclusive
    case .introduction(let introduction): introduction.systemExclusive
    case .relayRequest(let request): request.systemExclusive
    case .relayedPresence(let relayed): relayed.systemExclusive
    case .relayedTimeline(let relayed): relayed.systemExclusive
    }
  }
}

import MIDI
import Text

/// The players of one peer, by slot: the content of a document of the kind ``DocumentKind/players``.
///
/// A player keeps the slot as long as the player stays at the peer. Slot 0 is the local player. The octets of the document are those of each
/// player, by ascending slot. Numbers are big-endian.
///
///     octet   length   field
///     0       1        the slot, 0...63
///     1       8        the identity
///     9       4        the number of moves
///     13      1        the kind; 0: local player, 1: page, 2: device
///     14      1        the sign, 0...63
///     15      1        the instrument: ``PlayerInstrumentCode/octet``
///     16      1        the MIDI channel, 2...9 or 11...16; 0: none
///     17      8        the identity of the partner; 0: none
///     25      1        the length of the name in octets, 1...48
///     26      1...48   the name
public struct PlayerList: Hashable, Sendable {
  /// The largest number of players of a peer.
  public static let maximumCount = 64
  /// The largest number of octets.
  public static let maximumLength = maximumCount * (26 + 48)

  /// The players by slot, in ascending order.
  public private(set) var players: [(slot: Int, player: Player)] = []

  /// - Parameter players: by slot; at most ``maximumCount``.
  public init(_ players: [Player?]) {
    self.players = players.prefix(Self.maximumCount).enumerated().compactMap { slot, player in
      player.map { (slot, $0) }
    }
  }

  public static func == (a: Self, b: Self) -> Bool {
    a.players.elementsEqual(b.players) { $0.slot == $1.slot && $0.player == $1.player }
  }

  public func hash(into hasher: inout Hasher) { for (_, player) in players { hasher.combine(player) } }

  /// Real-time: not safe.
  public var octets: [UInt8] {
    var octets = OctetWriter(capacity: 74 * players.count)
    for (slot, player) in players {
      octets.put(UInt8(slot))
      octets.put(player.identity.bits)
      octets.put(player.moves)
      octets.put(player.kind.rawValue)
      octets.put(player.sign.number)
      octets.put(player.instrument.octet)
      octets.put(UInt8(player.channel?.number ?? 0))
      octets.put(player.partner?.bits ?? 0)
      let name = Array((player.name.cleanName() ?? "").utf8)
      octets.put(UInt8(name.count))
      for octet in name { octets.put(octet) }
    }
    return octets.octets
  }

  /// Reads ``octets``. Returns nil for a list that no peer of the local version makes: values out of range, slots that do not ascend, two
  /// players with one identity or one channel, a local player whose identity is not that of the peer, or another player with this identity.
  ///
  /// - Parameter peer: the identity of the peer whose list this is.
  public init?(octets: [UInt8], of peer: Identity) {
    guard octets.count <= Self.maximumLength else { return nil }
    var (rest, isEnd) = (OctetReader(octets), octets.isEmpty)
    var length = 0
    var (identities, channels): (Set<Identity>, Set<Int>) = ([], [])
    while !isEnd {
      let slot = Int(rest.take(UInt8.self))
      let (identity, moves) = (Identity(rest.take(UInt64.self)), rest.take(UInt32.self))
      let kind = Player.Kind(rawValue: rest.take(UInt8.self))
      let (sign, instrument) = (Int(rest.take(UInt8.self)), PlayerInstrumentCode(octet: rest.take(UInt8.self)))
      let number = Int(rest.take(UInt8.self))
      let partner = rest.take(UInt64.self)
      let nameLength = Int(rest.take(UInt8.self))
      guard (1...48).contains(nameLength) else { return nil }
      let name = (0..<nameLength).map { _ in rest.take(UInt8.self) }
      length += 26 + nameLength
      let channel = Channel(number)
      guard !rest.isIncomplete, slot < Self.maximumCount, slot > players.last?.slot ?? -1, let kind, let instrument,
        sign < Sign.count, number == 0 || channel?.isClaimable == true && channels.insert(number).inserted,
        (kind == .local) == (identity == peer), (kind == .local) == (slot == 0), identity.bits != 0,
        identities.insert(identity).inserted, let name = String(validating: name, as: UTF8.self),
        name.cleanName() == name
      else { return nil }
      players.append(
        (
          slot,
          Player(
            identity: identity, kind: kind, moves: moves, name: name, sign: Sign(sign), instrument: instrument,
            channel: number == 0 ? nil : channel, partner: partner == 0 ? nil : Identity(partner))
        ))
      isEnd = length == octets.count
    }
    guard players.count <= Self.maximumCount else { return nil }
  }
}

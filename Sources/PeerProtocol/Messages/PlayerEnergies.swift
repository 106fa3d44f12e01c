/// The energies of the players of a peer, for display: sent to all members at most four times per second, while they change. A peer whose
/// only player is the local player does not send the message, because its presence contains the energy.
public struct PlayerEnergies: Hashable, Sendable {
  /// The first eight octets of the digest of the ``PlayerList`` whose slots the energies have.
  public var list: UInt64
  /// By slot, 0...127 each; at most ``PlayerList/maximumCount``. The energy of a slot without a player is 0.
  public var energies: [UInt8]

  public init(list: UInt64, energies: [UInt8]) { (self.list, self.energies) = (list, energies) }

  /// The data octets of the System Exclusive message, without F0 and F7. The data are 7D 54 03 09 (version 3, kind 9, see ``MessageKind``),
  /// the eight octets of ``list`` and the energies, one octet each, encoded by ``SevenBit``.
  ///
  /// Real-time: not safe.
  public var systemExclusive: [UInt8] {
    var octets = OctetWriter(capacity: 8 + energies.count)
    octets.put(list)
    for energy in energies { octets.put(min(energy, 127)) }
    return MessageKind.playerEnergies.wrap(octets)
  }

  /// Reads ``systemExclusive``. Returns nil for any other message, and for an energy above 127.
  ///
  /// Real-time: not safe.
  public init?(systemExclusive bytes: [UInt8]) {
    guard var octets = MessageKind.playerEnergies.unwrap(bytes, lengths: 8...8 + PlayerList.maximumCount) else {
      return nil
    }
    list = octets.take(UInt64.self)
    energies = octets.takeAll()
    guard energies.allSatisfy({ $0 < 128 }) else { return nil }
  }
}

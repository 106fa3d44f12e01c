import MIDI

/// Presence as a System Exclusive message of 34 bytes, between F0 and F7:
///
///     7D 54 01 02    version 1, kind 2: presence (``MessageKind``)
///     ...            24 octets in groups of seven, a byte with their top bits before each group; in them, big-endian:
///        8  identity          1  flags: 1 has a claim, 2 takes over      12  claim: term, identity; 0 without
///        1  MIDI channel 1...16, 0: none                                  1  open gates: 1 rhythm, 2 notes,
///        1  activity, 0...127                                                4 modification, 8 activity
extension Presence {
  private static let length = 24

  /// The 32 data octets of the message, without F0 and F7.
  ///
  /// Real-time: not safe.
  public var systemExclusive: [UInt8] {
    var octets = OctetWriter(capacity: Self.length)
    octets.put(identity.bits)
    octets.put(UInt8(claim == nil ? 0 : 1) | UInt8(takesOver ? 2 : 0))
    octets.put(claim ?? Claim(term: 0, identity: Identity(0)))
    octets.put(UInt8(channel?.number ?? 0))
    octets.put(gates.bits)
    octets.put(min(activity, 127))
    return MessageKind.presence.wrap(octets)
  }

  /// Reads ``systemExclusive``. Returns nil for any other message, and for channels that no peer may claim.
  ///
  /// Real-time: not safe.
  public init?(systemExclusive bytes: [UInt8]) {
    guard var octets = MessageKind.presence.unwrap(bytes, length: Self.length) else { return nil }
    identity = Identity(octets.take(UInt64.self))
    let flags = octets.take(UInt8.self)
    let claim = octets.takeClaim()
    let number = Int(octets.take(UInt8.self))
    let gates = octets.take(UInt8.self)
    activity = octets.take(UInt8.self)
    let channel = Channel(number)
    guard flags < 4, gates < 16, activity < 128, number == 0 || channel?.isClaimable == true else {
      return nil
    }
    self.claim = flags & 1 != 0 ? claim : nil
    self.channel = channel
    self.gates = GateSet(bits: gates)
    takesOver = flags & 2 != 0
  }
}

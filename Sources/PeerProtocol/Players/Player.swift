public import MIDI

/// A player: the local player of a peer, a web page of a peer, or a device that a peer has adopted. What other peers know about a player.
public struct Player: Hashable, Sendable {
  /// What the player plays on.
  public enum Kind: UInt8, Sendable, CaseIterable {
    /// The keys, programs and instruments of the peer itself.
    case local
    /// A web page.
    case page
    /// A MIDI device.
    case device
  }

  /// Identifies the player, also after a move to another peer. The local player has the identity of its peer.
  public var identity: Identity
  public var kind: Kind
  /// How many times the player has moved to another peer. If two peers list a player, the one with the greater number is right.
  public var moves: UInt32
  /// At most 48 octets of UTF-8, clean (`cleanName`).
  public var name: String
  public var sign: Sign
  /// What the player sounds like.
  public var instrument: PlayerInstrumentCode
  /// The MIDI channel of the player, 2...9 or 11...16. Nil: the player shares channel 16, and its notes are attributed to its peer.
  public var channel: Channel?
  /// The player with whom this player plays together.
  public var partner: Identity?

  public init(
    identity: Identity, kind: Kind, moves: UInt32 = 0, name: String, sign: Sign,
    instrument: PlayerInstrumentCode = .none, channel: Channel? = nil, partner: Identity? = nil
  ) {
    (self.identity, self.kind, self.moves, self.name, self.sign) = (identity, kind, moves, name, sign)
    (self.instrument, self.channel, self.partner) = (instrument, channel, partner)
  }
}

/// What a player sounds like: a program of General MIDI, a drum kit, or nothing that is known.
public enum PlayerInstrumentCode: Hashable, Sendable {
  case none
  /// 0...127.
  case program(UInt7)
  case drums

  /// 0...127: the program; 128: drums; 255: none.
  public var octet: UInt8 {
    switch self {
    case .none: 255
    case .program(let number): number.value
    case .drums: 128
    }
  }

  /// Returns nil for a number that stands for nothing.
  public init?(octet: UInt8) {
    switch octet {
    case 0...127: self = .program(UInt7(masking: octet))
    case 128: self = .drums
    case 255: self = .none
    default: return nil
    }
  }
}

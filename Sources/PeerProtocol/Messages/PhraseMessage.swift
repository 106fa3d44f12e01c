/// A phrase that a player sends to another player: notes on the steps of the rhythm.
public struct PhraseMessage: Hashable, Sendable {
  public struct Note: Hashable, Sendable {
    /// The step at which the note begins, less than ``PhraseMessage/stepCount``.
    public var step: UInt8
    /// The MIDI key, 0...127.
    public var key: UInt8
    /// The velocity, 1...127. The message contains only its upper five bits. The receiver sets the lower two bits, so a
    /// received velocity is 3, 7, 11 and so on up to 127.
    public var velocity: UInt8
    /// The length in steps, 1...32.
    public var length: UInt8

    public init(step: UInt8, key: UInt8, velocity: UInt8, length: UInt8) {
      (self.step, self.key, self.velocity, self.length) = (step, key, velocity, length)
    }
  }

  /// The player who sends the phrase, and the player who gets it: the local players of the two peers, pages or devices.
  public var sender: Identity
  public var receiver: Identity
  /// The length of the phrase in steps, 1...128.
  public var stepCount: UInt8
  /// The notes, 1...26.
  public var notes: [Note]

  public init(from sender: Identity, to receiver: Identity, stepCount: UInt8, notes: [Note]) {
    (self.sender, self.receiver, self.stepCount, self.notes) = (sender, receiver, stepCount, notes)
  }
}

/// A phrase as a System Exclusive message of at most 115 bytes with F0 and F7.
///
/// The data are 7D 54 03 08 (version 3, kind 8, see ``MessageKind``) and these octets, encoded by ``SevenBit``. Numbers are big-endian.
///
///     octet   length   field
///     0       8        the identity of the player who sends the phrase
///     8       8        the identity of the player who gets it
///     16      1        the length in steps, 1...128
///     17      3        the first note: step (7 bits), key (7 bits), velocity / 4 (5 bits), length in steps - 1 (5 bits)
///     20      3        the second note, and so on: 1...26 notes
extension PhraseMessage {
  /// The maximum number of notes. It limits the message to 115 bytes.
  private static let maximumCount = 26

  /// The data octets of the message, without F0 and F7.
  ///
  /// Real-time: not safe.
  public var systemExclusive: [UInt8] {
    var octets = OctetWriter(capacity: 17 + 3 * notes.count)
    octets.put(sender.bits)
    octets.put(receiver.bits)
    octets.put(stepCount)
    for note in notes {
      let position = UInt32(note.step & 0x7F) << 17 | UInt32(note.key & 0x7F) << 10
      let bits = position | UInt32(note.velocity >> 2 & 0x1F) << 5 | UInt32((note.length &- 1) & 0x1F)
      octets.put(UInt8(truncatingIfNeeded: bits >> 16))
      octets.put(UInt16(truncatingIfNeeded: bits))
    }
    return MessageKind.phrase.wrap(octets)
  }

  /// Reads ``systemExclusive``. Returns nil for any other message, and for a phrase with an impossible length or step.
  ///
  /// Real-time: not safe.
  public init?(systemExclusive bytes: [UInt8]) {
    guard var octets = MessageKind.phrase.unwrap(bytes, lengths: 20...17 + 3 * Self.maximumCount) else { return nil }
    (sender, receiver) = (Identity(octets.take(UInt64.self)), Identity(octets.take(UInt64.self)))
    stepCount = octets.take(UInt8.self)
    let rest = octets.takeAll()
    guard (1...128).contains(stepCount), rest.count.isMultiple(of: 3) else { return nil }
    notes = stride(from: 0, to: rest.count, by: 3).map { index in
      let bits = UInt32(rest[index]) << 16 | UInt32(rest[index + 1]) << 8 | UInt32(rest[index + 2])
      return Note(
        step: UInt8(bits >> 17), key: UInt8(bits >> 10 & 0x7F), velocity: UInt8(bits >> 5 & 0x1F) << 2 | 3,
        length: UInt8(bits & 0x1F) + 1)
    }
    guard notes.allSatisfy({ $0.step < stepCount }) else { return nil }
  }
}

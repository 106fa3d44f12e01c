public import MIDI

/// The kinds of messages that the local peer admits from the peer of one session (the open gates), and how loud the
/// notes of that peer sound.
public struct Admission: Hashable, Sendable, BitwiseCopyable {
  /// Whether the notes of the peer are admitted.
  public var notes = false
  /// Whether all other channel messages of the peer are admitted: controllers, program changes, pitch bend.
  public var modification = false
  /// How loud the notes of the peer sound. Notes that do not sound still reach the programs at the ALSA port and the
  /// MIDI recording.
  public var hearing = Hearing.full
  /// The channels on which the notes of the peer set the pitches of the local player's instrument instead of sounding: bit n is channel n +
  /// 1.
  public var pitchChannels: UInt16 = 0
  /// Whether the master has silenced all players (``PeerProtocol/Mix/isQuiet``). Their notes do not sound, but still
  /// reach the programs at the ALSA port and the MIDI recording.
  public var isQuiet = false
  /// Whether all admitted notes of the peer sound.
  var isHeard: Bool { @_noLocks @_noAllocation get { hearing.percent > 0 && pitchChannels == 0 && !isQuiet } }

  /// Whether a note of the peer sounds.
  @_noLocks @_noAllocation
  func isHeard(_ message: Message) -> Bool {
    hearing.percent > 0 && !message.isOnChannel(of: pitchChannels) && !isQuiet
  }

  /// Whether the peer may change the sound of the local player's instrument, by controllers on the channel of the local player:
  /// see ``MIDI/Message/shapesInstrument``.
  public var shaping = false
  /// Whether the peer is known to be a Tutti peer. Its controllers 7 and 11 on channel 1 report activity, and do not change the sound.
  /// From all other peers, they are volume and expression.
  public var isTuttiPeer = false

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init() {}
}

/// How loud the notes of a remote peer sound at the local peer.
public struct Hearing: Hashable, Sendable, BitwiseCopyable {
  /// The velocity with which a note sounds, in percent of its own velocity, 0...100. With 0, notes do not sound.
  public let percent: UInt8

  /// Notes sound with their own velocity.
  ///
  /// Real-time: safe.
  public static var full: Hearing { @_noLocks @_noAllocation get { Hearing(percent: 100) } }
  /// Notes do not sound.
  ///
  /// Real-time: safe.
  public static var none: Hearing { @_noLocks @_noAllocation get { Hearing(percent: 0) } }

  /// Creates a hearing. A `percent` above 100 counts as 100.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(percent: UInt8) { self.percent = percent < 100 ? percent : 100 }

  /// How a message sounds.
  enum Sound: BitwiseCopyable {
    /// The message sounds as it was played.
    case unchanged
    /// The note sounds with a lower velocity.
    case softer(Message)
    /// The message does not sound.
    case nothing
  }

  /// How `message` sounds. Only the beginning of a note can change. A note that sounds has a velocity of at least 1,
  /// because a Note On with velocity 0 is a Note Off.
  @_noLocks @_noAllocation
  func sound(of message: Message) -> Sound {
    guard case .noteOn(let channel, let key, let velocity) = message, percent < 100 else { return .unchanged }
    guard percent > 0 else { return .nothing }
    let softer = UInt8(truncatingIfNeeded: Int(velocity.value) * Int(percent) / 100)
    return .softer(.noteOn(channel, key: key, velocity: UInt7(masking: softer > 0 ? softer : 1)))
  }
}

extension Message {
  /// Whether the channel of the message is in a set of channels: bit n is channel n + 1.
  @_noLocks @_noAllocation
  func isOnChannel(of channels: UInt16) -> Bool {
    guard let channel else { return false }
    return channels >> UInt16(channel.wire) & 1 != 0
  }

  /// Whether another player may change the sound of an instrument with this message: a controller that has an effect on
  /// the character of the sound. Only the player of the instrument may send volume (7), pan (10), expression (11),
  /// pedals (64...69), banks, parameters and mode messages. Controllers 32...63, the lower halves (LSB) of 0...31, are excluded too.
  ///
  /// Real-time: safe.
  public var shapesInstrument: Bool {
    @_noLocks @_noAllocation get {
      guard case .controlChange(_, let controller, _) = self else { return false }
      return switch controller.value {
      case 1...5, 8, 9, 12...31, 70...95, 102...119: true
      default: false
      }
    }
  }
}

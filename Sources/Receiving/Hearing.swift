import MIDI

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

public import MIDI
public import MusicalTime

/// What the audio thread is to let sound, or to take back: the clock thread hands it over through a ring.
public struct SoundEvent: Hashable, Sendable, BitwiseCopyable {
  public enum Kind: Hashable, Sendable, BitwiseCopyable {
    /// A drum hit: the General MIDI drum, 0...127; how hard, 1...127; the cut-off group, 1...8, or 0 for a drum that cuts
    /// nothing off. It is handed over at least ``NominalDevice/lead`` ahead of its instant.
    case hit(note: UInt8, velocity: UInt8, group: UInt8)
    /// Takes back all hits before it in the ring whose instant is its own or later, as far as they have not been struck.
    case recall
    /// A note, a controller or its like, that is to sound at once.
    case message(Message)
  }

  /// When it is to leave the converter. A message sounds as soon as it can.
  public var instant: Instant
  public var kind: Kind
  /// When it was handed over, from which follows whether it came in time; before everything unless it is set.
  public var handed = Instant(nanoseconds: .min)

  /// What takes back the hits from `instant` on.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func recall(from instant: Instant) -> SoundEvent { SoundEvent(instant: instant, .recall) }

  /// `message`, handed over at `now`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func message(_ message: Message, at now: Instant) -> SoundEvent {
    var event = SoundEvent(instant: now, .message(message))
    event.handed = now
    return event
  }

  /// A hit.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(instant: Instant, note: UInt8, velocity: UInt8, group: UInt8) {
    self.init(instant: instant, .hit(note: note, velocity: velocity, group: group))
  }

  @_noLocks @_noAllocation
  private init(instant: Instant, _ kind: Kind) { (self.instant, self.kind) = (instant, kind) }
}

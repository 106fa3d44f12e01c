public import MusicalTime

/// One drum hit that is to sound at an instant. The clock thread hands it to the audio thread through a ring, at least
/// ``SteadyCard/lead`` ahead of its instant.
public struct SoundEvent: Hashable, Sendable, BitwiseCopyable {
  /// When the hit is to leave the converter.
  public var instant: Instant
  /// The General MIDI drum, 0...127.
  public var note: UInt8
  /// How hard, 1...127.
  public var velocity: UInt8
  /// The cut-off group, 1...8; 0 for a drum that cuts nothing off.
  public var group: UInt8
  /// When it was handed over, from which follows whether it came in time; before everything unless it is set.
  public var handed = Instant(nanoseconds: .min)

  /// Whether it is no hit but takes back all those before it in the ring whose instant is its own or later, as far as they
  /// have not been struck.
  public private(set) var isRecall = false

  /// What takes back the hits from `instant` on.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func recall(from instant: Instant) -> SoundEvent {
    var event = SoundEvent(instant: instant, note: 0, velocity: 0, group: 0)
    event.isRecall = true
    return event
  }

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(instant: Instant, note: UInt8, velocity: UInt8, group: UInt8) {
    self.instant = instant
    self.note = note
    self.velocity = velocity
    self.group = group
  }
}

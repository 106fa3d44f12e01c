public import MIDI
public import MusicalTime

/// An instruction for the audio thread: play a hit, a note or a message, end notes, recall hits, or set the loudness of the
/// rhythm and the score. The clock thread and the network thread submit events through rings (``SoundEvents``).
public struct SoundEvent: Hashable, Sendable, BitwiseCopyable {
  /// The kind of instruction.
  public enum Kind: Hashable, Sendable, BitwiseCopyable {
    /// A drum hit: the General MIDI drum, 0...127; the velocity, 1...127; the cut-off group (``DrumLanes``), 1...8, or 0 for
    /// none. To sound in time, a hit must be submitted at least ``NominalDevice/lead`` before its instant, or, for a sound card,
    /// ``CardState/lead``.
    case hit(note: UInt8, velocity: UInt8, group: UInt8)
    /// A note of a pitched part: the key, 0...127; the velocity, 1...127; the part, 1...3; the General MIDI program, 0...127. The
    /// note ends at ``SoundEvent/end``. A note must be submitted as early as a hit.
    case note(key: UInt8, velocity: UInt8, part: UInt8, program: UInt8)
    /// Ends the notes of a pitched part, 1...3, or of all pitched parts (0) at the instant of this event.
    case release(part: UInt8)
    /// A note of a score: the key, 0...127; the velocity, 1...127; the part, 0...63; the General MIDI program, 0...127, or
    /// ``SoundEvent/drumKit``. The note ends at ``SoundEvent/end``. With the drum kit, the key is the General MIDI drum, which sounds until it
    /// has decayed. A note must be submitted as early as a hit.
    case scoreNote(key: UInt8, velocity: UInt8, part: UInt8, program: UInt8)
    /// Ends all notes of the score at the instant of this event.
    case releaseScore
    /// Mutes a part of the score, 0...63: removes its waiting notes, and ends its notes at the instant of this event.
    case muteScorePart(UInt8)
    /// Sets the loudness of the rhythm and the score in percent, 0...100, at once.
    case rhythmLevel(UInt8)
    /// Removes the waiting hits, notes and releases whose ``SoundEvent/step`` is at the instant of this event or later. The clock thread recalls
    /// hits when the rhythm changes.
    case recall
    /// A note, a controller or another message of a player. A timed message (``SoundEvent/isTimed``) takes effect at its instant. Any
    /// other message takes effect as early as possible. A note begins on its exact frame. All other messages take effect at most 63
    /// frames later.
    case message(Message)
  }

  /// For a hit: when it leaves the converter. For a timed message: when it takes effect. For another message: when it was
  /// submitted. For a recall: the first step that is recalled. For a release: when the notes end.
  public var instant: Instant
  /// The instant of the step to which a hit belongs. The hit may sound earlier or later, because it is pushed or swung. A
  /// recall removes all hits of a step or none.
  public var step: Instant
  public var kind: Kind
  /// When a note of a pitched part or of a score ends. Without meaning for other events.
  public var end = Instant(nanoseconds: .min)
  /// When the event was submitted. This instant decides whether the event is in time. The default is the distant past.
  public var submitted = Instant(nanoseconds: .min)

  /// Stands for the drum kit in ``Kind/scoreNote(key:velocity:part:program:)``: 128.
  ///
  /// Real-time: safe.
  public static var drumKit: UInt8 { @_noLocks @_noAllocation get { 128 } }

  /// Returns an event that recalls the hits of all steps at `instant` or later.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func recall(from instant: Instant) -> SoundEvent { SoundEvent(instant: instant, .recall) }

  /// Returns an event that plays `message`, submitted at `now`, as early as possible or at the later instant `due`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func message(_ message: Message, at now: Instant, due: Instant? = nil) -> SoundEvent {
    var instant = now
    if let due, due > now { instant = due }
    var event = SoundEvent(instant: instant, .message(message))
    event.submitted = now
    return event
  }

  /// Whether the message is timed: it takes effect at its instant. Otherwise it takes effect as early as possible.
  ///
  /// Real-time: safe.
  public var isTimed: Bool { @_noLocks @_noAllocation get { instant > submitted } }

  /// Creates a hit. Without `step`, the hit sounds at the instant of its step.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(instant: Instant, note: UInt8, velocity: UInt8, group: UInt8, step: Instant? = nil) {
    (self.instant, kind) = (instant, .hit(note: note, velocity: velocity, group: group))
    if let step { self.step = step } else { self.step = instant }
  }

  /// Creates a note of a pitched part that sounds from `instant` until `end`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(
    instant: Instant, until end: Instant, key: UInt8, velocity: UInt8, part: UInt8, program: UInt8, step: Instant
  ) {
    (self.instant, self.end, self.step) = (instant, end, step)
    kind = .note(key: key, velocity: velocity, part: part, program: program)
  }

  /// Returns an event that ends the notes of a pitched part, or of all pitched parts (0), at `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func release(of part: UInt8, at instant: Instant) -> SoundEvent {
    SoundEvent(instant: instant, .release(part: part))
  }

  /// Creates a note of a part of a score that sounds from `instant` until `end`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(
    instant: Instant, until end: Instant, key: UInt8, velocity: UInt8, scorePart part: UInt8, program: UInt8,
    step: Instant
  ) {
    (self.instant, self.end, self.step) = (instant, end, step)
    kind = .scoreNote(key: key, velocity: velocity, part: part, program: program)
  }

  /// Returns an event that ends all notes of the score at `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func releaseScore(at instant: Instant) -> SoundEvent { SoundEvent(instant: instant, .releaseScore) }

  /// Returns an event that mutes a part of the score at `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func mute(scorePart part: UInt8, at instant: Instant) -> SoundEvent {
    SoundEvent(instant: instant, .muteScorePart(part))
  }

  /// Returns an event that sets the loudness of the rhythm and the score in percent, at most 100.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func rhythmLevel(_ percent: UInt8, at now: Instant) -> SoundEvent {
    SoundEvent(instant: now, .rhythmLevel(percent < 100 ? percent : 100))
  }

  /// Moves the event by `delay`, with its step, and with the end of a note.
  @_noLocks @_noAllocation
  mutating func move(by delay: Nanoseconds) {
    (instant, step) = (instant + delay, step + delay)
    switch kind {
    case .note, .scoreNote: end = end + delay
    default: break
    }
  }

  @_noLocks @_noAllocation
  private init(instant: Instant, _ kind: Kind) { (self.instant, self.kind, step) = (instant, kind, instant) }
}

public import Audio
public import MusicalTime
public import Scores

/// One note of a score, as the clock thread plays it: 16 octets.
public struct ScoreNote: Hashable, Sendable, BitwiseCopyable {
  /// Ticks from position 0 of the route.
  public let tick: Int32
  /// The length in thousandths of a tick, at least 1.
  public let length: UInt32
  /// Thousandths of a tick after ``tick``, 0...999.
  public let thousandths: UInt16
  /// The number of the part, 0...63.
  public let part: UInt8
  /// The sounding MIDI key, 0...127.
  public let key: UInt8
  /// 1...127. The level of the part in the score, and the number of parts, are in the velocity (``notes(of:in:)``).
  public let velocity: UInt8
  /// The General MIDI program, 0...127, or `SoundEvent.drumKit`.
  public let program: UInt8

  /// Creates the notes of some events of a score.
  ///
  /// The power of parts that play together is the sum of their powers. So that a large score is about as loud as a small one, the power of
  /// each part is divided by the number of parts: a loudness of 10 log10(n) dB. A velocity v has the loudness 40 log10(v / 127) dB, so it is
  /// divided by the fourth root of n.
  ///
  /// Real-time: not safe.
  public static func notes(of events: some Sequence<ScoreEvent>, in score: Score) -> [ScoreNote] {
    let scale = 1 / Double(max(score.parts.count, 1)).squareRoot().squareRoot()
    return events.map { event in
      let part = score.parts[Int(event.part)]
      let velocity = Double(event.velocity) * Double(part.level) / Double(ScoreLevels.unchanged) * scale
      return ScoreNote(
        tick: event.tick, length: event.length, thousandths: event.thousandths, part: event.part, key: event.key,
        velocity: UInt8(min(max(velocity.rounded(), 1), 127)),
        program: part.isPercussion ? SoundEvent.drumKit : part.instruments[Int(event.instrument)].program)
    }
  }

  init(
    tick: Int32, length: UInt32, thousandths: UInt16, part: UInt8, key: UInt8, velocity: UInt8, program: UInt8
  ) {
    (self.tick, self.length, self.thousandths) = (tick, length, thousandths)
    (self.part, self.key, self.velocity, self.program) = (part, key, velocity, program)
  }

  /// Thousandths of a tick from position 0 of the route.
  ///
  /// Real-time: safe.
  public var position: Int64 { @_noLocks @_noAllocation get { Int64(tick) &* 1000 &+ Int64(thousandths) } }
}

/// The levels of the parts of the score at the local peer, 0...127. A trivial value, which a triple buffer passes to the clock thread.
struct ScoreLevels: Sendable, BitwiseCopyable {
  /// The level at which the velocities are unchanged.
  static var unchanged: Int { @_noLocks @_noAllocation get { 100 } }

  private var levels = InlineArray<64, UInt8>(repeating: UInt8(ScoreLevels.unchanged))

  /// All parts at ``unchanged``.
  @_noLocks @_noAllocation
  init() {}

  /// The level of a part, 0...63.
  subscript(part: Int) -> UInt8 {
    @_noLocks @_noAllocation get { levels[part & 63] }
    set { levels[part & 63] = min(newValue, 127) }
  }

  /// The velocity of a note at these levels, 1...127; 0 if its part is muted.
  @_noLocks @_noAllocation
  func velocity(of note: ScoreNote) -> UInt8 {
    let level = levels[Int(note.part & 63)]
    guard level > 0 else { return 0 }
    let velocity = Int(note.velocity) &* Int(level) / Self.unchanged
    if velocity < 1 { return 1 }
    return velocity > 127 ? 127 : UInt8(truncatingIfNeeded: velocity)
  }
}

extension SoundEvent {
  /// Creates the event of a note of a score.
  ///
  /// - Parameters:
  ///   - velocity: the velocity at the present levels, 1...127.
  ///   - step: the instant of the step to which the note belongs.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ note: ScoreNote, velocity: UInt8, from instant: Instant, until end: Instant, step: Instant) {
    self.init(
      instant: instant, until: end, key: note.key, velocity: velocity, scorePart: note.part, program: note.program,
      step: step)
  }
}

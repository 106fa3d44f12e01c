public import MusicalTime

/// A position of an event: a tick, and thousandths of a tick after it. A quarter note has 24 ticks. A quintuplet is at most 1/2000 tick, 10
/// microseconds at 120 BPM, from its place.
public struct ScorePosition: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Thousandths of a tick from tick 0.
  public let thousandths: Int64

  /// Thousandths of a tick per quarter note: 24 000.
  public static let perQuarter = Tick.perQuarter * 1000

  public init(thousandths: Int64) { self.thousandths = thousandths }
  /// The position nearest to `quarters` quarter notes.
  public init(_ quarters: Fraction) { thousandths = quarters.rounded(times: ScorePosition.perQuarter) }

  /// The tick that contains the position.
  public var tick: Tick { Tick(thousandths >= 0 ? thousandths / 1000 : (thousandths - 999) / 1000) }

  public static func < (a: ScorePosition, b: ScorePosition) -> Bool { a.thousandths < b.thousandths }
}

/// One note of a part, with its length. 20 octets, without references, for the real-time threads.
public struct ScoreEvent: Hashable, Sendable, BitwiseCopyable {
  /// Ticks from tick 0, which is position 0 of the route.
  public var tick: Int32
  /// The length in thousandths of a tick, at least 1.
  public var length: UInt32
  /// The ``Note/id`` of the note.
  public var note: UInt32
  /// Thousandths of a tick after ``tick``, 0...999.
  public var thousandths: UInt16
  /// The index in ``Score/parts``.
  public var part: UInt8
  /// The sounding MIDI key, 0...127.
  public var key: UInt8
  /// The velocity, 1...127.
  public var velocity: UInt8
  /// The index in ``Part/instruments``.
  public var instrument: UInt8

  /// A note from one position up to another. A length of less than 1 thousandth of a tick becomes 1; one of more than 2^32 - 1 is cut.
  public init(
    from start: ScorePosition, to end: ScorePosition, part: UInt8, key: UInt8, velocity: UInt8, instrument: UInt8,
    note: UInt32
  ) {
    tick = Int32(clamping: start.tick.index)
    length = UInt32(clamping: max(end.thousandths - start.thousandths, 1))
    thousandths = UInt16(start.thousandths - start.tick.index * 1000)
    (self.part, self.key, self.velocity) = (part, key, velocity)
    (self.instrument, self.note) = (instrument, note)
  }

  public var position: ScorePosition { ScorePosition(thousandths: Int64(tick) * 1000 + Int64(thousandths)) }
  /// The position at which the note ends.
  public var end: ScorePosition { ScorePosition(thousandths: position.thousandths + Int64(length)) }
}

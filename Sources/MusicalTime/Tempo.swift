/// How fast the quarter notes go: an integer number of nanoseconds each. Beats a minute is how people write and read
/// it.
public struct Tempo: Hashable, Sendable, BitwiseCopyable {
  /// The length of a quarter note, within ``lengths``.
  public let nanosecondsPerQuarter: Int64

  /// The slowest and the fastest tempo people may ask for, in beats a minute.
  public static let range: ClosedRange<Double> = 20...999

  /// The quarter-note lengths that ``range`` allows, with 0.1 % more on either side, so that a follower whose clock
  /// runs faster or slower than the master's can still hold the master's tempo in its own nanoseconds.
  public static let lengths: ClosedRange<Int64> = 60_000_000...3_003_000_000

  /// The tempo of `bpm` quarter notes a minute, its quarter note rounded up to a whole nanosecond: so the ticks due in
  /// [0, T) are as many as the exact tempo has, also where T holds a whole number of them (61 BPM, 60 s: 1464).
  ///
  /// - Throws: ``TempoError`` outside ``range``, or for a value that is not a number.
  public init(bpm: Double) throws(TempoError) {
    guard Tempo.range.contains(bpm) else { throw TempoError(bpm: bpm) }
    nanosecondsPerQuarter = Int64((60e9 / bpm).rounded(.up))
  }

  /// The tempo whose quarter note takes `nanosecondsPerQuarter`, or nil outside ``lengths``.
  public init?(nanosecondsPerQuarter: Int64) {
    guard Tempo.lengths.contains(nanosecondsPerQuarter) else { return nil }
    self.nanosecondsPerQuarter = nanosecondsPerQuarter
  }

  /// 120 beats a minute: MIDI files' and most players' default.
  public static let standard = Tempo(uncheckedNanosecondsPerQuarter: 500_000_000)

  private init(uncheckedNanosecondsPerQuarter count: Int64) { nanosecondsPerQuarter = count }

  /// Quarter notes a minute.
  public var bpm: Double { 60e9 / Double(nanosecondsPerQuarter) }
}

/// A tempo nobody can play.
public struct TempoError: Error, Equatable, CustomStringConvertible {
  public let bpm: Double
  public var description: String { "tempo \(bpm) BPM is out of range; give one from 20 to 999" }
}

/// A tempo, stored as the integer number of nanoseconds per quarter note. Users read and write beats per minute (BPM).
public struct Tempo: Hashable, Sendable, BitwiseCopyable {
  /// The length of a quarter note in nanoseconds, within ``lengths``.
  public let nanosecondsPerQuarter: Int64

  /// The tempos that a user may request, in beats per minute.
  public static let range: ClosedRange<Double> = 20...999

  /// The permitted lengths of a quarter note in nanoseconds: those of ``range``, extended by 0.1 % at both ends. A
  /// follower expresses the master's tempo in local time. The extension allows for the skew between the two clocks.
  public static let lengths: ClosedRange<Int64> = 60_000_000...3_003_000_000

  /// Creates the tempo of `bpm` quarter notes per minute.
  ///
  /// The length of the quarter note is rounded up to a whole nanosecond. If it were rounded down, a time span could
  /// contain one tick too many. Example: at exactly 61 BPM, tick 1464 is due at 60 s, so 1464 ticks (0...1463) are due
  /// before 60 s. With a length that is rounded down, tick 1464 would also be due before 60 s.
  ///
  /// - Throws: ``TempoError`` if `bpm` is outside ``range`` or not a number.
  ///
  /// Real-time: not safe.
  public init(bpm: Double) throws(TempoError) {
    guard Tempo.range.contains(bpm) else { throw TempoError(bpm: bpm) }
    nanosecondsPerQuarter = Int64((60e9 / bpm).rounded(.up))
  }

  /// Creates the tempo whose quarter note lasts `nanosecondsPerQuarter`. Returns nil if the value is outside
  /// ``lengths``.
  ///
  /// Real-time: not safe.
  public init?(nanosecondsPerQuarter: Int64) {
    guard Tempo.lengths.contains(nanosecondsPerQuarter) else { return nil }
    self.nanosecondsPerQuarter = nanosecondsPerQuarter
  }

  /// 120 beats per minute, the default tempo of Standard MIDI Files and of most players.
  ///
  /// Real-time: not safe, because the constant is initialised lazily.
  public static let standard = Tempo(uncheckedNanosecondsPerQuarter: 500_000_000)

  private init(uncheckedNanosecondsPerQuarter count: Int64) { nanosecondsPerQuarter = count }

  /// The tempo in quarter notes per minute.
  ///
  /// Real-time: not safe.
  public var bpm: Double { 60e9 / Double(nanosecondsPerQuarter) }
}

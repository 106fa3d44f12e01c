/// A tempo mark of a score.
public struct TempoMark: Hashable, Sendable {
  public enum Content: Hashable, Sendable {
    /// A tempo from here on, in thousandths of a quarter note per minute: 96 000 for 96 quarter notes per minute.
    case tempo(Int)
    /// Gradually slower up to the next mark.
    case ritardando
    /// Gradually faster up to the next mark.
    case accelerando
    /// Back to the last ``tempo(_:)``.
    case aTempo
    /// Back to the first ``tempo(_:)`` of the score.
    case tempoPrimo
  }

  /// The index of the bar in ``Score/bars``.
  public var bar: Int
  /// The position in quarter notes from the beginning of the bar.
  public var offset: Fraction
  public var content: Content
  /// The printed words, such as `Allegro`; empty if nothing but a metronome mark is printed.
  public var text: String
  /// The unit of the printed metronome mark; nil if none is printed.
  public var beat: NoteValue?

  public init(bar: Int, offset: Fraction, _ content: Content, text: String = "", beat: NoteValue? = nil) {
    (self.bar, self.offset, self.content, self.text, self.beat) = (bar, offset, content, text, beat)
  }

  /// The permitted tempos of ``Content/tempo(_:)``: 5 to 2000 quarter notes per minute. Scores count half notes and thirty-second notes.
  public static let range = 5_000...2_000_000
}

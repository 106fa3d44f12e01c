/// The error for a tempo outside ``Tempo/range``.
public struct TempoError: Error, Equatable, CustomStringConvertible {
  /// The rejected tempo in beats per minute.
  public let bpm: Double
  public var description: String { "tempo \(bpm) BPM is out of range; give one from 20 to 999" }
}

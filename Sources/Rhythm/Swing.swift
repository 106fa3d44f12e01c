/// The swing of a rhythm: the position of every second sixteenth or eighth note.
///
/// The value is the position of the second note of a pair, in percent of the pair: 50 is straight, 66.7 is the rhythm of
/// a triplet, 75 is dotted. Drum machines have used this measure since the Linn LM-1 (1979). If eighth notes swing, the sixteenth
/// notes between them move too, so that they stay in the middle of their eighth note.
public struct Swing: Hashable, Sendable, BitwiseCopyable {
  /// The notes that come in pairs.
  public enum Unit: String, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    case sixteenths, eighths
  }

  /// The position of the second note in thousandths of the pair, 500...750.
  public let permille: Int
  public let unit: Unit

  /// No swing.
  public static let straight = Swing(permille: 500, unit: .sixteenths)
  /// The range of ``permille``.
  public static let range = 500...750

  /// The delay by swing of each of the four steps of a quarter note, in thousandths of a tick, 0...6000.
  var offsets: [Int32] {
    switch unit {
    // A pair has 12 ticks. The second note moves from tick 6 to the tick 12 · permille / 1000.
    case .sixteenths:
      let second = Int32(12 * permille - 6_000)
      return [0, second, 0, second]
    // A pair has 24 ticks. The second note, step 2, moves from tick 12 to the tick 24 · permille / 1000. Step 1 is in the middle between
    // the two notes. Step 3 is in the middle between the second note and the end of the pair.
    case .eighths:
      let second = Int32(24 * permille - 12_000)
      return [0, second / 2, second, second / 2]
    }
  }
}

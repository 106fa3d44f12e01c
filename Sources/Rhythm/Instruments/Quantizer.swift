public import MusicalTime

/// Decides when a played note sounds: at once, if the note is at most slightly late, otherwise on the next line of a grid.
///
/// The lines of the grid are the multiples of its note value from tick 0, the first downbeat. The arithmetic is exact. The
/// swing of a rhythm is not taken into account: in a rhythm with swung sixteenth notes, choose a grid of eighth notes or of
/// triplets.
public struct Quantizer: Hashable, Sendable, BitwiseCopyable {
  /// When a played note sounds.
  public enum Placement: Hashable, Sendable, BitwiseCopyable {
    /// Without a delay.
    case atOnce
    /// On this line of the grid, which is later than the action.
    case onLine(Tick)
  }

  /// The distance between the lines.
  public let grid: NoteValue
  /// The tolerance in percent of ``grid``, 0...100. A note that is at most this late sounds at once. With 100, every note
  /// sounds at once.
  public let tolerance: UInt8

  /// A grid of sixteenth notes with a tolerance of 40 %.
  public static let standard = Quantizer(uncheckedGrid: .sixteenth, tolerance: 40)

  /// Creates a quantizer.
  ///
  /// - Returns: nil unless `tolerance` is 0...100 percent.
  ///
  /// Real-time: not safe.
  public init?(grid: NoteValue, tolerance: Int) {
    guard (0...100).contains(tolerance) else { return nil }
    self.init(uncheckedGrid: grid, tolerance: UInt8(tolerance))
  }

  private init(uncheckedGrid grid: NoteValue, tolerance: UInt8) { (self.grid, self.tolerance) = (grid, tolerance) }

  /// Returns when a note sounds whose action took place at `position`. A note on a line sounds at once.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func placement(of position: MusicalPosition) -> Placement {
    let unit = grid.ticks &* MusicalPosition.perTick
    var lateness = position.milliticks % unit
    if lateness < 0 { lateness &+= unit }
    // A unit has at most 96 000 thousandths of a tick, so the products are small.
    if lateness &* 100 <= unit &* Int64(tolerance) { return .atOnce }
    return .onLine((position + (unit &- lateness)).tick)
  }

  /// Returns when a note sounds whose action took place at `instant`, in a rhythm on `timeline`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func placement(of instant: Instant, on timeline: Timeline) -> Placement {
    placement(of: MusicalPosition(at: instant, on: timeline))
  }
}

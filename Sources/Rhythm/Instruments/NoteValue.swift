import MusicalTime

/// The length of a note as a fraction of a whole note, such as 1/16 or a triplet of eighth notes. Every length is a whole
/// number of ticks, so grids and note lengths are exact.
public struct NoteValue: Hashable, Sendable, BitwiseCopyable {
  /// The denominator of the fraction: 1, 2, 4, 8, 16 or 32.
  public let denominator: UInt8
  /// Whether this is a triplet: three of these notes last as long as two plain notes of the same fraction.
  public let isTriplet: Bool

  public static let sixteenth = NoteValue(unchecked: 16)

  /// The note values of a grid: 1/4 to 1/32, and their triplets.
  public static let grids = [4, 8, 16, 32].flatMap {
    [NoteValue(unchecked: $0), NoteValue(unchecked: $0, isTriplet: true)]
  }
  /// The lengths of a note: those of a grid, a whole note and a half note, and their triplets.
  public static let lengths =
    [1, 2].flatMap { [NoteValue(unchecked: $0), NoteValue(unchecked: $0, isTriplet: true)] } + grids

  /// The name in a patch: `1/8` or `1/8 triplets`.
  ///
  /// Real-time: not safe.
  public var name: String { "1/\(denominator)\(isTriplet ? " triplets" : "")" }

  /// The length in ticks, 2...96.
  ///
  /// Real-time: safe.
  public var ticks: Int64 {
    @_noLocks @_noAllocation get {
      let length = 4 * Tick.perQuarter / Int64(denominator)
      return isTriplet ? length * 2 / 3 : length
    }
  }

  private init(unchecked denominator: UInt8, isTriplet: Bool = false) {
    (self.denominator, self.isTriplet) = (denominator, isTriplet)
  }
}

public import MusicalTime

/// The clicks before a rhythm, by which the players find the tempo. They sound at all Tutti peers. Standard devices get
/// Start at the first tick of the rhythm, as without a count-in.
public struct CountIn: Hashable, Sendable, BitwiseCopyable {
  /// The largest number of clicks.
  public static let maximumClicks = 16
  /// No clicks.
  ///
  /// Real-time: safe.
  public static var none: CountIn { @_noLocks @_noAllocation get { CountIn() } }

  /// The number of clicks, 0...``maximumClicks``.
  public private(set) var clicks: UInt8 = 0
  /// The distance between successive clicks in ticks, 6...96; a multiple of a step, which has 6 ticks.
  public private(set) var ticksPerClick: UInt8 = 24

  @_noLocks @_noAllocation
  private init() {}

  /// Creates a count-in. Nil for values out of range.
  ///
  /// Real-time: not safe.
  public init?(clicks: Int, ticksPerClick: Int) {
    guard (0...Self.maximumClicks).contains(clicks), (6...96).contains(ticksPerClick), ticksPerClick % 6 == 0 else {
      return nil
    }
    (self.clicks, self.ticksPerClick) = (UInt8(clicks), UInt8(ticksPerClick))
  }

  /// Creates a count-in of `bars` bars with one click per beat. The beat of a compound meter, such as 6/8 or 12/8, has three
  /// eighth notes. Returns nil if there would be more than ``maximumClicks``.
  ///
  /// Real-time: not safe.
  public init?(bars: Int, of meter: Meter) {
    let ticksPerUnit = Int(4 * Tick.perQuarter) / meter.unit
    let isCompound = meter.unit == 8 && meter.beats > 3 && meter.beats % 3 == 0
    let (beats, distance) = isCompound ? (meter.beats / 3, 3 * ticksPerUnit) : (meter.beats, ticksPerUnit)
    guard bars <= Self.maximumClicks else { return nil }
    self.init(clicks: bars * beats, ticksPerClick: distance)
  }

  /// The length in ticks, from the first click to the first tick of the rhythm.
  ///
  /// Real-time: safe.
  public var ticks: Int64 { @_noLocks @_noAllocation get { Int64(clicks) &* Int64(ticksPerClick) } }
}

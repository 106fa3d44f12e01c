/// The use of the up to 64 lanes of ``DrumLanes``: which lanes are idle, and at which phase the blocks of each other lane begin.
/// The phase of a frame is the frame modulo 64.
///
/// An idle lane can begin a block at any frame. An active lane can begin a block only at its phase. While fewer
/// voices sound than there are lanes, at least one lane is idle, because every active lane has a voice.
struct LaneTable: Sendable, BitwiseCopyable {
  /// Bit k is set while lane k exists.
  private var existing: UInt64
  /// Bit k is set while lane k is idle.
  private(set) var idle: UInt64
  /// Bit p is set while blocks of an active lane begin at phase p.
  private(set) var activePhases: UInt64 = 0
  /// For each phase, the active lanes with this phase, one bit per lane.
  private var lanes = InlineArray<64, UInt64>(repeating: 0)
  /// For each lane, the frame of its last hit.
  private var lastHits = InlineArray<64, Int64>(repeating: .min)
  /// The lane of the last hit.
  private var lastLane = 0

  /// - Parameter count: the number of lanes, 1...64.
  init(count: Int) {
    existing = UInt64.max >> UInt64(64 - count)
    idle = existing
  }

  /// Adds lane `lane`, which is idle.
  @_noLocks @_noAllocation
  mutating func add(_ lane: Int) {
    existing |= 1 &<< UInt64(lane)
    idle |= 1 &<< UInt64(lane)
  }

  /// Returns the phase of `frame`, also for a negative frame.
  @_noLocks @_noAllocation
  static func phase(of frame: Int64) -> Int { Int(truncatingIfNeeded: frame & 63) }

  /// The active lanes, one bit per lane.
  var active: UInt64 { @_noLocks @_noAllocation get { existing & ~idle } }

  /// Returns the active lanes whose blocks begin at `phase`, one bit per lane.
  @_noLocks @_noAllocation
  func lanes(at phase: Int) -> UInt64 { lanes[phase] }

  /// Returns the lane of the last hit, if that hit is at `frame` and its lane is active.
  @_noLocks @_noAllocation
  func lane(struckAt frame: Int64) -> Int? {
    guard lastHits[lastLane] == frame, active & 1 &<< UInt64(lastLane) != 0 else { return nil }
    return lastLane
  }

  /// Returns the active lane among `lanes`, one bit per lane, whose last hit is the oldest; nil if all of them were struck at `frame`.
  @_noLocks @_noAllocation
  func oldest(before frame: Int64, in lanes: UInt64 = .max) -> Int? {
    var oldest: Int?
    var oldestHit = frame
    var remaining = active & lanes
    while remaining != 0 {
      let lane = remaining.trailingZeroBitCount
      remaining &= remaining &- 1
      if lastHits[lane] < oldestHit { (oldest, oldestHit) = (lane, lastHits[lane]) }
    }
    return oldest
  }

  /// Records a hit at `frame` in `lane`, which is idle or has the phase of `frame`.
  @_noLocks @_noAllocation
  mutating func strike(_ lane: Int, at frame: Int64) {
    let phase = Self.phase(of: frame)
    lanes[phase] |= 1 &<< UInt64(lane)
    activePhases |= 1 &<< UInt64(phase)
    idle &= ~(1 &<< UInt64(lane))
    lastHits[lane] = frame
    lastLane = lane
  }

  /// Makes `lane` idle, because it has no voice.
  @_noLocks @_noAllocation
  mutating func release(_ lane: Int) {
    let phase = Self.phase(of: lastHits[lane])
    lanes[phase] &= ~(1 &<< UInt64(lane))
    if lanes[phase] == 0 { activePhases &= ~(1 &<< UInt64(phase)) }
    idle |= 1 &<< UInt64(lane)
  }
}

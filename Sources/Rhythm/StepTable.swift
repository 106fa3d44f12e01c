import MusicalTime

/// A patch in the form that the real-time thread plays: all hits of the pattern, sorted by step, in one trivial value
/// of fixed size.
///
/// The value contains no references, so it can be passed through a triple buffer. The clock thread looks up the hits of
/// a step and tests each one:
///
///     for index in table.hits(at: step) {
///       let hit = table.hit(index)
///       if hit.sounds(at: activity) { strike(hit) }
///     }
///
/// No two hits of a step that sound at the same activity have the same note.
public struct StepTable: Sendable, BitwiseCopyable {
  /// The longest pattern, in steps: four bars of 4/4.
  public static var maximumSteps: Int { @_noLocks @_noAllocation get { 64 } }
  /// The largest number of hits in a table.
  public static var maximumHits: Int { @_noLocks @_noAllocation get { 512 } }

  /// The length of the pattern in steps, 1...``maximumSteps``: the hits repeat after this number of steps.
  ///
  /// Real-time: safe.
  public var stepCount: Int { @_noLocks @_noAllocation get { Int(steps) } }
  /// The length of a bar in steps. Late joiners start at the beginning of a bar.
  ///
  /// Real-time: safe.
  public var stepsPerBar: Int { @_noLocks @_noAllocation get { Int(barSteps) } }
  /// The number of hits in the whole pattern, for all activities, 0...``maximumHits``.
  ///
  /// Real-time: safe.
  public var hitCount: Int { @_noLocks @_noAllocation get { Int(ends[Int(steps) - 1]) } }

  /// The hits of all steps, in the order of the steps.
  private var hits: InlineArray<512, Hit>
  /// For each step, the end of the range of its hits, which is the start of the range of the next step.
  private var ends: InlineArray<64, UInt16>
  /// ``stepCount``.
  private var steps: UInt8
  /// ``stepsPerBar``.
  private var barSteps: UInt8

  /// Creates a table with one step and no hits.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init() {
    hits = InlineArray(repeating: Hit(note: 0, velocity: 0, group: 0, from: 0, to: 0))
    ends = InlineArray(repeating: 0)
    steps = 1
    barSteps = 1
  }

  /// Creates a table from the hits of each step, with bars of `stepsPerBar` steps. The caller ensures that there are at
  /// most ``maximumSteps`` arrays and ``maximumHits`` hits.
  init(_ hitsByStep: [[Hit]], stepsPerBar: Int) {
    self.init()
    barSteps = UInt8(stepsPerBar)
    steps = UInt8(hitsByStep.count)
    var count = 0
    for (step, stepHits) in hitsByStep.enumerated() {
      for hit in stepHits {
        hits[count] = hit
        count += 1
      }
      ends[step] = UInt16(count)
    }
  }

  /// The indices of the hits at `step`, counted from the first downbeat. `step` may be negative: the pattern repeats in
  /// both directions. Empty if no hit begins at this step.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func hits(at step: Step) -> Range<Int> {
    let length = Int64(steps)
    let remainder = step.index % length
    let index = Int(remainder < 0 ? remainder + length : remainder)
    return Range(uncheckedBounds: (index == 0 ? 0 : Int(ends[index - 1]), Int(ends[index])))
  }

  /// The hit at `index`, from ``hits(at:)``. `index` must be less than ``maximumHits``; unused hits have velocity 0.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func hit(_ index: Int) -> Hit { hits[index] }
}

import MusicalTime

/// A patch as the real-time thread plays it: every stroke of the pattern in one trivial value of fixed size, sorted
/// by step.
///
/// It has no references, so it travels by triple buffer. The clock thread asks what begins at a step and tests each
/// hit:
///
///     for index in table.hits(at: step) {
///       let hit = table.hit(index)
///       if hit.sounds(at: activity) { strike(hit) }
///     }
///
/// No two hits of a step that sound at the same activity have the same note.
public struct StepTable: Sendable, BitwiseCopyable {
  /// The longest pattern, in steps: four bars of 4/4.
  public static var mostSteps: Int { @_noLocks @_noAllocation get { 64 } }
  /// The most hits a table holds.
  public static var mostHits: Int { @_noLocks @_noAllocation get { 512 } }

  /// Length of the pattern in steps, 1...``mostSteps``: the hits repeat after so many.
  ///
  /// Real-time: safe.
  public var stepCount: Int { @_noLocks @_noAllocation get { Int(steps) } }
  /// Length of a bar in steps; latecomers begin at one.
  ///
  /// Real-time: safe.
  public var stepsPerBar: Int { @_noLocks @_noAllocation get { Int(barSteps) } }
  /// Hits in the whole pattern, at all activities, 0...``mostHits``.
  ///
  /// Real-time: safe.
  public var hitCount: Int { @_noLocks @_noAllocation get { Int(ends[Int(steps) - 1]) } }

  private var hits: InlineArray<512, Hit>
  /// Where the hits of each step end; those of the next begin there.
  private var ends: InlineArray<64, UInt16>
  private var steps: UInt8
  private var barSteps: UInt8

  /// A table of one step that strikes nothing.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init() {
    hits = InlineArray(repeating: Hit(note: 0, velocity: 0, group: 0, from: 0, to: 0))
    ends = InlineArray(repeating: 0)
    steps = 1
    barSteps = 1
  }

  /// The table of `hits`, one array a step, in bars of `stepsPerBar`: at most ``mostSteps`` arrays and ``mostHits``
  /// hits, which is for the caller to see to.
  init(_ hitsByStep: [[Hit]], stepsPerBar: Int) {
    self.init()
    barSteps = UInt8(stepsPerBar)
    steps = UInt8(hitsByStep.count)
    var count = 0
    for (step, struck) in hitsByStep.enumerated() {
      for hit in struck {
        hits[count] = hit
        count += 1
      }
      ends[step] = UInt16(count)
    }
  }

  /// The numbers of the hits that begin at `step`, which counts from the first downbeat and may be negative: the
  /// pattern repeats both ways. Empty where the pattern rests.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func hits(at step: Step) -> Range<Int> {
    let length = Int64(steps)
    let rest = step.index % length
    let place = Int(rest < 0 ? rest + length : rest)
    return Range(uncheckedBounds: (place == 0 ? 0 : Int(ends[place - 1]), Int(ends[place])))
  }

  /// The hit numbered `index`, one of ``hits(at:)``. Any number below ``mostHits`` may be asked for; those no step
  /// has strike at velocity 0.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func hit(_ index: Int) -> Hit { hits[index] }
}

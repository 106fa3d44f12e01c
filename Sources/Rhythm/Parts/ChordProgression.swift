public import MusicalTime

/// The chords of a rhythm in the form that a thread with real-time priority uses: a trivial value of fixed size without
/// references.
public struct ChordProgression: Sendable, BitwiseCopyable {
  /// A chord and its first step, counted from the first step of the progression.
  struct Entry: Sendable, BitwiseCopyable {
    var step: UInt16 = 0
    var tones = ChordTones(root: 0, bass: 0, pitchClasses: 1)

    @_noLocks @_noAllocation
    init() {}
  }

  /// The largest number of chords.
  ///
  /// Real-time: safe.
  public static var maximumChords: Int { @_noLocks @_noAllocation get { 48 } }

  /// The chords, in the order of their steps. The first ``count`` elements are used.
  var entries = InlineArray<48, Entry>(repeating: Entry())
  /// The number of chords; 0 for a rhythm without chords.
  ///
  /// Real-time: safe.
  public internal(set) var count = 0
  /// The length in steps, at most 65 534; 0 without chords.
  var stepCount = 0
  /// The step of the ensemble at which the progression begins: step 0 of its rhythm.
  ///
  /// Real-time: safe.
  public var origin = Step(0)

  /// Creates a progression without chords.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init() {}

  /// The chord at `step`, counted like ``origin``; nil without chords. The progression repeats in both directions.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func chord(at step: Step) -> ChordTones? {
    guard count > 0 else { return nil }
    // In a non-mutating method, each access to an element of an InlineArray copies the whole array. The progression is therefore
    // copied once, and a mutating method of the copy is called.
    var progression = self
    return progression.entries[progression.index(at: place(of: step))].tones
  }

  /// The place of `step` within the progression in steps, 0..<``stepCount``.
  ///
  /// - Precondition: there is at least one chord.
  @_noLocks @_noAllocation
  func place(of step: Step) -> Int {
    let place = Int((step.index &- origin.index) % Int64(stepCount))
    return place < 0 ? place + stepCount : place
  }

  /// The index of the chord at a step within the progression.
  @_noLocks @_noAllocation
  mutating func index(at place: Int) -> Int {
    var index = count - 1
    while index > 0, Int(entries[index].step) > place { index -= 1 }
    return index
  }

  /// The first step after the chord at `index`, counted from the first step of the progression, at most ``stepCount``.
  @_noLocks @_noAllocation
  mutating func end(of index: Int) -> Int { index + 1 < count ? Int(entries[index + 1].step) : stepCount }

  /// The index of the chord that follows the chord at `index`.
  @_noLocks @_noAllocation
  func next(after index: Int) -> Int { index + 1 < count ? index + 1 : 0 }
}

extension ChordProgression {
  /// Creates the progression of a rhythm with bars of `stepsPerBar` steps; without chords if `line` is nil.
  ///
  /// Real-time: not safe.
  init(_ line: ChordLine?, stepsPerBar: Int) {
    self.init()
    guard let line else { return }
    stepCount = line.bars * stepsPerBar
    for change in line.changes {
      entries[count].step = UInt16(change.step)
      entries[count].tones = change.chord.tones
      count += 1
    }
  }
}

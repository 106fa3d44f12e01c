public import MusicalTime

/// The next chords of a piece that a rhythm plays instead of its own chords, such as those of a lead sheet.
///
/// A piece can have more chords than a ``StepTable`` has room for. The table therefore gets a window of them, and later windows follow while
/// the rhythm plays. The voicing of a chord depends on the chords before it. So that it is the same in each window, the chords are divided
/// into phrases, and a voicing depends only on the chords of its phrase.
public struct ChordWindow: Hashable, Sendable {
  /// A chord of the window.
  public struct Change: Hashable, Sendable {
    /// The index in ``ChordWindow/phrases``.
    public var phrase: Int
    /// The index of the chord in its phrase.
    public var index: Int
    /// The first step of the chord, counted from ``ChordWindow/origin``.
    public var step: Int

    public init(phrase: Int, index: Int, step: Int) { (self.phrase, self.index, self.step) = (phrase, index, step) }
  }

  /// None is empty.
  public var phrases: [[Chord]]
  /// In the order of time, 1...``ChordProgression/maximumChords``, at different steps. Before the first one, the rhythm plays its own chords.
  public var changes: [Change]
  /// The step from ``origin`` from which on the rhythm plays its own chords again, 1...``maximumStep``; nil: the last chord holds until
  /// another window follows.
  public var end: Int?
  /// The first step of the window, counted from the first downbeat of the rhythm.
  public var origin: Step

  /// The largest value of ``Change/step``.
  public static let maximumStep = 32_767

  public init(phrases: [[Chord]], changes: [Change], origin: Step) {
    (self.phrases, self.changes, self.origin) = (phrases, changes, origin)
  }
}

extension StepTable {
  /// Creates the table of `patch` with other chords.
  ///
  /// Real-time: not safe.
  public init(_ patch: Patch, following window: ChordWindow) {
    self.init(patch)
    var (own, ownKeys) = (chords, partKeys)
    // The progression does not repeat in the steps for which the window is used.
    chords = ChordProgression()
    (chords.stepCount, chords.origin) = (2 * ChordWindow.maximumStep, window.origin)
    let keys = patch.parts.map { part in window.phrases.map { PartKeys.keys(of: part, for: $0) } }
    let places = patch.parts.map { (Int($0.part.rawValue) - 1) * ChordProgression.maximumChords }

    func add(_ tones: ChordTones, at step: Int, keys: (_ part: Int) -> PartKeys) {
      guard chords.count < ChordProgression.maximumChords else { return }
      for part in places.indices { partKeys[places[part] + chords.count] = keys(part) }
      chords.entries[chords.count].step = UInt16(step)
      chords.entries[chords.count].tones = tones
      chords.count += 1
    }
    func addOwn(_ steps: Range<Int>) {
      var step = steps.lowerBound
      while own.count > 0, step < steps.upperBound, chords.count < ChordProgression.maximumChords {
        let place = own.place(of: Step(window.origin.index + Int64(step)))
        let index = own.index(at: place)
        add(own.entries[index].tones, at: step) { ownKeys[places[$0] + index] }
        step += own.end(of: index) - place
      }
    }

    addOwn(0..<(window.changes.first?.step ?? 0))
    for change in window.changes where change.step < window.end ?? .max {
      let chord = window.phrases[change.phrase][change.index]
      add(chord.tones, at: change.step) { keys[$0][change.phrase][change.index] }
    }
    if let end = window.end { addOwn(end..<ChordWindow.maximumStep) }
  }
}

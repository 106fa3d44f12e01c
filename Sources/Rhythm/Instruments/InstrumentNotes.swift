/// A collection of at most sixteen notes in no particular order. An ``InstrumentPlayer`` or a ``PhrasePlayer`` keeps its sounding notes
/// in one collection. An ``InstrumentPlayer`` keeps the notes that wait to begin in another one.
struct InstrumentNotes: Sendable, BitwiseCopyable {
  struct Note: Sendable, BitwiseCopyable {
    var key: UInt8 = 0
    var velocity: UInt8 = 0
    /// The position at which a waiting note begins, or at which a sounding note ends.
    var position = MusicalPosition(milliticks: 0)
    /// Whether the waiting note begins, or the sounding note ends, as early as possible, and not exactly at ``position``.
    var isImmediate = false

    @_noLocks @_noAllocation
    init() {}

    /// Whether the note comes before `other`, see ``InstrumentNotes/earliest()``.
    @_noLocks @_noAllocation
    func precedes(_ other: Note) -> Bool {
      guard position == other.position else { return position < other.position }
      return isImmediate == other.isImmediate ? key < other.key : isImmediate
    }
  }

  /// The largest number of notes.
  static var capacity: Int { @_noLocks @_noAllocation get { 16 } }

  private var notes = InlineArray<16, Note>(repeating: Note())
  private(set) var count = 0

  @_noLocks @_noAllocation
  init() {}

  subscript(index: Int) -> Note {
    @_noLocks @_noAllocation get { notes[index] }
    @_noLocks @_noAllocation set { notes[index] = newValue }
  }

  /// The index of the note with the earliest position; nil without notes. At equal positions, an immediate note comes before
  /// other notes, and then a lower key before a higher key.
  @_noLocks @_noAllocation
  func earliest() -> Int? {
    guard count > 0 else { return nil }
    var (best, index) = (0, 1)
    while index < count {
      if notes[index].precedes(notes[best]) { best = index }
      index &+= 1
    }
    return best
  }

  /// The index of the note with `key`; nil if there is none.
  @_noLocks @_noAllocation
  func index(of key: UInt8) -> Int? {
    var index = 0
    while index < count {
      if notes[index].key == key { return index }
      index &+= 1
    }
    return nil
  }

  /// Adds a note, unless there are already ``capacity`` notes.
  ///
  /// - Returns: whether the note was added.
  @_noLocks @_noAllocation @discardableResult
  mutating func append(_ note: Note) -> Bool {
    guard count < Self.capacity else { return false }
    notes[count] = note
    count &+= 1
    return true
  }

  /// Removes and returns the note at `index`. The last note moves to `index`.
  @_noLocks @_noAllocation @discardableResult
  mutating func remove(at index: Int) -> Note {
    let note = notes[index]
    count &-= 1
    notes[index] = notes[count]
    return note
  }

  /// Moves all positions by `distance`, in thousandths of a tick.
  @_noLocks @_noAllocation
  mutating func shift(by distance: Int64) {
    var index = 0
    while index < count {
      notes[index].position = notes[index].position + distance
      index &+= 1
    }
  }

  /// Sets the beginning of all waiting notes, or the end of all sounding notes, to `position`, and marks them as immediate.
  @_noLocks @_noAllocation
  mutating func moveAll(to position: MusicalPosition) {
    var index = 0
    while index < count {
      notes[index].position = position
      notes[index].isImmediate = true
      index &+= 1
    }
  }
}

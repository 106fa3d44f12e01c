import MusicalTime

/// Repeats a phrase (``Phrase``) in time with the rhythm. The repetitions count from tick 0. All peers that play phrases of the same
/// length are therefore in phase. The player performs no I/O and reads no clock. The value is trivial and has
/// a fixed size.
///
/// Events are returned in the order of their positions. Each note that begins also ends, and no key sounds twice at a time.
public struct PhrasePlayer: Sendable, BitwiseCopyable {
  private var table: PhraseTable
  /// The position up to which events have been returned.
  private var now: MusicalPosition
  /// The first step of the present repetition, counted from step 0 of the rhythm.
  private var cycle: Int64 = 0
  /// The index of the next note.
  private var index = 0
  /// The notes that sound. The position of each note is its end.
  private var sounding = InstrumentNotes()
  private var isStopped = false

  /// Creates a player that begins at `position`. If no repetition of the phrase begins exactly at `position`, the player begins in the
  /// middle of the phrase.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ table: PhraseTable, at position: MusicalPosition) {
    (self.table, now) = (table, position)
    findNextNote()
  }

  /// Whether the player was stopped and no note sounds any longer.
  ///
  /// Real-time: safe.
  public var isSilent: Bool { @_noLocks @_noAllocation get { isStopped && sounding.count == 0 } }

  /// Plays another phrase from now on. Sounding notes end.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func change(to table: PhraseTable) {
    stop()
    (self.table, isStopped) = (table, false)
    findNextNote()
  }

  /// Ends the phrase and all sounding notes as early as possible.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func stop() {
    isStopped = true
    sounding.moveAll(to: now)
  }

  /// Continues at another position, because the rhythm jumps. Sounding notes keep their remaining length.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func move(to position: MusicalPosition) {
    sounding.shift(by: position - now)
    now = position
    findNextNote()
  }

  /// Returns the next event before `horizon`; nil if there is none. The end of a note that ends as early as possible is returned
  /// regardless of the horizon. If events have already been returned up to a later position than `horizon`, only such ends are returned.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func next(before horizon: MusicalPosition) -> InstrumentEvent? {
    if let ending = sounding.earliest() {
      let note = sounding[ending]
      if note.isImmediate { return end(ending, isImmediate: true) }
      if note.position < horizon, isStopped || note.position <= positionOfNextNote {
        now = note.position
        return end(ending)
      }
    }
    guard !isStopped, positionOfNextNote < horizon else {
      if now < horizon { now = horizon }
      return nil
    }
    now = positionOfNextNote
    let note = table.notes[index]
    // A note of the same key that still sounds ends before the new note begins. If too many notes sound, the note that would end
    // earliest ends.
    if let ending = sounding.index(of: note.key) { return end(ending) }
    if sounding.count == InstrumentNotes.capacity, let ending = sounding.earliest() { return end(ending) }
    var begun = InstrumentNotes.Note()
    (begun.key, begun.velocity) = (note.key, note.velocity)
    begun.position = now + Int64(note.length) &* Self.stepLength
    sounding.append(begun)
    advance()
    return InstrumentEvent(.noteOn(key: note.key, velocity: note.velocity), at: now)
  }

  /// The earliest position at which ``next(before:)`` can return an event; nil if there will be no event. Another call can change the
  /// position.
  ///
  /// Real-time: safe.
  public var nextPosition: MusicalPosition? {
    @_noLocks @_noAllocation get {
      guard let ending = sounding.earliest() else { return isStopped ? nil : positionOfNextNote }
      let position = sounding[ending].position
      return isStopped || position < positionOfNextNote ? position : positionOfNextNote
    }
  }

  /// The length of a step in thousandths of a tick.
  private static var stepLength: Int64 { @_noLocks @_noAllocation get { Tick.perStep &* MusicalPosition.perTick } }

  private var positionOfNextNote: MusicalPosition {
    @_noLocks @_noAllocation get {
      MusicalPosition(milliticks: (cycle &+ Int64(table.notes[index].step)) &* Self.stepLength)
    }
  }

  @_noLocks @_noAllocation
  private mutating func end(_ ending: Int, isImmediate: Bool = false) -> InstrumentEvent {
    InstrumentEvent(.noteOff(key: sounding.remove(at: ending).key), at: now, isImmediate: isImmediate)
  }

  @_noLocks @_noAllocation
  private mutating func advance() {
    index &+= 1
    if index == table.noteCount { (index, cycle) = (0, cycle &+ table.stepCount) }
  }

  /// Finds the first note that does not begin before ``now``.
  @_noLocks @_noAllocation
  private mutating func findNextNote() {
    let length = table.stepCount &* Self.stepLength
    var repetition = now.milliticks / length
    if now.milliticks % length < 0 { repetition &-= 1 }
    (cycle, index) = (repetition &* table.stepCount, 0)
    var remaining = table.noteCount
    while remaining > 0, positionOfNextNote < now {
      advance()
      remaining &-= 1
    }
  }
}

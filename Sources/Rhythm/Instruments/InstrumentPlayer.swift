public import MIDI
public import MusicalTime

/// Plays an instrument: turns the controls and the actions of a player, and the progress of the rhythm, into events for a
/// synthesizer. The player performs no I/O and reads no clock.
///
/// Positions are on the timeline of the rhythm. Without a rhythm, they are on any timeline that the caller chooses, for
/// example one at 120 beats per minute. When a rhythm begins or ends, the caller calls ``move(to:rhythmFrom:)``.
///
///     player.controls.set(controller: 1, to: 80)
///     player.act(force: 100, at: position)
///     while let event = player.next(before: horizon) { send(event) }
///
/// The caller asks for the events up to a horizon, which is the present or somewhat later. Stops and changes of tempo are
/// announced one lead time in advance. If the horizon is nearer than the lead time, no returned event has to be cancelled. These
/// rules hold:
///
/// - Each note that begins ends. If a sounding key begins again, its previous note ends first.
/// - No note sounds twice: of the notes of one key at one position, only one begins, and no unit of a figure is played
///   again.
/// - All notes are in the range of the instrument. They are in its scale, or in the chord at their position if the instrument
///   follows the chords of the rhythm, see ``follow(_:from:)``.
///
/// The value is trivial and has a fixed size.
public struct InstrumentPlayer: Sendable, BitwiseCopyable {
  /// The present values of the player's controls. A note of an action uses the values at the time of the action. A note of the
  /// figure uses the values at the time of the call of ``next(before:)``.
  ///
  /// Real-time: safe.
  public var controls = PlayerControls()
  /// The pitches that another player sets. If there are any, each note plays one of these pitches instead of the pitch that the controls
  /// select.
  ///
  /// Real-time: safe.
  public var pitches = BorrowedPitches()
  /// The number of actions that gave no note, because sixteen notes were waiting already.
  ///
  /// Real-time: safe.
  public internal(set) var droppedNotes: Int64 = 0

  var table: InstrumentTable
  /// The chords of the rhythm before ``chordChange``.
  var chords = ChordProgression()
  /// The chords of the rhythm from ``chordChange`` on.
  var nextChords = ChordProgression()
  /// The position at which the chords change because another rhythm begins; nil if no change is pending.
  var chordChange: MusicalPosition?
  /// The position up to which events have been returned. Only a note that is moved to a line of the grid can have an earlier position
  /// (``InstrumentEvent/position``).
  var now: MusicalPosition
  /// The first position of the rhythm; nil without a rhythm.
  var start: MusicalPosition?
  /// The number of the next unit of the figure, counted from tick 0.
  var nextUnit: Int64 = 0
  /// The notes that have not begun. No two of them have the same key and the same position.
  var waiting = InstrumentNotes()
  /// The notes that have begun and not ended. No two of them have the same key.
  var sounding = InstrumentNotes()
  /// Whether the program of the instrument still has to be returned.
  var isProgramDue = true
  /// The last value of Brightness that was returned; nil if there was none.
  var sentBrightness: UInt8?

  /// Creates a player without a rhythm. The first event is the program of the instrument.
  ///
  /// - Parameter position: The present.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ table: InstrumentTable, at position: MusicalPosition) { (self.table, now) = (table, position) }

  /// Plays an action. A free instrument, and every instrument without a rhythm, plays one note. In a rhythm, a figure instrument
  /// plays no note of its own; the action sets the controls `force` and `key` for the figure.
  ///
  /// - Parameters:
  ///   - force: The force, 1...127; other values are limited to this range.
  ///   - key: The played key, 0...127, if the device has keys. It sets the control `key`.
  ///   - position: When the action took place, not later than the present.
  /// - Returns: when the note sounds; nil if the action plays no note. The event of a note that sounds at once has the position of the
  ///   action, or the last horizon if the horizon is later.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation @discardableResult
  public mutating func act(
    force: UInt8, key: UInt8? = nil, at position: MusicalPosition
  ) -> Quantizer.Placement? {
    controls.set(force: force, key: key)
    var isInRhythm = false
    if let start { isInRhythm = position >= start }
    if isInRhythm, table.hasFigure { return nil }
    var note = InstrumentNotes.Note()
    note.velocity = table.velocity(controls)
    var placement = Quantizer.Placement.atOnce
    if isInRhythm { placement = table.quantizer.placement(of: position) }
    switch placement {
    case .atOnce: (note.position, note.isImmediate) = (position < now ? now : position, true)
    // The line is after the action, but can be before the last horizon. The note is then returned late, but keeps the position of
    // its line.
    case .onLine(let tick): note.position = MusicalPosition(tick)
    }
    note.key = table.key(controls, degree: 0, borrowed: pitches.current, in: chord(at: note.position))
    guard wait(note) else { return nil }
    pitches.advance()
    return placement
  }

  /// Plays a message of a MIDI device: a Note On is an action, a controller sets a control, and All Sound Off or All Notes Off
  /// (120, 123 and above) silences the instrument. All other messages have no effect. Note Off has no effect either, because the
  /// instrument determines the length of its notes.
  ///
  /// - Returns: when the note sounds; nil if the message plays no note.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation @discardableResult
  public mutating func receive(_ message: Message, at position: MusicalPosition) -> Quantizer.Placement? {
    switch message {
    case .noteOn(_, let key, let velocity) where velocity.value > 0:
      return act(force: velocity.value, key: key.value, at: position)
    case .controlChange where message.endsAllNotes: silence()
    case .controlChange(_, let controller, let value): controls.set(controller: controller, to: value)
    default: break
    }
    return nil
  }

  /// Continues on another timeline, because a rhythm begins, ends or jumps. Sounding notes keep their remaining length. Notes that
  /// wait for a line of the grid sound at once.
  ///
  /// - Parameters:
  ///   - position: The last horizon, on the new timeline.
  ///   - start: The first tick of the rhythm; nil without a rhythm. The figure sounds from this tick on. Its repetitions count from
  ///     tick 0, so it is in phase with the rhythm.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func move(to position: MusicalPosition, rhythmFrom start: Tick?) {
    sounding.shift(by: position - now)
    now = position
    waiting.moveAll(to: now)
    self.start = nil
    if let start { self.start = MusicalPosition(start) }
    // The position of a pending change of chords belongs to the earlier timeline. The change applies at once.
    if case .some = chordChange { chords = nextChords }
    chordChange = nil
    findNextUnit()
  }

  /// Sets the chords of a rhythm from `position` on. The present chords apply until this position. An instrument without the scale
  /// `chord` ignores the chords.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func follow(_ progression: ChordProgression, from position: MusicalPosition) {
    if let chordChange, chordChange <= now { chords = nextChords }
    (nextChords, chordChange) = (progression, position)
  }

  /// The chord at `position`; nil without chords or without a rhythm.
  @_noLocks @_noAllocation
  func chord(at position: MusicalPosition) -> ChordTones? {
    guard case .some = start else { return nil }
    if let chordChange, position >= chordChange { return nextChords.chord(at: position.tick.step) }
    return chords.chord(at: position.tick.step)
  }

  /// Changes the instrument. Sounding notes end, and waiting notes are removed.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func change(to table: InstrumentTable) {
    silence()
    self.table = table
    isProgramDue = true
    findNextUnit()
  }

  /// Ends all sounding notes as early as possible, and removes the waiting ones.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func silence() {
    sounding.moveAll(to: now)
    waiting = InstrumentNotes()
  }

  /// Adds a waiting note. A note of the same key at the same position becomes as loud as the louder of the two.
  ///
  /// - Returns: false if too many notes are waiting.
  @_noLocks @_noAllocation
  private mutating func wait(_ note: InstrumentNotes.Note) -> Bool {
    var index = 0
    while index < waiting.count {
      let other = waiting[index]
      if other.key == note.key && other.position == note.position {
        if other.velocity < note.velocity { waiting[index].velocity = note.velocity }
        return true
      }
      index &+= 1
    }
    if waiting.append(note) { return true }
    droppedNotes &+= 1
    return false
  }

  /// Sets ``nextUnit`` to the first unit of the figure at or after both ``now`` and ``start``.
  @_noLocks @_noAllocation
  private mutating func findNextUnit() {
    guard let start else { return }
    let first = start > now ? start : now
    let unit = unitLength
    let (count, rest) = first.milliticks.quotientAndRemainder(dividingBy: unit)
    nextUnit = rest > 0 ? count &+ 1 : count
  }

  /// The distance between the lines on which notes sound, in thousandths of a tick; nil for a free instrument with a tolerance of 100 %,
  /// which switches quantization off.
  ///
  /// Real-time: safe.
  public var lineDistance: Int64? {
    @_noLocks @_noAllocation get { table.quantizer.tolerance == 100 && !table.hasFigure ? nil : unitLength }
  }

  /// The length of a unit of the grid in thousandths of a tick.
  var unitLength: Int64 {
    @_noLocks @_noAllocation get { table.quantizer.grid.ticks &* MusicalPosition.perTick }
  }
}

/// The place in the notes of a ``ScoreTable``: returns the notes that begin in the ticks of a step, in their order.
///
/// Positions are thousandths of a tick from the origin of the line. They grow from repeat to repeat of a loop. If a step follows the last one,
/// the cursor goes on at its note. Otherwise it searches the first note of the step.
struct ScoreCursor: BitwiseCopyable {
  /// The number of the table to which ``index`` belongs.
  private var number: UInt32 = 0
  /// The next note.
  private var index = 0
  /// The position at which the present repeat of the loop began; 0 without a loop.
  private var lap: Int64 = 0
  /// The position up to which all notes were returned.
  private var position: Int64 = 0
  /// The end of the step.
  private var limit: Int64 = 0

  @_noLocks @_noAllocation
  init() {}

  /// Begins with the notes of the ticks `first..<end`, counted from the origin of the line. There are no notes before the origin. Notes
  /// of former ticks that were not returned are left out.
  @_noLocks @_noAllocation
  mutating func begin(_ first: Int64, _ end: Int64, in table: ScoreTable) {
    let start = first > 0 ? first &* 1000 : 0
    limit = end &* 1000
    guard number != table.number || position != start else { return }
    (number, position) = (table.number, start)
    lap = table.loopLength > 0 ? start &- start % table.loopLength : 0
    index = table.firstNote(at: start &- lap)
  }

  /// The next note of these ticks, and the position at which it begins. Nil if there is none, or if `table` is another table.
  @_noLocks @_noAllocation
  mutating func next(in table: ScoreTable) -> (note: ScoreNote, position: Int64)? {
    guard number == table.number else { return nil }
    while position < limit {
      let lapEnd = table.loopLength > 0 ? lap &+ table.loopLength : Int64.max
      if index < table.notes.count {
        let note = table.notes[index]
        let start = lap &+ note.position
        if start < lapEnd {
          guard start < limit else { break }
          index += 1
          return (note, start)
        }
      }
      // The loop begins again.
      guard lapEnd < limit else { break }
      (lap, index) = (lapEnd, 0)
    }
    if position < limit { position = limit }
    return nil
  }

  /// Leaves out the notes of these ticks that were not returned. Returns their number, in a loop up to its end.
  @_noLocks @_noAllocation
  mutating func skip(in table: ScoreTable) -> Int {
    let count = table.firstNote(at: limit &- lap) &- index
    // The next step searches its first note.
    number = 0
    return count > 0 ? count : 0
  }
}

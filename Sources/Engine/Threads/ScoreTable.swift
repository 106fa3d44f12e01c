import Audio
import PeerProtocol
import Realtime
import Scores

/// A score as the clock thread plays it: its notes along a route, and the line by which the schedule names it. A trivial value, which a triple
/// buffer passes to the thread. The control thread frees the notes when the thread does not use them any more
/// (``ClockThread/freeScoreTables()``).
struct ScoreTable: Sendable, BitwiseCopyable {
  /// Identifies the table. The clock thread acknowledges it by this number. 0 if no table was given.
  let number: UInt32
  /// In the order of their positions.
  let notes: FrozenTable<ScoreNote>
  /// The length of the bars that repeat, in thousandths of a tick, at least 1000; 0 if no bars repeat.
  let loopLength: Int64
  private let line: ScoreLine

  /// Creates the table of a score. The caller frees ``notes``.
  ///
  /// - Parameters:
  ///   - number: not 0, and different from the numbers of all other tables of this peer.
  ///   - line: the line that the table plays. Its origin has no meaning.
  ///   - events: the events of `score` along the route of the line.
  ///   - loopLength: the length of the route in thousandths of a tick if the line has a loop, otherwise 0. A loop shorter than a tick does not
  ///     repeat.
  init(number: UInt32, line: ScoreLine, _ score: Score, events: EventTable, loopLength: Int64 = 0) {
    self.init(
      number: number, line: line, notes: ScoreNote.notes(of: events.events, in: score), loopLength: loopLength)
  }

  init(number: UInt32, line: ScoreLine, notes: [ScoreNote], loopLength: Int64) {
    (self.number, self.line, self.notes) = (number, line, FrozenTable(notes))
    self.loopLength = loopLength >= 1000 ? loopLength : 0
  }

  /// The General MIDI programs of the notes, 0...127. Real-time: not safe.
  var programs: Set<UInt8> {
    Set((0..<notes.count).lazy.map { notes[$0].program }.filter { $0 != SoundEvent.drumKit })
  }

  /// Creates an empty place for a score.
  ///
  /// - Parameter number: 0, or the number by which the clock thread acknowledges that it uses no table in this place any more.
  @_noLocks @_noAllocation
  init(number: UInt32 = 0) {
    (self.number, notes, loopLength, line) = (number, FrozenTable(), 0, ScoreLine(nil))
  }

  /// Whether this is the table of `line`, which has a digest.
  @_noLocks @_noAllocation
  func describes(_ line: ScoreLine) -> Bool {
    guard case .some = line.digest else { return false }
    return ScoreLine.playSameBars(self.line, line)
  }

  /// The index of the first note at or after a position in thousandths of a tick.
  @_noLocks @_noAllocation
  func firstNote(at position: Int64) -> Int {
    var (low, high) = (0, notes.count)
    while low < high {
      let middle = (low &+ high) / 2
      if notes[middle].position < position { low = middle &+ 1 } else { high = middle }
    }
    return low
  }
}

import ClockSync
import Ensemble
import Measurement
import MusicalTime

/// The trace of a peer: one line per tick that the clock thread has played, and one per action of the player.
struct PeerTrace {
  /// Nil if the peer writes no trace.
  private let writer: TraceWriter?
  /// The reason why the trace is incomplete; nil if it is complete.
  private(set) var failure: TraceError?
  /// The newest estimate of the master's clock. The estimate is kept after the end of the rhythm, because the last ticks are recorded
  /// up to a tenth of a second after they were played.
  var masterClock: ClockEstimate?
  /// The last role other than idle, for the summary.
  var role = Role.idle

  init(_ writer: TraceWriter?) { self.writer = writer }

  /// Appends a tick.
  mutating func append(_ record: TickRecord) throws(TraceError) {
    do {
      try writer?.append(
        TraceTick(
          tick: record.tick, due: record.due, acted: record.acted, offset: masterClock?.offset,
          uncertainty: masterClock?.uncertainty, activity: record.activity))
    } catch {
      failure = error
      throw error
    }
  }

  /// Appends an action of the player.
  mutating func append(_ action: TraceAction) throws(TraceError) {
    do { try writer?.append(action) } catch {
      failure = error
      throw error
    }
  }

  /// Writes the buffered lines to the file.
  mutating func flush() throws(TraceError) {
    do { try writer?.flush() } catch {
      failure = error
      throw error
    }
  }

  /// Writes the summary and closes the file.
  mutating func finish(_ summary: TraceSummary) {
    do throws(TraceError) { try writer?.finish(summary) } catch { failure = error }
  }
}

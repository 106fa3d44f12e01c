import Dispatch
import Ensemble
import PeerProtocol
import Realtime
import Scores
import Synchronization

/// Reads the scores that other peers have sent, and makes the tables of notes for the clock thread. The work is done on a dispatch queue,
/// because it would block the control thread for too long.
final class ScoreWorker: Sendable {
  /// A result of the work.
  enum Result: Sendable {
    /// The received score, or why it cannot be played.
    case read(Document, from: Identity, Swift.Result<Score, ScoreFault>)
    /// The table of a line, whatever its origin.
    case table(ScoreLine, ScoreTable)
  }

  private let queue = DispatchQueue(label: "scores")
  private let bell: Doorbell
  private let results = Mutex<[Result]>([])

  /// Each result rings `bell`.
  init(bell: Doorbell) { self.bell = bell }

  /// Begins to read a score that the peer `sender` has sent.
  func read(_ document: Document, from sender: Identity) {
    perform {
      .read(document, from: sender, Swift.Result { () throws(ScoreFault) in try Score(octets: document.octets) })
    }
  }

  /// Begins to make the table of a plan.
  ///
  /// - Parameter number: ``ScoreTable/number``.
  func makeTable(_ number: UInt32, of plan: ScorePlan, in score: Score) {
    perform {
      let events = EventTable(score, along: plan.route)
      let loopLength = plan.isLoop ? plan.length * 1000 : 0
      return .table(
        plan.line, ScoreTable(number: number, line: plan.line, score, events: events, loopLength: loopLength))
    }
  }

  private func perform(_ work: @escaping @Sendable () -> Result) {
    queue.async { [self] in
      let result = work()
      results.withLock { $0.append(result) }
      bell.ring()
    }
  }

  /// Returns the results since the last call.
  func take() -> [Result] {
    results.withLock { results in
      defer { results = [] }
      return results
    }
  }
}

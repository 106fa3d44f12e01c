import Ensemble
import Synchronization

/// The files of a peer that could not be written: the recordings, the trace and the saved state. Any thread reports a failure, and the control
/// thread informs the player. The mark in the status remains until the peer leaves, because something is missing in the file.
final class FileFailures: Sendable {
  private struct State {
    /// The failures of which the player was not informed yet.
    var waiting: [(file: PeerFile, reason: String)] = []
    var failed: Set<PeerFile> = []
  }

  private let state = Mutex(State())

  /// Records a failure. The player is informed of each.
  func report(_ file: PeerFile, _ reason: String) {
    state.withLock {
      $0.waiting.append((file, reason))
      $0.failed.insert(file)
    }
  }

  /// Removes and returns the failures of which the player was not informed yet.
  func take() -> [(file: PeerFile, reason: String)] {
    state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
  }

  /// All files with a failure, in the order of their declaration.
  var all: [PeerFile] { state.withLock { state in PeerFile.allCases.filter(state.failed.contains) } }
}

import Dispatch
import Ensemble
import Foundation
import PeerProtocol
import Realtime
import Rhythm
import Synchronization

/// Checks the patches that other peers have sent, and saves patches as files. The work is done on a dispatch queue, because it would
/// block the control thread for too long.
final class PatchChecker: Sendable {
  /// The result of a check.
  struct Checked: Sendable {
    let document: Document
    let sender: Identity
    /// The patch, or why it cannot be played.
    let result: Result<Patch, Fault>
  }

  private let queue = DispatchQueue(label: "received patches")
  /// The files that are being written.
  private let saving = DispatchGroup()
  private let bell: Doorbell
  /// The results that ``take()`` returns next.
  private let results = Mutex<[Checked]>([])

  /// Each result rings `bell`.
  init(bell: Doorbell) { self.bell = bell }

  /// Begins to check the text of a patch that the peer `sender` has sent.
  func check(_ document: Document, from sender: Identity) {
    queue.async { [self] in
      let result = Result { () throws(Fault) in try Self.patch(document) }
      results.withLock { $0.append(Checked(document: document, sender: sender, result: result)) }
      bell.ring()
    }
  }

  /// Returns the results since the last call.
  func take() -> [Checked] {
    results.withLock { results in
      defer { results = [] }
      return results
    }
  }

  /// Writes the text of a patch to a new file, and then calls `report` on the queue with the error; nil: no error.
  func save(_ patch: Patch, to path: String, report: @escaping @Sendable (String?) -> Void) {
    queue.async(group: saving) {
      guard !FileManager.default.fileExists(atPath: path) else {
        return report("\(path): exists already; give another name")
      }
      do throws(Fault) {
        try ReplacedFile(path).write(Array(patch.text.utf8))
        report(nil)
      } catch {
        report(
          "\(path): not saved (\(error.reason)); make room on the disk and enter the command again, or restart this peer with the "
            + "environment variable TUTTI_PATCHES set to a writable folder that contains a folder named `rhythms`"
        )
      }
    }
  }

  /// Waits until all files are written, for at most a second.
  func finish() { _ = saving.wait(timeout: .now() + .seconds(1)) }

  /// Parses and checks the text of a patch. In a log line, the reason of a fault follows the name of the sender.
  static func patch(_ document: Document) throws(Fault) -> Patch {
    guard let text = String(validating: document.octets, as: UTF8.self) else {
      throw Fault(reason: "its text is not valid UTF-8")
    }
    let patch: Patch
    do throws(PatchError) { patch = try PatchLoader.patch(from: text, file: "its text") } catch {
      let fault = error.faults[0]
      throw Fault(reason: "line \(fault.line): \(fault.field.isEmpty ? "" : fault.field + ": ")\(fault.reason)")
    }
    // The name becomes a file name when the player saves the patch. A slash between two digits belongs to a meter such as 12/8,
    // and is replaced in the file name. Any other slash would make the name a path.
    let parts = patch.name.split(separator: "/", omittingEmptySubsequences: false)
    let hasPath = zip(parts, parts.dropFirst()).contains { left, right in
      left.last?.isWholeNumber != true || right.first?.isWholeNumber != true
    }
    guard !hasPath, patch.name.first != "." else {
      throw Fault(reason: "its name \(patch.name.debugDescription) contains / or begins with a full stop")
    }
    return patch
  }
}

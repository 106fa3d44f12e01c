import Foundation
import Glibc
public import Logging

// The saved session of a peer, next to its identity in the state folder.
extension StateStore {
  /// The boot ID of the machine. Instants of CLOCK_MONOTONIC are valid for one boot only.
  static let boot =
    (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
    .trimmingCharacters(in: .whitespacesAndNewlines) ?? ""

  /// The maximum size of the file in bytes.
  private static let maximumSize = 1 << 20

  /// Atomically replaces the saved session with `state`. If the write fails, the previous session remains. The function can block for a
  /// long time.
  ///
  /// - Returns: false if the write failed. True if it succeeded, or if the state folder cannot be used.
  func write(_ state: SavedSession) -> Bool {
    guard let sessionPath else { return true }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    guard let data = try? encoder.encode(state) else { return false }
    return (try? data.write(to: URL(fileURLWithPath: sessionPath), options: .atomic)) != nil
  }

  /// Returns the saved session. If there is no saved session or the file cannot be used, logs the reason and returns nil. Renames a file
  /// that has invalid contents or a newer version.
  public func restoreSession(_ log: Logger) -> SavedSession? {
    // Without a state folder, ``init(name:log:)`` has logged the reason.
    guard let sessionPath else { return nil }
    let file: StateFile
    do throws(Fault) { file = try StateFile(sessionPath, O_RDONLY) } catch {
      let reason = error.isMissing ? "there is no file \(sessionPath)" : error.reason
      let remedy =
        error.isMissing
        ? "give the --name of the crashed peer" : "make it a file that belongs to this user and that this user can read"
      log.notice("--restore: \(reason), so nothing is restored; \(remedy)")
      return nil
    }
    let handle = FileHandle(fileDescriptor: file.descriptor, closeOnDealloc: false)
    do {
      guard let data = try handle.read(upToCount: Self.maximumSize + 1), data.count <= Self.maximumSize else {
        throw SavedSession.Fault.isDamaged
      }
      return try JSONDecoder().decode(SavedSession.self, from: data)
    } catch SavedSession.Fault.isNewer(let version) {
      putAside(
        sessionPath, "has version \(version), but this program supports version \(SavedSession.version)", log,
        remedy: "to restore it, rename it to \(sessionPath) and use the newer version of Tutti")
    } catch {
      putAside(sessionPath, "is damaged", log, remedy: "set the rhythm and the connections again")
    }
    return nil
  }

  /// Renames a session file that cannot be used, and logs this. The new name ends with the first free number from 1 to 99.
  ///
  /// - Parameters:
  ///   - reason: why the file cannot be used, for example "is damaged".
  ///   - remedy: what the user can do after the file was renamed.
  private func putAside(_ sessionPath: String, _ reason: String, _ log: Logger, remedy: String) {
    for number in 1...99 {
      let aside = "\(sessionPath).\(number)"
      guard !FileManager.default.fileExists(atPath: aside) else { continue }
      guard (try? FileManager.default.moveItem(atPath: sessionPath, toPath: aside)) != nil else { break }
      return log.warning("\(sessionPath): \(reason); nothing is restored, and the file is kept as \(aside); \(remedy)")
    }
    log.warning("\(sessionPath): \(reason); nothing is restored; rename or remove the file")
  }
}

import Foundation
public import Logging

// What the peer was doing, beside its identity in the state folder.
extension IdentityStore {
  /// The run of the machine: instants of CLOCK_MONOTONIC mean nothing in another.
  static let boot =
    (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
    .trimmingCharacters(in: .whitespacesAndNewlines) ?? ""

  /// The longest file read.
  private static let largest = 1 << 20

  /// Keeps `state` in the place of what was kept before; whoever reads finds the one or the other whole. Where the disk does
  /// not take it, the old one stays.
  ///
  /// - Returns: whether it is kept.
  func keep(_ state: SessionState) -> Bool {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    guard let data = try? encoder.encode(state) else { return false }
    return (try? data.write(to: URL(fileURLWithPath: sessionPath), options: .atomic)) != nil
  }

  /// What was kept; nil when there is nothing, or nothing that can be used: then the file is put aside and `log` says so.
  public func restoreSession(_ log: Logger) -> SessionState? {
    guard let file = FileHandle(forReadingAtPath: sessionPath) else {
      log.notice("nothing to restore: no session of a peer of this name is kept")
      return nil
    }
    defer { try? file.close() }
    do {
      guard let data = try file.read(upToCount: Self.largest + 1), data.count <= Self.largest else {
        throw SessionState.Fault.isDamaged
      }
      return try JSONDecoder().decode(SessionState.self, from: data)
    } catch SessionState.Fault.isNewer(let version) {
      putAside("it is of version \(version), and this program knows \(SessionState.version)", log)
    } catch {
      putAside("it is damaged", log)
    }
    return nil
  }

  private func putAside(_ reason: String, _ log: Logger) {
    for number in 1...99 {
      let aside = "\(sessionPath).\(number)"
      guard !FileManager.default.fileExists(atPath: aside) else { continue }
      guard (try? FileManager.default.moveItem(atPath: sessionPath, toPath: aside)) != nil else { break }
      return log.warning("\(sessionPath): \(reason); kept as \(aside), and begun anew")
    }
    log.warning("\(sessionPath): \(reason); begun anew")
  }
}

import Foundation
import Glibc
import Measurement

/// The folder in which peers keep their state: `tutti` in the state folder of the user (XDG Base Directory Specification).
///
/// If neither XDG_STATE_HOME nor HOME is set, the folder is `tutti-USERID` in the folder for temporary files. Every user can create a
/// folder of this name, so the folder is used only if it belongs to this user and no other user can write to it.
enum StateFolder {
  /// Creates the folder if it is missing, and returns its path.
  ///
  /// - Throws: ``Fault`` if the folder cannot be created or used.
  static func create() throws(Fault) -> String {
    let environment = ProcessInfo.processInfo.environment
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    guard let parent = value("XDG_STATE_HOME") ?? value("HOME").map({ $0 + "/.local/state" }) else {
      return try createTemporary()
    }
    let folder = parent + "/tutti"
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw Fault(reason: "\(folder): cannot be created (\(error.reason))")
    }
    return folder
  }

  private static func createTemporary() throws(Fault) -> String {
    let folder = FileManager.default.temporaryDirectory.path + "/tutti-\(geteuid())"
    mkdir(folder, 0o700)
    var status = stat()
    guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
      status.st_mode & (S_IWGRP | S_IWOTH) == 0
    else { throw Fault(reason: "\(folder): is not a folder that only this user can write to") }
    return folder
  }
}

import Foundation
import Glibc
import Measurement

/// An open regular file of this user in the state folder. Symbolic links and files of other users are refused. Without these checks, in a
/// folder that every user can write to, another user could create a link that makes the peer overwrite a file of this user, or a file whose
/// contents the peer uses.
final class StateFile: Sendable {
  let descriptor: Int32

  /// Opens the file at `path`.
  ///
  /// - Parameter flags: the flags of open(2). A file that O_CREAT creates can be read by this user only.
  /// - Throws: ``Fault``. Its reason begins with the path.
  init(_ path: String, _ flags: Int32) throws(Fault) {
    // O_NONBLOCK, because a named pipe at this path must not block the program.
    descriptor = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let code = errno
      let reason = code == ELOOP ? "is a symbolic link" : String(cString: strerror(code))
      throw Fault(reason: "\(path): \(reason)", isMissing: code == ENOENT)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Fault(reason: "\(path): is not a regular file")
    }
    guard status.st_uid == geteuid() else { throw Fault(reason: "\(path): belongs to another user") }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}

/// The folder in which peers keep their state: `tutti` in the state folder of the user (XDG Base Directory Specification).
///
/// If neither XDG_STATE_HOME nor HOME is set, the folder is `tutti-USERID` in the folder for temporary files. Every user can create a
/// folder of this name, so the folder is used only if it belongs to this user and no other user can write to it.
package enum StateFolder {
  /// The path of the folder, which may be missing.
  package static var path: String { userPath ?? temporaryPath }

  /// The path by the environment variables; nil without them.
  private static var userPath: String? {
    func value(_ name: String) -> String? { environmentVariable(name).flatMap { $0.isEmpty ? nil : $0 } }
    return (value("XDG_STATE_HOME") ?? value("HOME").map { $0 + "/.local/state" }).map { $0 + "/tutti" }
  }

  private static var temporaryPath: String { FileManager.default.temporaryDirectory.path + "/tutti-\(geteuid())" }

  /// Creates the folder if it is missing, and returns its path.
  ///
  /// - Throws: ``Fault`` if the folder cannot be created or used.
  static func create() throws(Fault) -> String {
    guard let folder = userPath else { return try createTemporary() }
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw Fault(reason: "\(folder): cannot be created (\(error.reason))")
    }
    return folder
  }

  private static func createTemporary() throws(Fault) -> String {
    let folder = temporaryPath
    mkdir(folder, 0o700)
    var status = stat()
    guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
      status.st_mode & (S_IWGRP | S_IWOTH) == 0
    else { throw Fault(reason: "\(folder): is not a folder that only this user can write to") }
    return folder
  }
}

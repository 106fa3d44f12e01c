import Foundation
import Testing
import _TestSupport

@testable import Engine

/// Tests of ``ReplacedFile``, a file that is replaced as a whole. The new contents are written to a second file, PATH.partial, which
/// is then renamed.
@Suite struct ReplacedFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func contents(_ name: String) -> String? { try? String(contentsOfFile: folder.path(name), encoding: .utf8) }

  @Test func contentsAreReplaced() throws {
    let file = try ReplacedFile(folder.path("a"))
    #expect(folder.contents == [], "the check leaves no file")
    try file.write(Array("one".utf8))
    #expect(contents("a") == "one")
    // A killed program has left the second file.
    try Data("x".utf8).write(to: folder.url.appendingPathComponent("a.partial"))
    try file.write(Array("two".utf8))
    #expect(contents("a") == "two" && folder.contents == ["a"])
  }

  /// A symbolic link to the file remains a link, and the file keeps its permissions.
  @Test func linkAndPermissionsRemain() throws {
    try Data("x".utf8).write(to: folder.url.appendingPathComponent("target"))
    chmod(folder.path("target"), 0o600)
    try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "target")
    try ReplacedFile(folder.path("link")).write(Array("new".utf8))
    #expect(contents("target") == "new" && folder.contents.sorted() == ["link", "target"])
    var status = stat()
    #expect(stat(folder.path("target"), &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test func unusablePathsAreRefused() throws {
    func reason(_ path: String) -> String? {
      do throws(Fault) { _ = try ReplacedFile(path) } catch { return error.reason }
      return nil
    }
    #expect(reason(folder.url.path) == "not a regular file")
    #expect(reason("/dev/full") == "not a regular file")
    #expect(reason(folder.path("none/a")) == "No such file or directory")
    #expect(reason("a\0b") == "the name contains a zero byte")
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    #expect(reason(folder.path("pipe")) == "not a regular file")
  }

  /// A write that fails leaves the previous contents and no second file.
  @Test func failedWriteLeavesTheFile() throws {
    let file = try ReplacedFile(folder.path("a"))
    try file.write(Array("one".utf8))
    // The second file cannot be created, because a folder has its name.
    try FileManager.default.createDirectory(atPath: folder.path("a.partial"), withIntermediateDirectories: false)
    #expect(throws: Fault.self) { try file.write(Array("two".utf8)) }
    #expect(contents("a") == "one")
  }

  /// Another part of the program writes the second file. The file gets the contents of the second one, or remains.
  @Test func secondFileIsTakenOrDiscarded() throws {
    let file = try ReplacedFile(folder.path("a"))
    try Data("one".utf8).write(to: URL(fileURLWithPath: file.partialPath))
    try file.commit()
    #expect(contents("a") == "one" && folder.contents == ["a"])
    try Data("half".utf8).write(to: URL(fileURLWithPath: file.partialPath))
    file.discard()
    #expect(contents("a") == "one" && folder.contents == ["a"])
    let fault = #expect(throws: Fault.self) { try file.commit() }
    #expect(fault?.reason == "No such file or directory" && fault?.isFull == false)
  }
}

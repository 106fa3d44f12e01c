import Foundation
import Testing
import _TestSupport
import _TestTraits

/// Tests of the state folder of a peer. A peer plays even if its state folder cannot be used.
@Suite(.ownThreads) struct StateFolderTests {
  /// Runs a peer for a short time. Returns its exit status and its output.
  private func run(
    _ environment: [String: String], prefix: [String] = [], seconds: Double = 0.2, in folder: TemporaryFolder
  ) async throws -> Child.Outcome {
    let arguments = [
      "peer", "--name", "ada", "--port", "0", "--discovery", "off", "--audio", "none", "--duration", "\(seconds)",
    ]
    return try await Child.tutti(arguments, prefix: prefix, environment: environment, in: folder).outcome()
  }

  @Test func folderThatCannotBeCreatedCausesAWarning() async throws {
    let outcome = try await run(["XDG_STATE_HOME": "/dev/null/x"], in: TemporaryFolder())
    #expect(outcome.status == 0)
    let warnings = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("tutti: state folder") }
    #expect(warnings.count == 1 && warnings[0].contains("variable XDG_STATE_HOME"), "\(outcome.errors)")
  }

  @Test func symbolicLinkIsRefused() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("state/tutti"), withIntermediateDirectories: true)
    let target = folder.path("target")
    try "precious\n".write(toFile: target, atomically: false, encoding: .utf8)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("state/tutti/ada.identity"), withDestinationPath: target)
    let outcome = try await run([:], in: folder)
    #expect(outcome.status == 0 && outcome.errors.contains("ada.identity: is a symbolic link"), "\(outcome.errors)")
    #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious\n")
  }

  /// The identity file contains the identity and a bound: no term that the peer has used is above the bound (``TermReservation``). The
  /// stored bound, 10^10, needs more than 32 bits. The peer reserves the next block of 64 terms above this bound, and no second block
  /// while it runs. It runs for two seconds, so that its main loop has begun.
  @Test func storedTermBoundHas64Bits() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("state/tutti"), withIntermediateDirectories: true)
    let path = folder.path("state/tutti/ada.identity")
    try "0123456789abcdef\n00000000010000000000\n".write(toFile: path, atomically: false, encoding: .utf8)
    let outcome = try await run([:], seconds: 2, in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let stored = try String(contentsOfFile: path, encoding: .utf8)
    #expect(stored == "0123456789abcdef\n00000000010000000064\n")
  }

  /// An identity of 0, a line that is no identity, a bound that is no number, a bound of 0, a bound above the highest term, and a file that
  /// ends early or late. The peer says so and gets a new identity, because terms that it has used under the old one are not known.
  @Test(arguments: [
    "0000000000000000\n00000000000000000064\n", "xyz\n", "0123456789abcdef\n-0000000000000000001\n",
    "0123456789abcdef\n99999999999999999999\n", "0123456789abcdef\n09223372036854775808\n",
    "0123456789abcdef\n00000000000000000000\n", "0123456789abcdef\n0000000", "0123456789abcdef 00000000000000000064\n",
    "0123456789abcdef\n00000000000000000064\nmore\n",
  ])
  func damagedIdentityFileIsReplaced(text: String) async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("state/tutti"), withIntermediateDirectories: true)
    let path = folder.path("state/tutti/ada.identity")
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    let outcome = try await run([:], in: folder)
    #expect(outcome.status == 0 && outcome.errors.contains("ada.identity: is damaged"), "\(outcome.errors)")
    let stored = try String(contentsOfFile: path, encoding: .utf8)
    #expect(stored.utf8.count == 38 && stored.hasSuffix("\n00000000000000000064\n"), "\(stored)")
    #expect(!stored.hasPrefix("0123456789abcdef") && !stored.hasPrefix("0000000000000000"), "\(stored)")
  }

  /// Only root can create a file of another user.
  @Test(.enabled(if: geteuid() == 0)) func fileOfAnotherUserIsRefused() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("state/tutti"), withIntermediateDirectories: true)
    let path = folder.path("state/tutti/ada.identity")
    try "0123456789abcdef\n".write(toFile: path, atomically: false, encoding: .utf8)
    #expect(chown(path, 65534, 65534) == 0)
    let outcome = try await run([:], in: folder)
    #expect(outcome.status == 0 && outcome.errors.contains("belongs to another user"), "\(outcome.errors)")
  }

  /// Without HOME, the state folder is in the folder for temporary files, where another user may have put a link.
  @Test func linkInTheFolderForTemporaryFilesIsRefused() async throws {
    let folder = try TemporaryFolder()
    let withoutHome = ["env", "-u", "HOME", "-u", "XDG_STATE_HOME", "TMPDIR=" + folder.url.path]
    let own = try await run([:], prefix: withoutHome, in: folder)
    let name = "tutti-\(geteuid())"
    #expect(own.status == 0 && !own.errors.contains("state folder") && folder.contents.contains(name), "\(own.errors)")
    try FileManager.default.removeItem(atPath: folder.path(name))
    try FileManager.default.createDirectory(atPath: folder.path("other"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: folder.path("other"))
    let outcome = try await run([:], prefix: withoutHome, in: folder)
    #expect(outcome.status == 0 && outcome.errors.contains("is not a folder that only this user"), "\(outcome.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("other")) == [])
  }
}

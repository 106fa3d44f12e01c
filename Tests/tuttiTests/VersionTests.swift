import BuildVersion
import Foundation
import Testing
import _TestSupport

/// Tests of the version of the program, which all results contain.
@Suite struct VersionTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test func citationFileHasTheVersionOfTheProgram() throws {
    let text = try String(contentsOf: Self.root.appending(path: ".github/CITATION.cff"), encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("version: ") })
    #expect(Version.current.split(separator: "+")[0] == line.dropFirst("version: ".count))
  }

  /// The version contains the commit from which the program was built. HEAD may be a later commit, if one was made after the build. A
  /// source tree without a Git repository gives a version without a commit.
  @Test func versionContainsTheCommit() async throws {
    let metadata = Version.current.split(separator: "+").dropFirst().joined()
    guard FileManager.default.fileExists(atPath: Self.root.appending(path: ".git").path) else {
      #expect(metadata.isEmpty)
      return
    }
    let commit = String(metadata.prefix { $0 != "-" })
    #expect(commit.count >= 12 && commit.allSatisfy(\.isHexDigit) && [commit, commit + "-dirty"].contains(metadata))
    let git = try Child(
      "/usr/bin/env", ["git", "-C", Self.root.path, "merge-base", "--is-ancestor", commit, "HEAD"], name: "git",
      in: TemporaryFolder())
    #expect(try await git.status() == 0, "\(git.lastError)")
  }
}

import BuildVersion
import Foundation
import Testing

/// Tests of the version of the program, which all results contain.
@Suite struct VersionTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Runs a program in the root folder of the source tree. Returns the standard output and the exit status.
  private func output(of arguments: [String]) throws -> (text: String, status: Int32) {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.currentDirectoryURL = Self.root
    (process.standardOutput, process.standardError) = (pipe, FileHandle.nullDevice)
    try process.run()
    let octets = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (String(decoding: octets, as: UTF8.self).trimmingCharacters(in: .newlines), process.terminationStatus)
  }

  @Test func citationFileHasTheVersionOfTheProgram() throws {
    let text = try String(contentsOf: Self.root.appending(path: ".github/CITATION.cff"), encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("version: ") })
    #expect(Version.current.split(separator: "+")[0] == line.dropFirst("version: ".count))
  }

  /// The version contains the commit from which the program was built. HEAD may be a later commit, if one was made after the build. A
  /// source tree without a Git repository gives a version without a commit.
  @Test func versionContainsTheCommit() throws {
    let metadata = Version.current.split(separator: "+").dropFirst().joined()
    guard FileManager.default.fileExists(atPath: Self.root.appending(path: ".git").path) else {
      #expect(metadata.isEmpty)
      return
    }
    let commit = String(metadata.prefix { $0 != "-" })
    #expect(commit.count >= 12 && commit.allSatisfy(\.isHexDigit) && [commit, commit + "-dirty"].contains(metadata))
    #expect(try output(of: ["git", "merge-base", "--is-ancestor", commit, "HEAD"]).status == 0)
  }
}

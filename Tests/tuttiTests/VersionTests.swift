import BuildVersion
import Foundation
import Testing

/// The version in all results.
@Suite struct VersionTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

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

  /// A commit during the tests makes the commit of the program an ancestor of the present one.
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

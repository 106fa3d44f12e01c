import Foundation
import PackagePlugin

/// Generates a source file with the constant `commit`: the Git commit of the sources, as `Version.current` contains it.
///
/// The manifest (`Context.gitInformation`) and a prebuild command are not suitable, because SwiftPM keeps their results across commits. A
/// build command runs again when one of its inputs changes. Its inputs here are all sources and the reflog, to which Git appends a line at
/// each commit and checkout.
@main
struct CommitPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    let root = context.package.directoryURL
    let output = context.pluginWorkDirectoryURL.appending(path: "Commit.swift")
    return [
      .buildCommand(
        displayName: "Reading the commit", executable: URL(fileURLWithPath: "/bin/sh"),
        arguments: ["-c", Self.script, "sh", root.path, output.path],
        inputFiles: Self.sources(of: root) + [try Self.reflog(of: root)].compactMap { $0 }, outputFiles: [output])
    ]
  }

  /// Writes the file only if the commit has changed, because otherwise the next step would compile it again.
  private static let script = """
    cd "$1"
    commit=$(git rev-parse --short=12 HEAD 2>/dev/null) || commit=
    [ -z "$commit" ] || [ -z "$(git status --porcelain -- Sources Package.swift)" ] || commit=$commit-dirty
    line="let commit = \\"$commit\\""
    [ "$(cat "$2" 2>/dev/null)" = "$line" ] || echo "$line" > "$2"
    """

  /// Returns the manifest and all files under Sources.
  private static func sources(of root: URL) -> [URL] {
    let files = FileManager.default.enumerator(
      at: root.appending(path: "Sources"), includingPropertiesForKeys: [.isRegularFileKey])
    return [root.appending(path: "Package.swift")]
      + (files?.compactMap { $0 as? URL } ?? []).filter {
        (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
      }
  }

  /// Returns the reflog of the repository at `root`; nil if there is none.
  private static func reflog(of root: URL) throws -> URL? {
    let (git, pipe) = (Process(), Pipe())
    git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    git.arguments = ["git", "-C", root.path, "rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"]
    (git.standardOutput, git.standardError) = (pipe, FileHandle.nullDevice)
    try git.run()
    let octets = try pipe.fileHandleForReading.readToEnd() ?? Data()
    git.waitUntilExit()
    let path = String(decoding: octets, as: UTF8.self).trimmingCharacters(in: .newlines)
    return FileManager.default.fileExists(atPath: path) ? URL(fileURLWithPath: path) : nil
  }
}

import Foundation
import PackagePlugin

/// Generates a source file with the constant `commit`, the build metadata of `Version.current`.
///
/// The manifest (`Context.gitInformation`) and a prebuild command are not suitable, because SwiftPM keeps their results across commits. A
/// build command runs again when one of its inputs changes. Its inputs here are the sources, and the files that Git changes at a commit and
/// at a checkout.
@main
struct CommitPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    let root = context.package.directoryURL
    let output = context.pluginWorkDirectoryURL.appending(path: "Commit.swift")
    return [
      .buildCommand(
        displayName: "Reading the commit", executable: URL(fileURLWithPath: "/bin/sh"),
        arguments: ["-c", Self.script, "sh", root.path, output.path],
        inputFiles: Self.sources(of: root) + (try Self.gitFiles(of: root)), outputFiles: [output])
    ]
  }

  /// Writes the file only if the commit has changed, because the module would otherwise be compiled again. A package below the top of a
  /// repository is part of another project, so the commit of this repository is not used.
  private static let script = """
    cd "$1" || exit 1
    unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
    commit=
    if [ -e .git ]; then
      commit=$(git rev-parse --short=12 HEAD) &&
        changes=$(git --no-optional-locks status --porcelain --untracked-files=normal -- Sources Package.swift) ||
        { commit= changes=; echo "warning: no commit in tutti --version, because git failed; see git status" >&2; }
      [ -z "$changes" ] || commit=$commit-dirty
    fi
    line="let commit = \\"$commit\\""
    [ "$(cat "$2" 2>/dev/null)" = "$line" ] || echo "$line" > "$2"
    """

  /// Returns the manifest and all files under Sources, except the documentation.
  private static func sources(of root: URL) -> [URL] {
    let files = FileManager.default.enumerator(
      at: root.appending(path: "Sources"), includingPropertiesForKeys: [.isRegularFileKey], options: .skipsHiddenFiles)
    return [root.appending(path: "Package.swift")]
      + (files?.compactMap { $0 as? URL } ?? []).filter { file in
        !file.pathComponents.contains { $0.hasSuffix(".docc") }
          && (try? file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
      }.sorted { $0.path < $1.path }
  }

  /// Returns the files that Git changes at a commit and at a checkout. A file that does not exist is omitted: for example, a repository
  /// may have no reflog (`logs/HEAD`).
  private static func gitFiles(of root: URL) throws -> [URL] {
    guard FileManager.default.fileExists(atPath: root.appending(path: ".git").path) else { return [] }
    return try ["logs/HEAD", "HEAD", "index"].compactMap { name in
      let (git, pipe) = (Process(), Pipe())
      git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      git.arguments = ["git", "-C", root.path, "rev-parse", "--git-path", name]
      (git.standardOutput, git.standardError) = (pipe, FileHandle.nullDevice)
      try git.run()
      let octets = try pipe.fileHandleForReading.readToEnd() ?? Data()
      git.waitUntilExit()
      let path = String(decoding: octets, as: UTF8.self).trimmingCharacters(in: .newlines)
      let file = URL(fileURLWithPath: path, relativeTo: root)
      return !path.isEmpty && FileManager.default.fileExists(atPath: file.path) ? file.absoluteURL : nil
    }
  }
}

import Foundation
import _TestSupport

extension Child {
  /// The exit status and the output of a program that has ended.
  struct Outcome {
    var status: Int32
    var output: String
    var errors: String
  }

  /// Starts `tutti` with `arguments` in `folder`, with the patches of the source tree. `prefix` contains words before the
  /// command, such as a call of `unshare`.
  static func tutti(
    _ arguments: [String], name: String = "tutti", prefix: [String] = [], environment: [String: String] = [:],
    in folder: TemporaryFolder
  ) throws -> Child {
    let command = prefix + [try Program.tutti()] + arguments
    return try Child(
      "/usr/bin/env", command, name: name, in: folder,
      environment: ["TUTTI_PATCHES": Program.patches].merging(environment) { _, given in given })
  }

  /// Waits until the program ends.
  func outcome() async throws -> Outcome {
    let status = try await status()
    return Outcome(status: status, output: output, errors: errors)
  }
}

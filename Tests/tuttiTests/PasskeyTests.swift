import Foundation
import Testing
import _TestSupport
import _TestTraits

/// Tests of `tutti peer --passkey-file` and `tutti passkey`.
@Suite(.ownThreads) struct PasskeyTests {
  /// Runs a peer for a short time with a passkey of this length. Returns the standard error.
  private func messages(passkey length: Int) async throws -> String {
    let folder = try TemporaryFolder()
    let path = folder.path("band.txt")
    try (String(repeating: "x", count: length) + "\n").write(toFile: path, atomically: false, encoding: .utf8)
    let arguments = [
      "peer", "--name", "ada", "--port", "0", "--discovery", "off", "--audio", "none", "--duration", "0.2",
      "--passkey-file", path,
    ]
    let outcome = try await Child.tutti(arguments, environment: [:], in: folder).outcome()
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome.errors
  }

  @Test func shortPasskeyCausesAWarning() async throws {
    #expect(try await messages(passkey: 15).contains("passkey: has fewer than 16 characters, so it can be guessed"))
    #expect(try await !messages(passkey: 16).contains("passkey"))
  }

  @Test func commandPrintsAPasskey() async throws {
    let outcome = try await Child.tutti(["passkey"], environment: [:], in: TemporaryFolder()).outcome()
    #expect(outcome.status == 0 && outcome.output.wholeMatch(of: /[a-z2-7]{20}\n/) != nil, "\(outcome.output)")
  }
}

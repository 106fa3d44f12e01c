import Foundation
import Testing
import _TestSupport
import _TestTraits

@testable import tutti

/// Tests of ``EarlierFiles``, which renames the recordings and the trace of an earlier run, so that a new run does not replace them.
@Suite(.ownThreads) struct EarlierFilesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(name)))
  }

  private func text(of name: String) throws -> String {
    try String(contentsOfFile: folder.path(name), encoding: .utf8)
  }

  private func rename(_ name: String) throws -> EarlierFiles {
    try EarlierFiles([(folder.path(name), .recording, "--record")])
  }

  @Test func existingFileGetsAnUnusedName() throws {
    #expect(try rename("take.mid").renamed.isEmpty)
    for (content, name) in [("a", "take-1.mid"), ("b", "take-2.mid")] {
      try write(content, to: "take.mid")
      let line = "\(folder.path("take.mid")): the earlier recording is now \(folder.path(name))"
      #expect(try rename("take.mid").lines == [line])
      #expect(try text(of: name) == content)
      #expect(!folder.contents.contains("take.mid"))
    }
  }

  @Test(arguments: [("take", "take-1"), (".take", ".take-1"), ("a.b/take", "a.b/take-1"), ("a.b.wav", "a.b-1.wav")])
  func numberStandsBeforeTheSuffix(name: String, newName: String) throws {
    try FileManager.default.createDirectory(atPath: folder.path("a.b"), withIntermediateDirectories: true)
    try write("a", to: name)
    _ = try rename(name)
    #expect(try text(of: newName) == "a")
  }

  /// A device, a pipe and an empty file contain no recording.
  @Test func onlyRecordingsAreRenamed() throws {
    #expect(try EarlierFiles([("/dev/null", .recording, "--audio")]).renamed.isEmpty)
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    try write("", to: "empty.wav")
    #expect(try rename("pipe").renamed.isEmpty && rename("empty.wav").renamed.isEmpty)
  }

  @Test func targetOfALinkIsRenamed() throws {
    try write("a", to: "disk.wav")
    try FileManager.default.createSymbolicLink(atPath: folder.path("me.wav"), withDestinationPath: "disk.wav")
    let earlier = try rename("me.wav")
    #expect(try text(of: "disk-1.wav") == "a")
    earlier.restore()
    #expect(try text(of: "me.wav") == "a")
  }

  /// The peer did not start, so the file gets its former name. A file that stands there by now is kept.
  @Test func failedStartRestoresTheName() throws {
    try write("a", to: "me.wav")
    try rename("me.wav").restore()
    #expect(try text(of: "me.wav") == "a")
    let earlier = try rename("me.wav")
    try write("b", to: "me.wav")
    earlier.restore()
    #expect(try text(of: "me.wav") == "b" && text(of: "me-1.wav") == "a")
  }

  /// A peer that records three times to the same names keeps all three takes. The newest one has the name that was given.
  @Test func peerKeepsEarlierTakes() async throws {
    for take in 0..<3 {
      let outcome = try await Child.tutti(
        [
          "peer", "--name", "ada", "--port", "0", "--discovery", "off", "--audio", "wav:me.wav", "--record", "me.mid",
          "--trace", "me.trace", "--start", "--duration", "0.3",
        ], in: folder
      ).outcome()
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.errors.contains("recording to me.wav\n") && outcome.errors.contains("recording to me.mid\n"))
      #expect(
        outcome.errors.contains(/me\.wav: \d+ s\n/) && outcome.errors.contains(/me\.mid: \d+ s\n/), "\(outcome.errors)")
      for (name, content) in [("me.wav", "recording"), ("me.mid", "recording"), ("me.trace", "trace")] {
        let newName = name.replacing("me", with: "me-\(take)")
        let isKept = outcome.errors.contains("\(name): the earlier \(content) is now \(newName)\n")
        #expect(isKept == (take > 0), "\(outcome.errors)")
      }
    }
    let files = ["me", "me-1", "me-2"].flatMap { stem in ["wav", "mid", "trace"].map { "\(stem).\($0)" } }
    #expect(Set(folder.contents).isSuperset(of: files), "\(folder.contents)")
  }

  /// A peer that cannot start changes no file.
  @Test func failedPeerKeepsTheName() async throws {
    try write("a", to: "me.wav")
    let outcome = try await Child.tutti(
      ["peer", "--port", "0", "--audio", "wav:me.wav", "--soundfont", "missing.sf2"], in: folder
    ).outcome()
    #expect(outcome.status == 69, "\(outcome.errors)")
    #expect(try text(of: "me.wav") == "a")
  }
}

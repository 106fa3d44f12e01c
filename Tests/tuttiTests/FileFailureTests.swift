import Audio
import Foundation
import Testing
import _TestSupport
import _TestTraits

/// Tests of files that cannot grow: a recording of a peer, and files that commands write. The limit of the size of files stands for a full
/// disk: writes fail, and the signal of the limit is ignored.
@Suite(.ownThreads) struct FileFailureTests {
  @Test func recordingThatCannotGrowIsReportedAtOnceAndValid() async throws {
    let folder = try TemporaryFolder()
    // 2048 blocks of 1024 bytes are 10.9 s of sound at 48 kHz.
    let prefix = ["bash", "-c", "trap '' XFSZ; ulimit -f 2048; exec \"$@\"", "bash"]
    let path = folder.path("take.wav")
    let child = try Child.tutti(
      ["peer", "--port", "0", "--discovery", "off", "--json", "--audio", "wav:\(path)", "--start", "--duration", "14"],
      prefix: prefix, in: folder)
    try await child.wait(for: "to report the failure") { child.output.contains(#""event":"file_failed""#) }
    #expect(child.isRunning && child.output.contains(#""file":"wav""#))
    #expect(child.errors.contains("take.wav: the recording has stopped: File too large"), "\(child.errors)")
    // The header states what was written.
    let frames = try SoundFile(path: path).samples.count
    #expect((480_000..<530_000).contains(frames), "\(frames)")
    let outcome = try await child.outcome()
    #expect(outcome.status == 69, "\(outcome.errors)")
    #expect(try SoundFile(path: path).samples.count == frames)
  }

  /// A command that cannot write its whole file leaves no file. A file that exists remains as it was.
  @Test(arguments: [
    ("patch new new", "new.yaml"), ("patch new new --instrument", "new.yaml"),
    ("patch export street --bars 100", "street.mid"), ("patch render street --bars 1", "street.wav"),
    ("score export evening --output new.musicxml", "new.musicxml"),
    ("score render evening", "evening.wav"), ("patch export street --bars 100 --output old.mid", "old.mid"),
    ("patch render street --bars 1 --output old.mid", "old.mid"),
  ])
  func commandLeavesNoIncompleteFile(command: String, file: String) async throws {
    let folder = try TemporaryFolder()
    let export = try await Child.tutti(["patch", "export", "street", "--output", "old.mid"], in: folder).outcome()
    try #require(export.status == 0, "\(export.errors)")
    let old = try Data(contentsOf: folder.url.appendingPathComponent("old.mid"))
    let before = folder.contents
    // One block has 1024 bytes.
    let prefix = ["bash", "-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "bash"]
    let words = command.split(separator: " ").map(String.init)
    let outcome = try await Child.tutti(words, prefix: prefix, in: folder).outcome()
    #expect(outcome.status == 69)
    #expect(outcome.errors.contains("\(file): cannot be written ("), "\(outcome.errors)")
    #expect(outcome.errors.hasSuffix("); make room on the disk\n"), "\(outcome.errors)")
    #expect(Set(folder.contents) == Set(before))
    #expect(try Data(contentsOf: folder.url.appendingPathComponent("old.mid")) == old)
  }
}

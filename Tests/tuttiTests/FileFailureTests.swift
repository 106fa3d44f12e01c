import Audio
import Foundation
import Testing
import _TestSupport
import _TestTraits

/// Tests of a peer whose recording cannot grow. The limit of the size of files stands for a full disk: writes fail, and the signal of the
/// limit is ignored.
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
}

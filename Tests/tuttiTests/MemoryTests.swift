import Foundation
import Testing
import _TestSupport
import _TestTraits

/// A test of the resident memory of a peer process, with each SoundFont. The scenario `memory-lock.sh` of the lab has the same limit for
/// TimGM6mb. The scenario also examines page faults, and limits of locked memory.
@Suite(.ownThreads) struct MemoryTests {
  /// 72 and 110 MiB, in kB.
  @Test(arguments: InstalledSoundFont.all) func playingPeerTakesLimitedMemory(font: InstalledSoundFont) async throws {
    let limit = font == .timGM6mb ? 73_728 : 112_640
    let folder = try TemporaryFolder()
    let peer = try await PeerProcess(
      "ada", ["--audio", "wav:ada.wav", "--start", "--soundfont", font.path], in: folder)
    try await peer.wait(forRole: "master")
    try await pause(for: .seconds(1))
    let status = try String(contentsOfFile: "/proc/\(peer.child.identifier)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    // In kB. A value of 20 000 or less would be implausible.
    let memory = try #require(Int(line.filter(\.isNumber)))
    #expect(memory > 20_000 && memory <= limit, "\(memory) kB")
    try await peer.leave()
  }
}

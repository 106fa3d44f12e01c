import Foundation
import Testing
import _TestSupport
import _TestTraits

/// A test of the resident memory of a peer process with the SoundFont TimGM6mb. A larger SoundFont takes more. The scenario
/// `memory-lock.sh` of the lab has the same limit. The scenario also examines page faults, and limits of locked memory.
///
/// The code of HTTPS adds 8 MB to the program, and the peer keeps the whole program in memory. Scores add 6 MB: code, and
/// voices of the lanes for chords. The code of the measurements of players, activity and spectra adds 1 MB.
@Suite(.ownThreads) struct MemoryTests {
  #if HTTPS
    private static let limit = 125_000
  #else
    private static let limit = 117_000
  #endif

  @Test func playingPeerTakesLimitedMemory() async throws {
    let folder = try TemporaryFolder()
    let peer = try await PeerProcess(
      "ada", ["--audio", "wav:ada.wav", "--start", "--soundfont", InstalledSoundFont.timGM6mb.path], in: folder)
    try await peer.wait(forRole: "master")
    try await pause(for: .seconds(1))
    let status = try String(contentsOfFile: "/proc/\(peer.child.identifier)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    // In kB. A value of 20 000 or less would be implausible.
    let memory = try #require(Int(line.filter(\.isNumber)))
    #expect(memory > 20_000 && memory <= Self.limit, "\(memory) kB")
    try await peer.leave()
  }
}

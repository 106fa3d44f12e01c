import Audio
import Testing
import _TestSupport
import _TestTraits

/// A test of where a note sounds. The peers run on loopback and record their sound.
@Suite(.serialized, .ownThreads) struct HearingProcessTests {
  /// Ada plays a note. Cleo hears ada with 40 % of the velocity. Ben has not chosen to hear ada, so the note is silent at ben. All
  /// three report the note as an event.
  @Test func noteSoundsAtItsPlayerAndSofterAtPlayersWhoHearIt() async throws {
    let folder = try TemporaryFolder()
    let ben = try await PeerProcess("ben", ["--audio", "wav:ben.wav"], in: folder)
    let cleo = try await PeerProcess("cleo", connect: [ben], ["--audio", "wav:cleo.wav"], in: folder)
    let ada = try await PeerProcess("ada", connect: [ben, cleo], ["--audio", "wav:ada.wav"], in: folder)
    let peers = [ada, ben, cleo]
    for peer in peers { try await peer.wait(forPeers: 2) }
    try await ada.wait(for: "to have a channel") { $0.contains { $0.event == "channel" } }
    cleo.type("hear ada 40")
    // The command causes no event that the test could wait for.
    try await pause(for: .milliseconds(300))
    ada.type("note 60 120")
    // The note in hexadecimal digits: key 60 (3C) and velocity 120 (78).
    for peer in peers {
      try await peer.wait(for: "to learn of the note") { $0.contains { $0.midi?.hasSuffix("3C 78") == true } }
    }
    try await pause(for: .milliseconds(300))
    for peer in peers { try await peer.leave() }
    let peaks = try peers.map { peer in
      try SoundFile(path: folder.path("\(peer.name).wav")).samples.map { abs($0) }.max() ?? 0
    }
    // The peaks are fractions of full scale. Ben's recording is silent. At cleo, the note has the velocity 48: 40 % of 120.
    #expect(peaks[0] > 0.02 && peaks[1] < 0.001, "\(peaks)")
    #expect(peaks[2] > 0.002 && peaks[2] < peaks[0] * 0.6, "\(peaks)")
  }
}

import Audio
import Foundation
import Measurement
import MusicalTime
import Testing
import _TestSupport
import _TestTraits

/// Tests of notes, gates and activity between peer processes on loopback.
@Suite(.serialized, .ownThreads) struct EnsembleProcessTests {
  @Test func notesReachTheirRecipientsThroughOpenGatesOnly() async throws {
    let folder = try TemporaryFolder()
    let ben = try await PeerProcess(
      "ben", ["--gate", "ada:modification=closed", "--hear", "all=100", "--audio", "wav:ben.wav"], in: folder)
    let cleo = try await PeerProcess("cleo", connect: [ben], in: folder)
    let ada = try await PeerProcess("ada", connect: [ben, cleo], in: folder)
    for peer in [ada, ben, cleo] { try await peer.wait(forPeers: 2) }
    // Ada gets its channel when all peers have exchanged presences.
    try await ada.wait(for: "to have a channel") { $0.contains { $0.event == "channel" } }
    /// Whether `peer` has received a note or a controller of ada, with the velocity or the value 100 (0x64).
    ///
    /// - Parameter number: the key or the number of the controller, two hexadecimal digits. Key 60 is 3C, 62 is 3E, and 64 is 40.
    func hasReceived(_ peer: PeerProcess, _ number: String) -> Bool {
      peer.events.contains { $0.event == "message" && $0.name == "ada" && $0.midi?.hasSuffix("\(number) 64") == true }
    }
    ada.type("send-to ben")
    ada.type("note 60 100")
    ada.type("release 60")
    ada.type("send-to all")
    ada.type("control 1 100")
    ada.type("note 62 100")
    try await ben.wait(for: "to receive note 62") { _ in hasReceived(ben, "3E") }
    try await cleo.wait(for: "to receive note 62") { _ in hasReceived(cleo, "3E") }
    #expect(hasReceived(ben, "3C") && !hasReceived(cleo, "3C"), "note 60 was sent to ben only")
    #expect(hasReceived(cleo, "01") && !hasReceived(ben, "01"), "the modification gate of ben is closed for ada")
    // Ben closes its gate for notes, so note 64 reaches cleo only.
    ben.type("gate ada:notes=closed")
    try await pause(for: .milliseconds(300))
    ada.type("note 64 100")
    try await cleo.wait(for: "to receive note 64") { _ in hasReceived(cleo, "40") }
    #expect(!hasReceived(ben, "40"))
    // When ada is killed, ben and cleo end the notes that ada holds, such as note 62 (3E).
    ada.child.signal(SIGKILL)
    for peer in [ben, cleo] {
      try await peer.wait(for: "to release the notes of ada") { events in
        events.contains {
          $0.event == "message" && $0.midi?.hasPrefix("8") == true && $0.midi?.contains(" 3E ") == true
        }
      }
    }
    // The weight is 25 per open gate, except the activity gate, which does not count while no rhythm plays. Ben has closed
    // two gates for ada and none for cleo.
    let roster = try #require(ben.events.last { $0.event == "roster" && $0.peers?.count == 2 }?.peers)
    #expect(roster.first { $0.name == "ada" }?.weightIn == 25 && roster.first { $0.name == "cleo" }?.weightIn == 75)
    for peer in [ben, cleo] { try await peer.leave() }
    let file = try SoundFile(path: folder.path("ben.wav"))
    #expect(file.samples.contains { abs($0) > 0.01 }, "the recording of ben is silent")
  }

  /// Ada starts the rhythm at 150 BPM and stops it. Ben, whose own tempo is 120 BPM, then starts with the tempo of the band.
  @Test func tempoStaysWithTheBand() async throws {
    let folder = try TemporaryFolder()
    let ben = try await PeerProcess("ben", ["--bpm", "120", "--trace", "ben.trace"], in: folder)
    let ada = try await PeerProcess("ada", connect: [ben], ["--start", "--bpm", "150"], in: folder)
    try await ben.wait(forRole: "follower")
    ada.type("stop")
    for peer in [ada, ben] { try await peer.wait(forRole: "idle") }
    ben.type("start")
    try await ben.wait(forRole: "master")
    try await pause(for: .seconds(1))
    for peer in [ada, ben] { try await peer.leave() }
    let ticks = try Trace(contentsOf: folder.path("ben.trace")).ticks.suffix(10)
    let first = try #require(ticks.first)
    let last = try #require(ticks.last)
    // At 150 BPM, nine ticks last 9 * 60 s / 150 / 24, which is 150 ms.
    #expect(last.tick - first.tick == 9 && (last.due - first.due - .milliseconds(150)).magnitude < .microseconds(1))
  }

  /// Ada starts the rhythm bembe at 150 BPM and stops it. Cleo, who has chosen neither a rhythm nor a tempo, then meets only ben, and starts.
  @Test func newMemberStartsWithTheTempoAndTheRhythmOfTheBand() async throws {
    let folder = try TemporaryFolder()
    let ben = try await PeerProcess("ben", in: folder)
    let ada = try await PeerProcess("ada", connect: [ben], ["--patch", "bembe", "--start", "--bpm", "150"], in: folder)
    try await ben.wait(forRole: "follower")
    try await ben.child.wait(for: "to receive the rhythm") { ben.child.errors.contains("rhythm bembe: plays") }
    ada.type("stop")
    for peer in [ada, ben] { try await peer.wait(forRole: "idle") }
    try await ada.leave()
    let cleo = try await PeerProcess("cleo", connect: [ben], ["--trace", "cleo.trace"], in: folder)
    try await cleo.child.wait(for: "to adopt the tempo and the rhythm") {
      let text = cleo.child.errors
      return text.contains("the tempo: 150.0 BPM") && text.contains("rhythm bembe: chosen, as the last one")
    }
    cleo.type("start")
    try await ben.wait(forRole: "follower")
    try await pause(for: .seconds(1))
    for peer in [cleo, ben] { try await peer.leave() }
    let ticks = try Trace(contentsOf: folder.path("cleo.trace")).ticks
    let (first, last) = (try #require(ticks.first), try #require(ticks.last))
    #expect(
      last.tick > Tick(9)
        && (last.due - first.due - .microseconds(16_667 * (last.tick - first.tick))).magnitude < .milliseconds(1))
    #expect(!ben.child.errors.contains("the master cleo has chosen it"), "ben already plays this rhythm")
  }

  @Test func masterMutesAPlayerAndMakesAllQuiet() async throws {
    let folder = try TemporaryFolder()
    let ben = try await PeerProcess("ben", in: folder)
    let ada = try await PeerProcess("ada", connect: [ben], ["--start"], in: folder)
    try await ben.wait(forRole: "follower")
    /// Whether `peer` has sounded a note of its own player with velocity 100 (0x64). `key` has two hexadecimal digits: key 60 is 3C.
    func hasSounded(_ peer: PeerProcess, _ key: String) -> Bool {
      peer.events.contains { $0.event == "message" && $0.name == nil && $0.midi?.contains(" \(key) 64") == true }
    }
    func count(_ event: String, of peer: PeerProcess) -> Int { peer.events.count { $0.event == event } }
    /// Types a command at ben that only the master may give. Waits until ben has reported the error `number` times since its start.
    func expectRejectedCommand(_ number: Int) async throws {
      ben.type("quiet off")
      try await ben.child.wait(for: "to report the error") {
        ben.child.errors.ranges(of: "ada leads. ada can press h").count == number
      }
    }
    ben.type("note 60 100")
    try await ben.wait(for: "to sound note 60") { _ in hasSounded(ben, "3C") }
    ada.type("mute ben")
    try await ben.wait(for: "to be muted") { _ in count("muted", of: ben) == 1 }
    // The mute ends the note that ben's player holds.
    try await ben.wait(for: "to end note 60") {
      $0.contains { $0.name == nil && $0.midi?.hasPrefix("8") == true && $0.midi?.contains(" 3C ") == true }
    }
    ben.type("note 61 100")
    // A peer executes its commands in order. When ben reports the error, it has also executed the command `note 61`.
    try await expectRejectedCommand(1)
    ada.type("unmute ben")
    try await ben.wait(for: "to be heard again") { _ in count("unmuted", of: ben) == 1 }
    ben.type("note 62 100")
    try await ben.wait(for: "to sound note 62") { _ in hasSounded(ben, "3E") }
    #expect(!hasSounded(ben, "3D"))
    ada.type("quiet")
    try await ben.wait(for: "to be quiet") { _ in count("muted", of: ben) == 2 }
    try await ada.wait(for: "to be quiet") { _ in count("muted", of: ada) == 1 }
    ben.type("note 63 100")
    try await expectRejectedCommand(2)
    ada.type("quiet off")
    try await ben.wait(for: "to be heard again") { _ in count("unmuted", of: ben) == 2 }
    #expect(!hasSounded(ben, "3F"))
    try await ada.leave()
    try await ben.leave()
    #expect(ben.child.errors.contains("ada muted you") && ben.child.errors.contains("ada silenced all players"))
  }

  @Test func totalActivityDependsOnAllActivitiesAndTheRule() async throws {
    let folder = try TemporaryFolder()
    let ben = try await PeerProcess("ben", ["--activity", "30"], in: folder)
    let cleo = try await PeerProcess("cleo", connect: [ben], ["--activity", "40"], in: folder)
    let ada = try await PeerProcess("ada", connect: [ben, cleo], ["--activity", "20", "--start"], in: folder)
    func expect(_ total: Int) async throws {
      for peer in [ada, ben] {
        try await peer.wait(for: "to have total activity \(total)") {
          $0.last { $0.event == "total_activity" }?.totalActivity == total
        }
      }
    }
    // By default, the total activity is the sum of all activities, and at most 127. Ada has 20, cleo 40, and ben first 30.
    try await expect(90)
    ben.type("activity 60")
    try await expect(120)
    ben.type("activity 127")
    try await expect(127)
    ben.type("activity 1")
    try await expect(61)
    try await cleo.leave()
    try await expect(21)
    // Cleo has left. With the rule `maximum`, the total activity is the greater of the activities 20 (ada) and 1 (ben).
    ada.type("total-activity maximum")
    try await expect(20)
    for peer in [ada, ben] { try await peer.leave() }
  }

  @Test func onlyTheLeaderStartsALedSession() async throws {
    let folder = try TemporaryFolder()
    let ben = try await PeerProcess("ben", ["--led-by", "ada"], in: folder)
    let ada = try await PeerProcess("ada", connect: [ben], ["--led-by", "ada"], in: folder)
    try await ben.wait(forPeers: 1)
    ben.type("start")
    try await ben.child.wait(for: "to be rejected") {
      ben.child.errors.contains("only ada may control it")
    }
    ada.type("start")
    try await ada.wait(forRole: "master")
    try await ben.wait(forRole: "follower")
    for peer in [ada, ben] { try await peer.leave() }
    #expect(!ben.events.contains { $0.role == "master" })
  }

  /// No peer takes over, so the rhythm ends with its leader. The line names no command that is not permitted.
  @Test func endOfALedRhythmNamesTheLeader() async throws {
    let folder = try TemporaryFolder()
    let ben = try await PeerProcess("ben", ["--led-by", "ada", "--on-master-loss", "stop"], in: folder)
    let ada = try await PeerProcess("ada", connect: [ben], ["--led-by", "ada", "--start"], in: folder)
    try await ben.wait(forRole: "follower")
    ada.child.signal(SIGKILL)
    try await ben.wait(forRole: "idle")
    try await ben.child.wait(for: "the line") {
      ben.child.errors.contains("lost, so the rhythm ended; wait until ada starts it again")
    }
    try await ben.leave()
  }

  /// The process of the leader is killed. The rhythm goes on, but nobody controls it, until the leader has been restarted.
  @Test func lostLeaderDoesNotSilenceTheOthers() async throws {
    let folder = try TemporaryFolder()
    let led = ["--led-by", "ada"]
    let ben = try await PeerProcess("ben", led, in: folder)
    let cleo = try await PeerProcess("cleo", connect: [ben], led, in: folder)
    let ada = try await PeerProcess("ada", connect: [ben], led, in: folder)
    for peer in [ada, ben, cleo] { try await peer.wait(forPeers: 2) }
    ada.type("start")
    for peer in [ben, cleo] { try await peer.wait(forRole: "follower") }
    ada.child.signal(SIGKILL)
    _ = try await ada.child.status()
    try await ben.child.wait(for: "one of the others to keep the rhythm") {
      [ben, cleo].contains { $0.child.errors.contains("this peer keeps the rhythm until ada returns") }
    }
    let keeper = try #require([ben, cleo].first { $0.child.errors.contains("keeps the rhythm") })
    keeper.type("stop")
    try await keeper.child.wait(for: "to be rejected") { keeper.child.errors.contains("only ada may control it") }
    let again = try await PeerProcess("ada", port: ada.port, ["--restore"], in: folder)
    try await again.wait(forRole: "master")
    try await again.child.wait(for: "the line") {
      again.child.errors.contains("peer restored; this peer is the master")
    }
    try await keeper.wait(forRole: "follower")
    again.type("stop")
    for peer in [ben, cleo] { try await peer.wait(forRole: "idle") }
    // The rhythm was never interrupted.
    for peer in [ben, cleo] {
      #expect(peer.events.filter { $0.event == "role" }.dropLast().allSatisfy { $0.role != "idle" })
    }
    for peer in [again, ben, cleo] { try await peer.leave() }
  }
}

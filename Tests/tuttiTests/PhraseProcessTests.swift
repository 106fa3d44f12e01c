import Testing
import _TestSupport
import _TestTraits

/// A test of a phrase that one player records and another player repeats, with live peers on loopback.
@Suite(.serialized, .ownThreads) struct PhraseProcessTests {
  @Test func phraseIsRecordedSentAndRepeated() async throws {
    let folder = try TemporaryFolder()
    let ben = try await PeerProcess("ben", ["--audio", "none"], in: folder)
    let ada = try await PeerProcess("ada", connect: [ben], ["--audio", "none", "--start", "--bpm", "240"], in: folder)
    try await ada.wait(forRole: "master")
    try await ben.wait(forRole: "follower")
    try await ben.wait(for: "to have a channel") { $0.contains { $0.event == "channel" } }
    func wait(_ peer: PeerProcess, for text: String) async throws {
      try await peer.child.wait(for: "to print \(text)") { peer.child.errors.contains(text) }
    }
    // A recording lasts four bars of one second. On a busy machine, this thread may type its notes too late, so that a recording contains
    // no note. The test then begins another recording. It types notes until a recording contains notes.
    var (typed, recordings) = (0, 0)
    for number in 0..<100 where !ada.child.errors.contains("phrase: recorded") {
      if ada.child.errors.ranges(of: "no notes were played").count == recordings {
        recordings += 1
        ada.type("phrase record 4")
      }
      typed += 1
      ada.type("note \(60 + number % 4)")
      ada.type("release \(60 + number % 4)")
      try await pause(for: .milliseconds(200))
    }
    #expect(ada.child.errors.contains("lasts 4 bars"))
    try await wait(ada, for: "phrase: recorded")
    ada.type("phrase send ben")
    try await wait(ben, for: "ada sends a phrase")
    /// The keys that ben's own player plays.
    func keys() -> [String] {
      ben.events.filter { $0.event == "message" && $0.name == nil && $0.midi?.hasPrefix("9") == true }.compactMap {
        $0.midi?.split(separator: " ").dropFirst().first.map(String.init)
      }
    }
    #expect(keys().isEmpty, "ben decides whether the phrase plays")
    ben.type("phrase play")
    // The phrase has at most `typed` notes. If ben plays more notes, the phrase has begun again.
    try await ben.wait(for: "to repeat the phrase") { _ in keys().count > typed }
    let played = keys()
    #expect(Set(played).isSubset(of: ["3C", "3D", "3E", "3F"]) && Set(played).count < played.count, "\(played)")
    ben.type("phrase vary")
    try await wait(ben, for: "variation 1")
    ben.type("phrase stop")
    try await wait(ben, for: "phrase: stopped")
    try await pause(for: .milliseconds(300))
    // If the phrase still played, ben would usually play further notes within 1.5 s.
    let count = keys().count
    try await pause(for: .milliseconds(1500))
    #expect(keys().count == count)
    for peer in [ada, ben] { try await peer.leave() }
  }
}

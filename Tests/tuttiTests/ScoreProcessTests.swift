import Foundation
import MIDI
import ScoreFiles
import Scores
import Testing
import _TestSupport
import _TestTraits

/// Peers that play a score together, as processes on this machine. Their MIDI recordings contain each note at its written place.
@Suite(.serialized, .ownThreads) struct ScoreProcessTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A score of two bars of 4/4, one of 3/4 and one of 7/8 at 240 quarter notes per minute. The first bar is a pick-up of one quarter note,
  /// and bars 2 and 3 are repeated.
  private static let music = """
    <?xml version="1.0"?><score-partwise version="4.0">
    <part-list><score-part id="P1"><part-name>Flute</part-name></score-part>
    <score-part id="P2"><part-name>Bass</part-name></score-part></part-list>
    \(part("P1", octave: 5))\(part("P2", octave: 3))</score-partwise>
    """

  private static func part(_ id: String, octave: Int) -> String {
    func note(_ step: String, _ eighths: Int) -> String {
      "<note><pitch><step>\(step)</step><octave>\(octave)</octave></pitch><duration>\(eighths)</duration></note>"
    }
    let tempo = "<direction><direction-type><words>Lively</words></direction-type><sound tempo=\"240\"/></direction>"
    func time(_ beats: Int, _ type: Int) -> String {
      "<attributes><time><beats>\(beats)</beats><beat-type>\(type)</beat-type></time></attributes>"
    }
    return """
      <part id="\(id)"><measure number="0" implicit="yes"><attributes><divisions>2</divisions></attributes>\(time(4, 4))\
      \(tempo)\(note("G", 2))</measure>
      <measure number="1"><barline location="left"><repeat direction="forward"/></barline>\
      \(["C", "D", "E", "F"].map { note($0, 2) }.joined())</measure>
      <measure number="2">\(time(3, 4))\(["G", "A", "B"].map { note($0, 2) }.joined())\
      <barline location="right"><repeat direction="backward"/></barline></measure>
      <measure number="3">\(time(7, 8))\(["C", "D", "E", "F"].map { note($0, 1) }.joined())\(note("G", 3))</measure></part>
      """
  }

  /// The notes of the tracks with the names of the parts in a recording: the key, and the position in ticks from that of the first note.
  private func notes(_ file: String) throws -> [[String]] {
    let recording = try StandardMIDIFile(bytes: [UInt8](Data(contentsOf: folder.url.appendingPathComponent(file))))
    return ["Flute", "Bass"].map { name in
      guard let track = recording.tracks.first(where: { $0.name == name }) else { return [] }
      let begins = track.events.compactMap { event -> (Int64, UInt8)? in
        guard case .message(.noteOn(_, let key, let velocity)) = event.content, velocity.value > 0 else { return nil }
        return (event.tick, key.value)
      }
      // A tick has 160 units of the file.
      return begins.map { "\($0.1)@\(($0.0 - (begins.first?.0 ?? 0)) / 160)" }
    }
  }

  /// The notes that a score has by its table of events.
  private func expected(from bar: Int = 0) throws -> [[String]] {
    let score = try ScoreImport(octets: Array(Self.music.utf8), file: "music").score
    let events = EventTable(score, along: try Route(score, from: bar)).events
    return [0, 1].map { part in
      let own = events.filter { $0.part == part }
      return own.map { "\($0.key)@\($0.tick - own[0].tick)" }
    }
  }

  private func peer(_ name: String, connect others: [PeerProcess] = [], _ arguments: [String] = []) async throws
    -> PeerProcess
  {
    try await PeerProcess(
      name, connect: others, ["--audio", "none", "--record", "\(name).mid"] + arguments, in: folder)
  }

  /// The master plays a file, and a follower that has been in session before plays the same notes. The rhythm ends with the score.
  @Test func followerPlaysTheScoreOfTheMaster() async throws {
    try Data(Self.music.utf8).write(to: folder.url.appendingPathComponent("music.musicxml"))
    let ada = try await peer("ada", ["--score", folder.path("music.musicxml")])
    let ben = try await peer("ben", connect: [ada])
    try await ben.wait(forPeers: 1)
    // The score arrives while nobody plays.
    try await pause(for: .seconds(2))
    ada.type("start")
    try await ben.wait(forRole: "follower")
    try await ben.wait(forRole: "idle")
    try await ada.wait(forRole: "idle")
    for peer in [ada, ben] { try await peer.leave() }
    let expected = try expected()
    let count = 1 + 2 * 7 + 5
    #expect(expected[0].count == count)
    #expect(try notes("ada.mid") == expected)
    #expect(try notes("ben.mid") == expected)
  }

  /// A part that a peer has switched off does not sound there. The start at a bar begins with this bar.
  @Test func partsAndStartOfAPeer() async throws {
    try Data(Self.music.utf8).write(to: folder.url.appendingPathComponent("music.musicxml"))
    let ada = try await peer(
      "ada", ["--score", folder.path("music.musicxml"), "--score-part", "Bass=off", "--from-bar", "2"])
    ada.type("start")
    try await ada.wait(forRole: "master")
    try await ada.wait(forRole: "idle")
    try await ada.leave()
    #expect(try notes("ada.mid") == [try expected(from: 2)[0], []])
  }

  @Test func wrongScoresAreRefused() async throws {
    for (arguments, text) in [
      (["--score", "nowhere.musicxml"], "nowhere.musicxml: no such file"),
      (["--score-part", "Bass"], "--score-part Bass: not a part and a level"),
      (["--score-tempo", "5"], "--score-tempo 5.0: give 10 to 400"),
    ] {
      let child = try Child.tutti(["peer", "--name", "ada", "--discovery", "off"] + arguments, in: folder)
      #expect(try await child.status() != 0)
      #expect(child.errors.contains(text), "\(child.errors)")
    }
  }
}

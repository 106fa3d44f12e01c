import Ensemble
import MusicalTime
import PeerProtocol
import Scores
import Sending
import Testing
import Transports

@testable import Engine

/// The devices of `--score-to`: RTP-MIDI devices in session, and ALSA ports.
@Suite struct ScoreDevicesTests {
  private static let start = Instant(nanoseconds: 1_000_000_000)
  private static let synth = SequencerAddress(client: 24, port: 0)
  private static let digest = DocumentDigest(high: 1, low: 2)

  /// A violin, a cello and drums.
  private var score: Score {
    var score = Score()
    for name in ["Violin", "Cello", "Drums"] {
      var part = Part(name: name, instruments: [])
      part.isPercussion = name == "Drums"
      score.parts.append(part)
    }
    return score
  }

  /// The routes, as `part channel target`; nil if they have not changed. And the lines for the player.
  private func connect(
    _ devices: inout ScoreDevices, _ score: Score?, digest: DocumentDigest? = digest, streams: [String: StreamID] = [:],
    hasPort: Bool = true, at now: Instant = start
  ) -> (routes: [String]?, lines: [String]) {
    let port = SequencerPort(
      address: Self.synth, clientName: "Synth", portName: "MIDI 1", sends: true, receives: true, isLocal: false)
    let (routes, notices) = devices.connect(
      digest, score: score,
      sessions: { streams.map { ($0.value, PeerReference(name: $0.key, identity: nil)) } },
      ports: { hasPort ? [port] : [] }, at: now)
    let texts = routes.map { routes in
      (0..<routes.count).map { index in
        let isPort = routes[index].target == .port(Self.synth)
        return "\(routes[index].part) \(routes[index].channel.wire + 1) \(isPort ? "port" : "stream")"
      }
    }
    return (texts, notices.map(\.line))
  }

  @Test func partsOfADeviceHaveTheirOwnChannels() {
    var ids = StreamIDAllocator()
    var devices = ScoreDevices([
      ScoreDevice(device: "Synth", part: "cello"), ScoreDevice(device: "Keystep", part: "1"),
      ScoreDevice(device: "Synth", part: "Drums"), ScoreDevice(device: "Synth", part: "Violin"),
    ])
    // The score is not known yet.
    #expect(connect(&devices, nil).routes == nil)
    let first = connect(&devices, score)
    #expect(first.routes == ["1 1 port", "2 10 port", "0 2 port"] && first.lines == [])
    #expect(connect(&devices, score).routes == nil)
    let later = connect(&devices, score, streams: ["Keystep": ids.allocate()], at: Self.start + .seconds(1))
    #expect(later.routes == ["1 1 port", "0 1 stream", "2 10 port", "0 2 port"])
    #expect(later.lines == ["Keystep, for the part 1: connected"])
    // The devices are looked for twice a second.
    #expect(connect(&devices, score, hasPort: false, at: Self.start + .milliseconds(1200)).routes == nil)
    let gone = connect(&devices, score, hasPort: false, at: Self.start + .seconds(2))
    #expect(gone.routes == [] && gone.lines.count == 4 && gone.lines[0].contains("disconnected"))
  }

  @Test func missingPartIsReportedOncePerScore() {
    var devices = ScoreDevices([ScoreDevice(device: "Synth", part: "Horn")])
    let (routes, lines) = connect(&devices, score)
    #expect(routes == nil && lines.last?.contains("no such part; give one of: 1 Violin, 2 Cello, 3 Drums") == true)
    #expect(connect(&devices, score, at: Self.start + .seconds(1)).lines == [])
    let other = DocumentDigest(high: 3, low: 4)
    #expect(connect(&devices, score, digest: other, at: Self.start + .seconds(1)).lines.count == 1)
  }
}

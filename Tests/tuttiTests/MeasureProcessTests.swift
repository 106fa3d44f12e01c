import Foundation
import Testing
import Transports
import _TestSupport
import _TestTraits

/// Tests of the commands of `tutti measure` that measure a running peer or its trace.
@Suite(.ownThreads) struct MeasureProcessTests {
  // The members of the JSON reports of `measure network`, `measure clock` and `measure players` that are tested.

  private struct Network: Decodable {
    struct Clock: Decodable { var offsetNs, uncertaintyUs, skewPpm: Double }
    var `protocol`: String
    var sent, answered, lost: Int
    var clock: Clock?
  }
  private struct Clock: Decodable {
    var ticks, lost: Int
    var tempoBpm: Double
  }
  private struct Players: Decodable {
    struct Player: Decodable {
      var name: String
      var actions, outside: Int
    }
    var players: [Player]
  }

  /// Decodes the standard output of a command that must have succeeded.
  private func decode<Report: Decodable>(_ type: Report.Type, _ outcome: Child.Outcome) throws -> Report {
    #expect(outcome.status == 0, "\(outcome.errors)")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(type, from: Data(outcome.output.utf8))
  }

  /// Both programs use the clock of one machine, so the true offset is 0.
  @Test func networkToATuttiPeerIsMeasured() async throws {
    let folder = try TemporaryFolder()
    let peer = try await PeerProcess("ada", ["--audio", "none"], in: folder)
    let command = ["measure", "network", "127.0.0.1:\(peer.port)", "--seconds", "5", "--json"]
    let report = try decode(Network.self, await Child.tutti(command, in: folder).outcome())
    // With one request every 20 ms, five seconds have up to 250 requests.
    #expect(report.protocol == "Tutti" && report.answered > 50 && report.lost == 0, "\(report)")
    let clock = try #require(report.clock)
    // The true offset is within the uncertainty, with a tolerance of 1000 ns.
    #expect(abs(clock.offsetNs) <= clock.uncertaintyUs * 1e3 + 1000, "\(clock)")
    try await peer.leave()
  }

  /// The measured peer receives the invitation and does not answer. With `--seconds 0`, the command runs until Ctrl-C.
  @Test(arguments: [["network", ""], ["clock", "rtp:"]])
  func interruptBeforeTheSessionIsTheReportedCause(command: [String]) async throws {
    let silent = try PortPair(port: 0)
    defer { silent.close() }
    let address = "127.0.0.1:\(silent.control.port)"
    let child = try Child.tutti(["measure", command[0], command[1] + address, "--seconds", "0"], in: TemporaryFolder())
    var invitation = Datagram()
    try await child.wait(for: "to invite the peer") {
      silent.receive(on: .control, into: &invitation)
    }
    child.signal(SIGINT)
    let outcome = try await child.outcome()
    #expect(
      outcome.status == 69 && outcome.errors.contains("\(address): interrupted before the session began"),
      "\(outcome.status) \(outcome.errors)")
  }

  /// Ctrl-C ends the measurement, and the figures so far are printed.
  @Test func interruptPrintsTheFiguresSoFar() async throws {
    let folder = try TemporaryFolder()
    let peer = try await PeerProcess("ada", ["--audio", "none"], in: folder)
    let child = try Child.tutti(["measure", "network", "127.0.0.1:\(peer.port)", "--seconds", "0"], in: folder)
    try await peer.child.wait(for: "to have a session") {
      peer.child.errors.contains("tutti measure at 127.0.0.1")
    }
    try await pause(for: .seconds(3))
    child.signal(SIGINT)
    let outcome = try await child.outcome()
    #expect(outcome.status == 0 && outcome.output.contains("Asymmetry bound"), "\(outcome.errors)")
    try await peer.leave()
  }

  /// The test assumes that no program of this machine receives on port 9 (discard).
  @Test func peerThatDoesNotAnswerIsReported() async throws {
    let outcome = try await Child.tutti(["measure", "network", "127.0.0.1:9"], in: TemporaryFolder()).outcome()
    #expect(outcome.status == 69 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("127.0.0.1:9: no answer to twelve invitations"), "\(outcome.errors)")
  }

  @Test func clockOfAPeerIsMeasured() async throws {
    let folder = try TemporaryFolder()
    let peer = try await PeerProcess("ada", ["--audio", "none", "--start", "--bpm", "150"], in: folder)
    let command = ["measure", "clock", "rtp:127.0.0.1:\(peer.port)", "--seconds", "6", "--json"]
    var report = try decode(Clock.self, await Child.tutti(command, in: folder).outcome())
    // If the machine stalls, ticks arrive so late that one counts as lost. The measurement is then repeated, up to twice.
    for _ in 0..<2 where report.lost > 0 {
      report = try decode(Clock.self, await Child.tutti(command, in: folder).outcome())
    }
    // At 150 BPM, six seconds have 360 ticks.
    #expect(report.ticks > 100 && report.lost == 0 && abs(report.tempoBpm - 150) < 1, "\(report)")
    try await peer.leave()
  }

  /// The trace contains an action for each note that the player begins, with the instant at which the note reached the peer.
  @Test func actionsOfAPlayerAreMeasured() async throws {
    let folder = try TemporaryFolder()
    let peer = try await PeerProcess("ada", ["--audio", "none", "--start", "--trace", "ada.trace"], in: folder)
    try await peer.wait(forRole: "master")
    // The first ticks of the rhythm must precede the actions.
    try await pause(for: .seconds(1))
    for key in 60..<65 { peer.type("note \(key)") }
    try await pause(for: .seconds(1))
    try await peer.leave()
    let outcome = try await Child.tutti(["measure", "players", "ada.trace", "--json"], in: folder).outcome()
    let player = try #require(try decode(Players.self, outcome).players.first)
    // The rhythm played during all actions, so none is outside the rhythm.
    #expect(player.name == "ada" && player.actions == 5 && player.outside == 0)
  }
}

import Foundation
import Measurement
import Testing
import _TestSupport
import _TestTraits

/// Tests that the published JSON schemas describe the real output of each command of `tutti measure`.
@Suite(.ownThreads) struct SchemaTests {
  /// Expects that the output of a command matches `schema`, and that the schema rejects a changed output.
  private func validate(_ outcome: Child.Outcome, _ schema: ReportSchema) throws {
    #expect(outcome.status == 0, "\(outcome.errors)")
    var validator = try SchemaValidator(schema.document)
    let errors = try validator.validate(outcome.output)
    #expect(errors == [], "\(schema)")
    // The changed output has a surplus member and lacks a required one.
    let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    var changed = try #require(json as? [String: Any])
    changed["surplus"] = 1
    changed["provenance"] = nil
    let text = String(decoding: try JSONSerialization.data(withJSONObject: changed), as: UTF8.self)
    #expect(Set(try validator.validate(text)) == [".provenance: missing", ".surplus: not in the schema"])
  }

  /// Two peers write traces and recordings, which all commands then measure.
  @Test func outputsOfPeersMatchTheirSchemas() async throws {
    let folder = try TemporaryFolder()
    let master = try await PeerProcess(
      "ada", ["--audio", "wav:ada.wav", "--start", "--trace", "ada.trace", "--bpm", "150"], in: folder)
    let follower = try await PeerProcess(
      "ben", connect: [master], ["--audio", "wav:ben.wav", "--trace", "ben.trace"], in: folder)
    try await follower.wait(forRole: "follower")
    let network = try await Child.tutti(
      ["measure", "network", "127.0.0.1:\(master.port)", "--seconds", "4", "--json"], in: folder
    ).outcome()
    try validate(network, .network)
    #expect(network.output.contains("\"ntp_before\"") && network.output.contains("\"monotonic_rate_ppm\""))
    let clock = try await Child.tutti(
      ["measure", "clock", "rtp:127.0.0.1:\(master.port)", "--seconds", "3", "--json"], in: folder
    ).outcome()
    try validate(clock, .clock)
    for key in 60..<75 { (key % 2 == 0 ? master : follower).type("note \(key)") }
    try await pause(for: .seconds(2))
    try await follower.leave()
    try await master.leave()
    for (schema, arguments) in [
      (ReportSchema.clock, ["clock", "ada.trace", "--nominal", "150"]), (.sync, ["sync", "ada.trace", "ben.trace"]),
      (.sync, ["sync", "ada.trace", "ben.trace", "--reference", "median"]), (.audio, ["audio", "ada.wav", "ben.wav"]),
      (.audio, ["audio", "--runs", "ada.wav", "ben.wav", "ada.wav", "ben.wav"]),
      (.players, ["players", "ada.trace", "ben.trace"]),
      (.players, ["players", "ada.trace", "ben.trace", "--pairwise"]), (.path, ["path", "ada.trace", "ben.trace"]),
      (.activity, ["activity", "ada.trace", "ben.trace"]),
    ] {
      try validate(try await Child.tutti(["measure"] + arguments + ["--json"], in: folder).outcome(), schema)
    }
    try await checkPaths(in: folder)
    try await checkActivity(in: folder)
  }

  /// The members of the JSON report of `measure activity` that are tested.
  private struct Activities: Decodable {
    struct Figures: Decodable { var mean: Double }
    struct Player: Decodable { var name: String, energy: Figures? }
    var players: [Player]
    var total: Figures?
  }

  /// Each trace contains the energies of both players, and the total.
  private func checkActivity(in folder: TemporaryFolder) async throws {
    for trace in ["ada.trace", "ben.trace"] {
      let outcome = try await Child.tutti(["measure", "activity", trace, "--json"], in: folder).outcome()
      let report = try JSONDecoder().decode(Activities.self, from: Data(outcome.output.utf8))
      #expect(Set(report.players.map(\.name)) == ["ada", "ben"] && report.total != nil, "\(outcome.output)")
      // Both have played notes, which raise their energies.
      #expect(report.players.allSatisfy { ($0.energy?.mean ?? 0) > 0 }, "\(outcome.output)")
    }
  }

  /// The members of the JSON report of `measure path` that are tested.
  private struct Paths: Decodable {
    struct Stage: Decodable { var stage: String, varianceShare: Double? }
    struct Figures: Decodable { var count: Int, p50Us, maxUs: Double }
    struct Path: Decodable { var path: String, stages: [Stage], total: Figures }
    struct Peer: Decodable { var paths: [Path] }
    var peers: [Peer]
  }

  /// The traces of the two peers contain the instants of exactly the paths that apply to a master or to a follower.
  private func checkPaths(in folder: TemporaryFolder) async throws {
    let outcome = try await Child.tutti(["measure", "path", "ada.trace", "ben.trace", "--json"], in: folder).outcome()
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let report = try decoder.decode(Paths.self, from: Data(outcome.output.utf8))
    let (master, follower) = (report.peers[0].paths, report.peers[1].paths)
    // `measure clock` is a play-on-arrival receiver, to which the master sends each tick when it is due.
    #expect(
      master.map(\.path) == ["packets at the due time", "packets ahead of the due time", "sound"], "\(outcome.output)")
    #expect(follower.map(\.path) == ["network", "sound of a follower"], "\(outcome.output)")
    for path in master + follower {
      let shares = path.stages.compactMap(\.varianceShare)
      #expect(path.total.count > 10 && (shares.isEmpty || abs(shares.reduce(0, +) - 1) < 1e-6), "\(path)")
    }
    // In a recording, each hit begins on the frame nearest to its deadline, so the error is at most half a frame (10 us). On a busy
    // machine, some hits are late. They hardly change the median. The limit of 1 ms is a wide margin.
    let sound = try #require(follower.last)
    #expect(abs(sound.total.p50Us) < 1000)
  }

  /// A table of two players with enough onsets for all figures. The second player is late by 0 to 10 ms.
  @Test func playersOfATableMatchTheirSchema() async throws {
    let folder = try TemporaryFolder()
    var text = "player,time_ms\n"
    for index in 0..<200 { text += "ada,\(index * 400 + index * index % 7)\nben,\(index * 400 + index * index % 11)\n" }
    try Data(text.utf8).write(to: folder.url.appendingPathComponent("duet.csv"))
    let outcome = try await Child.tutti(["measure", "players", "duet.csv", "--json"], in: folder).outcome()
    try validate(outcome, .players)
    for member in ["gains", "period_gains", "group", "circular", "timekeeper_sd_us", "window_us"] {
      #expect(outcome.output.contains("\"\(member)\""))
    }
  }

  @Test func eachSchemaIsPrintedAndHasItsVersion() async throws {
    let folder = try TemporaryFolder()
    for schema in ReportSchema.allCases {
      let outcome = try await Child.tutti(["measure", "schema", schema.rawValue], in: folder).outcome()
      #expect(outcome.status == 0 && outcome.output == schema.document)
      let command = schema == .calibrate ? "calibrate" : "measure:\(schema.rawValue)"
      #expect(schema.document.contains("\"$id\" : \"urn:tutti:\(command):\(Provenance.schema)\""))
      #expect(schema.document.contains("\"const\" : \(Provenance.schema)"))
    }
    let outcome = try await Child.tutti(["measure", "schema", "nothing"], in: folder).outcome()
    #expect(outcome.status == 64 && outcome.errors.contains("nothing"))
  }
}

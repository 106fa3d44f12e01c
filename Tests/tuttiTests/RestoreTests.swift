import Foundation
import Measurement
import MusicalTime
import Testing
import _TestSupport
import _TestTraits

/// Tests of a peer that is killed and started again with --restore.
@Suite(.serialized, .ownThreads) struct RestoreTests {
  /// Discovery is off, so the peer connects to the addresses that it has saved. It is a follower again within 2 s, and has
  /// restored its gates.
  @Test func followerRejoinsWithinTwoSeconds() async throws {
    let folder = try TemporaryFolder()
    let ada = try await PeerProcess("ada", ["--start", "--bpm", "100"], in: folder)
    let ben = try await PeerProcess(
      "ben", connect: [ada], ["--gate", "ada:notes=closed", "--patch", "bossa"], in: folder)
    try await ben.wait(forRole: "follower")
    try await pause(for: .milliseconds(500))
    ben.child.signal(SIGKILL)
    _ = try await ben.child.status()
    let again = try await PeerProcess("ben", port: ben.port, ["--restore"], in: folder)
    try await again.wait(forRole: "follower")
    let role = try #require(again.events.last { $0.event == "role" }?.atNs)
    // Measured from the `ready` event, because the time to load the program depends on the machine.
    let ready = try #require(again.events.first { $0.event == "ready" }?.atNs)
    #expect(Nanoseconds(role - ready) < .seconds(2))
    try await again.wait(for: "to report the weights") {
      $0.last { $0.event == "roster" }?.peers?.first?.weightIn != nil
    }
    // The weight is 25 for each of the three open gates.
    #expect(again.events.last { $0.event == "roster" }?.peers?.first?.weightIn == 75, "the notes gate is not closed")
    for peer in [ada, again] { try await peer.leave() }
  }

  @Test(arguments: [
    ("{\"version\": 1, \"patch\":", "is damaged"), ("{\"version\": 99}", "has version 99"),
    ("", "is damaged"), ("{\"version\":1,\"patch\":\"street\",\"ns_per_quarter\":-1}", "is damaged"),
    (session { $0["version"] = -1 }, "is damaged"), (session { $0["version"] = 0 }, "is damaged"),
    (session { $0["patch"] = "" }, "is damaged"), (session { $0["patch"] = "a\u{0}b" }, "is damaged"),
    (session { $0["patch"] = String(repeating: "a", count: 4097) }, "is damaged"),
    (session { $0["boot"] = String(repeating: "a", count: 65) }, "is damaged"),
    (session { $0["peers"] = ["localhost:5004"] }, "is damaged"),
    (session { $0["peers"] = ["127.0.0.1:0"] }, "is damaged"),
    (session { $0["ns_per_quarter"] = 1 }, "is damaged"), (session { $0["activity"] = 128 }, "is damaged"),
    (session { $0["position"] = -1 }, "is damaged"), (session { $0["gates"] = ["all=ajar"] }, "is damaged"),
    (session { $0["rhythm"] = [240, 247] }, "is damaged"),
  ])
  func unusableSessionFileIsMovedAside(text: String, reason: String) async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("state/tutti"), withIntermediateDirectories: true)
    let path = folder.path("state/tutti/ada.session")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    let ada = try await PeerProcess("ada", ["--restore"], in: folder)
    #expect(ada.child.errors.contains(reason) && ada.child.errors.contains("kept as"), "\(ada.child.errors)")
    #expect(try String(contentsOfFile: path + ".1", encoding: .utf8) == text)
    try await ada.leave()
  }

  @Test func validSessionFileIsRestored() async throws {
    let folder = try TemporaryFolder()
    try write(session(), in: folder)
    let ada = try await PeerProcess("ada", ["--restore"], in: folder)
    try await ada.child.wait(for: "to be restored") { ada.child.errors.contains("peer restored") }
    #expect(!ada.child.errors.contains("default rhythm"), "\(ada.child.errors)")
    try await ada.leave()
  }

  /// The patch was deleted, changed so that it has an error, or replaced by an instrument, after the session was saved.
  @Test(
    arguments: [
      (nil, "no such file"), ("rhythm: 1\n", "unusable.yaml:"),
      ("name: bells\nsound: celesta\n", "is an instrument, not a rhythm"),
    ] as [(String?, String)])
  func peerWithAnUnusableSavedPatchPlaysTheDefaultRhythm(patch: String?, reason: String) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("unusable.yaml")
    try patch?.write(toFile: path, atomically: true, encoding: .utf8)
    try write(session { $0["patch"] = path }, in: folder)
    let ada = try await PeerProcess("ada", ["--restore", "--start"], in: folder)
    try await ada.wait(forRole: "master")
    let errors = ada.child.errors
    #expect(errors.contains("ada.session: its rhythm \(path) cannot be used"), "\(errors)")
    #expect(errors.contains(reason) && errors.contains("plays the default rhythm street"), "\(errors)")
    #expect(errors.contains("choose it with the command `patch \(path)`"), "\(errors)")
    try await ada.leave()
  }

  /// A patch of the command line replaces the saved one. If it cannot be used, this is an error of the command line.
  @Test func unusablePatchOfTheCommandLineEndsTheProgram() async throws {
    let folder = try TemporaryFolder()
    try write(session(), in: folder)
    let arguments = ["peer", "--name", "ada", "--port", "0", "--discovery", "off", "--audio", "none", "--restore"]
    let outcome = try await Child.tutti(arguments + ["--patch", "missing.yaml"], in: folder).outcome()
    #expect(outcome.status == 69 && outcome.errors.contains("patch missing.yaml: no such file"), "\(outcome.errors)")
  }

  private func write(_ text: String, in folder: TemporaryFolder) throws {
    try FileManager.default.createDirectory(atPath: folder.path("state/tutti"), withIntermediateDirectories: true)
    try text.write(toFile: folder.path("state/tutti/ada.session"), atomically: true, encoding: .utf8)
  }
}

/// The text of a session file with one change to a valid file.
private func session(_ change: (inout [String: Any]) -> Void = { _ in }) -> String {
  var fields: [String: Any] = [
    "version": 1, "patch": "street", "ns_per_quarter": 500_000_000, "activity": 64, "gates": [String](),
    "peers": ["127.0.0.1:5004"], "position": 0, "boot": "other",
  ]
  change(&fields)
  let data = try? JSONSerialization.data(withJSONObject: fields)
  return data.map { String(decoding: $0, as: UTF8.self) } ?? ""
}

extension TimingTests {
  /// A test of a master that is killed and started again with --restore.
  @Suite struct RestoredMasterTests {
    /// The master is killed twice. Each time it restarts before its successor takes over. It is the master again and continues in
    /// phase. Its follower loses no tick.
    @Test func masterResumesInPhase() async throws {
      let folder = try TemporaryFolder()
      let ben = try await PeerProcess("ben", ["--trace", "ben.trace"], in: folder)
      var ada = try await PeerProcess(
        "ada", connect: [ben], ["--start", "--bpm", "100", "--trace", "ada.trace"], in: folder)
      try await ben.wait(forRole: "follower")
      for _ in 1...2 {
        try await pause(for: .seconds(2))
        ada.child.signal(SIGKILL)
        _ = try await ada.child.status()
        ada = try await PeerProcess("ada", port: ada.port, ["--restore", "--trace", "again.trace"], in: folder)
        try await ada.wait(forRole: "master")
      }
      try await pause(for: .seconds(3))
      #expect(ben.events.filter { $0.event == "role" }.map(\.role) == ["follower"], "\(ben.child.errors)")
      ada.type("stop")
      try await ben.wait(forRole: "idle")
      for peer in [ada, ben] { try await peer.leave() }
      let traces = try ["ben", "again"].map { try Trace(contentsOf: folder.path("\($0).trace")) }
      for (a, b) in zip(traces[0].ticks, traces[0].ticks.dropFirst()) { #expect(b.tick == a.tick + 1) }
      let sync = try SyncReport(traces: traces).comparisons[0]
      // After the last restart, the rhythm plays for three seconds: 120 ticks at 100 BPM. The magnitude is in nanoseconds: 1e6 is 1 ms.
      #expect(try sync.common > 100 && #require(sync.magnitude).p99 < 1e6)
    }
  }
}

import Audio
import Foundation
import Measurement
import MusicalTime
import Realtime
import Rhythm
import Testing
import _TestSupport

/// Tests of the timing of peer processes on loopback, from their recordings and traces. These tests, and the tests in the
/// extensions of this suite, need a machine that is not busy. The peers play with TimGM6mb, because the onset detection also finds onsets
/// in the long decays of other SoundFonts. The tests run after the other tests and one at a time:
/// `swift test --filter TimingTests`.
@Suite(.serialized) struct TimingTests {
  /// The members of the JSON of `tutti demo` that are tested.
  private struct Demo: Decodable {
    struct Spread: Decodable {
      var p50Us, p99Us, maxUs: Double
    }
    struct Peer: Decodable {
      var name, role, scheduler, recording, trace: String
      var ticksExpected, ticksReceived, lateHits, underruns: Int
      var onsetsExpected, onsets, onsetsMissing, onsetsExtra: Int
      var clockOffset, audioOnsetDifference: Spread
    }
    var bpm: Double
    var activityMax: Int
    var peers: [Peer]
  }

  /// Runs `tutti demo`, for two bars unless `arguments` contain another number. Returns its JSON output.
  private func demo(_ arguments: [String], in folder: TemporaryFolder) async throws -> Demo {
    let sounds = ["--soundfont", InstalledSoundFont.timGM6mb.path]
    let demo = try Child.tutti(["demo", "--bars", "2", "--output", "d", "--json"] + sounds + arguments, in: folder)
    let outcome = try await demo.outcome()
    #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Demo.self, from: Data(outcome.output.utf8))
  }

  /// If the machine stalls for 40 ms, a peer plays late hits and counts them. Late hits are not the subject of this test. The demo is
  /// therefore repeated, up to four times, until each of the four peers has once played without late hits. A demo counts only if its
  /// master, the first peer, has no late hits either.
  @Test(arguments: [("street", 64), ("bossa", 20), ("pulse", 96)])
  func recordingsContainExactlyTheExpectedHits(patch: String, activity: Int) async throws {
    let folder = try TemporaryFolder()
    // The names of the peers that have played without late hits.
    var seen: Set<String> = []
    for _ in 0..<5 where seen.count < 4 {
      let demo = try await demo(["--patch", patch, "--activity", "\(activity)"], in: folder)
      #expect(demo.peers.map(\.role) == ["master", "follower", "follower", "follower"])
      // Two bars have 192 ticks.
      for peer in demo.peers { #expect(peer.ticksExpected == 192 && peer.ticksReceived == 192, "\(peer.name)") }
      let undisturbed = demo.peers.filter { $0.lateHits == 0 }
      guard undisturbed.first?.role == "master" else { continue }
      try expectExactFrames(demo.peers[0], patch: patch, activity: UInt8(activity), folder: folder)
      for peer in undisturbed {
        seen.insert(peer.name)
        #expect(peer.onsets == peer.onsetsExpected && peer.onsetsExpected > 0, "\(peer.name)")
        #expect(peer.onsetsMissing == 0 && peer.onsetsExtra == 0, "\(peer.name)")
        #expect(peer.audioOnsetDifference.p99Us <= 1000 && peer.clockOffset.p99Us <= 1000, "\(peer.name)")
      }
    }
    #expect(seen.count == 4, "\(patch): peers without late hits: \(seen.sorted())")
  }

  /// Without --activity, the activity rises to the maximum, and all peers play the same layers at each step.
  @Test func recordingsContainTheHitsOfTheRamp() async throws {
    let folder = try TemporaryFolder()
    for attempt in 1...5 {
      let demo = try await demo(["--bars", "4"], in: folder)
      #expect(demo.activityMax == 127)
      guard demo.peers.allSatisfy({ $0.lateHits == 0 }) else { continue }
      for peer in demo.peers {
        #expect(peer.onsets == peer.onsetsExpected && peer.onsetsExpected > 0, "\(peer.name)")
        #expect(peer.onsetsMissing == 0 && peer.onsetsExtra == 0, "\(peer.name), attempt \(attempt)")
      }
      return
    }
    Issue.record("a peer had late hits in each of five attempts")
  }

  /// Expects that the recording of the master equals, bit for bit, the ideal recording, in which every hit begins at
  /// the frame nearest to its deadline.
  private func expectExactFrames(_ master: Demo.Peer, patch: String, activity: UInt8, folder: TemporaryFolder) throws {
    let trace = try Trace(contentsOf: folder.path(master.trace))
    let audio = try #require(trace.header.audio)
    let first = try #require(trace.ticks.first)
    let timeline = Timeline(tempo: try Tempo(bpm: 120), tick: Tick(0), at: first.due)
    let blocks = try SoundFile(path: folder.path(master.recording)).samples.count / 64
    let recorded = try Data(contentsOf: URL(fileURLWithPath: folder.path(master.recording)))
    let ideal = folder.path("ideal.wav")
    let late = try IdealRecording.write(
      to: ideal, patch: patch, activity: activity, ticks: 0..<192, on: timeline, from: audio.firstFrame,
      blocks: blocks)
    #expect(late == 0)
    let expected = try Data(contentsOf: URL(fileURLWithPath: ideal))
    #expect(recorded.count == expected.count)
    // A block has 64 frames of two channels with two octets each. The samples are at the end of both files. The chunks before
    // them contain the time reference and the peer name.
    let samples = blocks * 64 * 4
    #expect(recorded.suffix(samples) == expected.suffix(samples))
    #expect(recorded.suffix(samples).contains { $0 != 0 })
  }

  // MARK: Two peers

  private struct Ready: Decodable {
    var port: UInt16
  }

  /// Runs a master and a follower that record, and returns their traces, the trace of the master first.
  ///
  /// - Parameters:
  ///   - seconds: how long the master runs.
  ///   - prefixes: words before the command of the master and of the follower, such as a call of `unshare`.
  ///   - during: is called with the process of the follower while the rhythm plays.
  private func play(
    in folder: TemporaryFolder, seconds: Int, prefixes: [[String]] = [[], []],
    during: (Child) async throws -> Void = { _ in }
  ) async throws -> [Trace] {
    func arguments(_ name: String) -> [String] {
      [
        "peer", "--name", name, "--port", "0", "--discovery", "off", "--json", "--audio", "wav:\(name).wav", "--trace",
        "\(name).trace", "--soundfont", InstalledSoundFont.timGM6mb.path,
      ]
    }
    let follower = try Child.tutti(arguments("ben"), name: "ben", prefix: prefixes[1], in: folder)
    var port: UInt16?
    try await follower.wait(for: "to be ready") {
      let line = follower.output.prefix { $0 != "\n" }
      port = (try? JSONDecoder().decode(Ready.self, from: Data(line.utf8)))?.port
      return port != nil
    }
    let master = try Child.tutti(
      arguments("ada") + [
        "--connect", "127.0.0.1:\(try #require(port))", "--start", "--bpm", "120", "--duration", "\(seconds)",
      ], name: "ada", prefix: prefixes[0], in: folder)
    try await during(follower)
    let outcome = try await master.outcome()
    #expect(outcome.status == 0, "\(outcome.errors)")
    // With `unshare --fork`, the peer is a child of the process that was started here.
    let children = "/proc/\(follower.identifier)/task/\(follower.identifier)/children"
    let identifiers = prefixes[1].isEmpty ? "" : (try? String(contentsOfFile: children, encoding: .utf8)) ?? ""
    for child in identifiers.split(separator: " ").compactMap({ Int32($0) }) { kill(child, SIGTERM) }
    if prefixes[1].isEmpty { follower.signal(SIGTERM) }
    _ = try await follower.outcome()
    return try ["ada", "ben"].map { try Trace(contentsOf: folder.path("\($0).trace")) }
  }

  /// Reads the recordings that belong to `traces`.
  private func recordings(_ traces: [Trace], in folder: TemporaryFolder) throws -> [Recording] {
    try traces.map { trace in
      let audio = try #require(trace.header.audio)
      let file = try SoundFile(path: folder.path(audio.file))
      #expect(file.firstFrame == audio.firstFrame)
      return Recording(
        name: trace.header.name, samples: file.samples, rate: file.rate, firstInstant: audio.firstInstant)
    }
  }

  /// Whether a process can be started in a time namespace of its own.
  private static func canUnshare() async throws -> Bool {
    let unshare = try Child(
      "/usr/bin/env", ["unshare", "--time", "--fork", "--monotonic", "1", "true"], name: "unshare",
      in: TemporaryFolder())
    return try await unshare.status() == 0
  }

  /// Two pairs of peers play at the same time. The clocks of the peers are at least an hour ahead of the machine's clock.
  @Test(.enabled("time namespaces need root and unshare(1) of util-linux", canUnshare))
  func peersWithClocksHoursApartPlayInTime() async throws {
    async let pairs: (Void, Void) = (expectPairWithClocksHoursApart(), expectPairWithClocksHoursApart())
    _ = try await pairs
  }

  private func expectPairWithClocksHoursApart() async throws {
    let folder = try TemporaryFolder()
    // `unshare --monotonic` sets CLOCK_MONOTONIC of each peer ahead by this number of seconds, at least one hour.
    let ahead = (0..<2).map { _ in Int64.random(in: 3_600...900_000) }
    let prefixes = ahead.map { ["unshare", "--time", "--fork", "--kill-child=TERM", "--monotonic", "\($0)"] }
    let traces = try await play(in: folder, seconds: 5, prefixes: prefixes)
    let clocks = ahead.map { Nanoseconds.seconds($0) }
    let offset = try #require(traces[1].ticks.compactMap(\.offset).last)
    #expect((offset - (clocks[0] - clocks[1])).magnitude < .milliseconds(1))
    // Five seconds at 120 BPM are 240 ticks, or ten beats. At least 15 onsets match. The magnitudes are in nanoseconds: 1e6 is 1 ms.
    let sync = try SyncReport(traces: traces, clockOffsets: clocks).comparisons[0]
    #expect(try sync.common == 240 && #require(sync.magnitude).p99 <= 1e6, "\(ahead)")
    let audio = try AudioReport(recordings: try recordings(traces, in: folder), clockOffsets: clocks).comparisons[0]
    #expect(try audio.matched >= 15 && #require(audio.magnitude).p99 <= 1e6, "\(ahead)")
  }

  @Test func stoppedFollowerIsInTimeAgainAfterItsLateHits() async throws {
    let folder = try TemporaryFolder()
    var resumed = Instant(nanoseconds: 0)
    let traces = try await play(in: folder, seconds: 6) { follower in
      try await pause(for: .seconds(3))
      // The peer is stopped for longer than any pause in the rhythm, so that at least one hit is late.
      follower.signal(SIGSTOP)
      try await pause(for: .milliseconds(600))
      follower.signal(SIGCONT)
      resumed = MonotonicClock.now
    }
    let summary = try #require(traces[1].summary)
    #expect(summary.lateHits >= 1 && summary.underruns >= 1 && summary.droppedHits == 0)
    // The follower acts on all 288 ticks of the six seconds (48 ticks per second). About 29 ticks are due during the 600 ms of SIGSTOP.
    // Most of them are more than 20 ms late.
    #expect(traces[1].ticks.count == 288)
    let late = traces[1].ticks.filter { $0.acted - $0.due > .milliseconds(20) }
    #expect(late.count >= 10)
    let report = try AudioReport(recordings: try recordings(traces, in: folder)).comparisons[0]
    #expect((report.magnitude?.maximum ?? 0) > 20e6 || report.missing > 0)
    // The recordings are cut 400 ms after the end of the stop. The late hits have then decayed, so that none of them appears as an onset
    // at the cut. 48 frames are one millisecond.
    var cut = try recordings(traces, in: folder)
    for n in cut.indices {
      let skip = Int((resumed + .milliseconds(400) - cut[n].firstInstant).count * 48 / 1_000_000)
      cut[n].samples = Array(cut[n].samples.dropFirst(skip))
      cut[n].firstInstant = cut[n].firstInstant + Nanoseconds(Int64(skip) * 1_000_000 / 48)
    }
    let after = try AudioReport(recordings: cut).comparisons[0]
    #expect(after.matched >= 4 && after.missing == 0 && after.extra == 0)
    #expect(try #require(after.magnitude).maximum <= 1e6)
  }
}

import Foundation
import MIDI
import MusicalTime
import Testing
import _TestSupport

@testable import Measurement

/// Tests of `tutti measure players` without a rhythm: the players are compared with each other, and come from any file with onsets.
@Suite struct PlayersWithoutRhythmTests {
  /// A player without a rhythm, with actions at these instants in nanoseconds.
  private func player(_ name: String, _ instants: [Int64]) -> PlayerTrace {
    PlayerTrace(name: name, actions: instants.map { TraceAction(at: Instant(nanoseconds: $0), force: 100) })
  }

  /// Two players who correct towards each other only, so their common tempo drifts. The true gains are within the intervals of at least 90 %
  /// of 200 seeds.
  @Test func gainsOfADuetAreRecovered() throws {
    let reports = try (UInt64(1)...200).map { seed in
      let players = Players.ensemble(
        300, grid: [0, 0], gains: [[0, 0.35], [0.15, 0]], timekeeper: 8e6, motor: 4e6, seed: seed)
      return try PlayersAnalysis(
        zip(["anna", "bert"], players).map { PlayerTrace(name: $0, actions: Players.actions($1)) },
        grid: .onsets(window: .milliseconds(60))
      ).report
    }
    for (index, truth) in [0.35, 0.15].enumerated() {
      let mean = Players.expectCoverage(of: truth, "gain \(index)") { seed in
        let gain = reports[Int(seed) - 1].gains[index]
        return Estimate(gain.gain, gain.low...gain.high)
      }
      #expect(abs(mean - truth) < 0.04)
    }
    let report = reports[0]
    #expect(report.gains.map(\.to) == ["bert", "anna"] && report.ticksPerLine == nil)
    #expect(report.players.allSatisfy { $0.asynchrony == nil && $0.phases == nil && $0.intervals?.length.count == 299 })
    #expect(report.pairs[0].asynchrony?.count == 300 && report.pairs[0].unmatched == 0)
    #expect(!report.description.contains("to the grid") && report.description.contains("within 60.0 ms"))
  }

  /// The asynchronies of a pair are exact, and do not depend on the clocks if their offset is given. Actions without a partner are counted.
  @Test func pairIsComparedByItsOwnOnsets() throws {
    let first = (0..<40).map { Int64($0) * 300_000_000 }
    // Bert is 12 ms late, skips every tenth note, and once plays between two notes of Anna.
    var second = first.enumerated().filter { $0.offset % 10 != 3 }.map { $0.element + 12_000_000 }
    second.append(5 * 300_000_000 + 150_000_000)
    let ahead = Nanoseconds.seconds(1000)
    let analysis = try PlayersAnalysis(
      [player("anna", first), player("bert", second.sorted().map { $0 + ahead.count })],
      grid: .onsets(window: .milliseconds(100)), clockOffsets: [.zero, ahead])
    let report = analysis.report
    let pair = report.pairs[0]
    // The plot shows Bert against Anna: each of his points is at 12 ms. Rounded to 2 ms, they are in one bin.
    let script = analysis.plot(PlotPicture(file: "x.svg", format: .svg))
    #expect(script.contains("'asynchrony to anna / ms'") && !script.contains("$time0") && !script.contains("grid /"))
    #expect(script.contains("$histogram1 << END_OF_DATA\n11.0 0\n13.0 36\n15.0 0\nEND_OF_DATA"))
    let asynchrony = try #require(pair.asynchrony)
    #expect(asynchrony.count == 36 && abs(asynchrony.minimum + 12e6) < 1 && abs(asynchrony.maximum + 12e6) < 1)
    #expect(pair.unmatched == 5)
    // A full circle is 300 ms, so -12 ms are -14.4 degrees.
    #expect(try #require(pair.phases).direction.value.isClose(to: -14.4, 1e-6))
    #expect(try #require(report.group).rms.value.isClose(to: 12e6, 1e-6))
  }

  @Test func onsetsMatchIfTheyAreNearestToEachOther() {
    let matches = OnsetEvents.matches([0, 100, 200], [-30, 90, 105, 260], window: Nanoseconds(50))
    #expect(matches.map(\.0) == [0, 1] && matches.map(\.1) == [0, 2])
    #expect(OnsetEvents.matches([], [1], window: Nanoseconds(50)).isEmpty)
    #expect(OnsetEvents.matches([1], [], window: Nanoseconds(50)).isEmpty)
  }

  @Test func onePlayerWithoutARhythmIsRefused() {
    let error = #expect(throws: ReportError.self) {
      try PlayersAnalysis([self.player("anna", [0, 1])], grid: .onsets(window: .milliseconds(100)))
    }
    #expect(error?.description.contains("anna: only one player") == true)
  }

  // MARK: Files

  /// Reads a table with this text.
  private func table(_ text: String) throws -> [PlayerTrace] {
    let folder = try TemporaryFolder()
    let path = folder.path("onsets.csv")
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return try PlayerTrace.players(inTableAt: path)
  }

  @Test(arguments: [
    ("player,time_ms\nben,1.5\nada,2\nben,1e1\n", [1_500_000, 10_000_000, 2_000_000]),
    (
      "\u{FEFF}Time_S;Force;Player\r\n0.0000015;1;ben\r\n1234567890.123456789;2;ben\r\n# x\r\n\r\n-1;3;ada\r\n",
      [1_500, 1_234_567_890_123_456_789, -1_000_000_000]
    ),
    ("time_us\tplayer\n7\tben\n8.0004\tada\n", [7_000, 8_000]),
    ("player,time_ns\n\"ben\",5\n ada , 6\n", [5, 6]),
  ])
  func tableOfOnsetsIsRead(text: String, instants: [Int64]) throws {
    let players = try table(text)
    #expect(players.map(\.name) == ["ben", "ada"])
    #expect(players.flatMap { $0.actions.map(\.instant.nanoseconds) } == instants)
  }

  @Test func quotedNameCanContainSeparatorsAndQuotes() throws {
    #expect(try table("player,time_s\n\"Ada, \"\"A\"\"\",1\n").map(\.name) == ["Ada, \"A\""])
  }

  @Test(arguments: [
    ("time_ms\n1\n", 1, "no column \"player\""), ("player,time\na,1\n", 1, "the column \"time\" has no unit"),
    ("player,onset\na,1\n", 1, "no column with the times"),
    ("player,time_s,time_ms\na,1,2\n", 1, "several columns with times"),
    ("player,time_ms\na,1\nb,one\n", 3, "\"one\" is not a time"),
    ("player,time_ms\na,12x\n", 2, "\"12x\" is not a time"),
    ("player,time_ms\na\n", 2, "a player or a time is missing"),
    ("player,time_ms\n,1\n", 2, "a player or a time is missing"),
    ("player,time_s\na,1e10\n", 2, "more than 73 years"), ("player,time_s\na,nan\n", 2, "\"nan\" is not a time"),
  ])
  func invalidTableIsRefused(text: String, line: Int, reason: String) throws {
    let error = #expect(throws: TraceError.self) { try self.table(text) }
    #expect(error?.line == line && error?.reason.contains(reason) == true, "\(String(describing: error))")
  }

  @Test func emptyTableIsRefused() throws {
    for text in ["", "player,time_ms\n"] {
      let error = #expect(throws: TraceError.self) { try self.table(text) }
      #expect(error?.reason == "contains no onset")
    }
  }

  /// Two tracks, the second of which has notes on two channels. The tempo changes from 120 to 60 BPM at tick 960.
  @Test func tracksOfAMIDIFileArePlayers() throws {
    func note(_ tick: Int64, _ channel: UInt8, _ velocity: UInt7 = 90) -> StandardMIDIFile.Event {
      .init(tick: tick, .message(.noteOn(Channel(wire: channel), key: 60, velocity: velocity)))
    }
    typealias Meta = StandardMIDIFile.MetaEvent
    let file = StandardMIDIFile(
      format: .simultaneousTracks, division: .ticksPerQuarter(480),
      tracks: [
        .init([.init(tick: 960, .meta(Meta(microsecondsPerQuarter: 1_000_000)!))]),
        .init([
          .init(tick: 0, .meta(Meta(trackName: "An\u{1B}na"))), note(0, 0), note(0, 0), note(240, 0, 0), note(960, 0),
        ]),
        .init([note(480, 1), note(960, 2), note(1440, 2)]),
      ])
    let players = try PlayerTrace.players(inMIDIFile: try file.bytes(), name: "duet.mid")
    #expect(players.map(\.name) == ["An?na", "duet.mid: track 3, channel 2", "duet.mid: track 3, channel 3"])
    #expect(
      players.map { $0.actions.map(\.instant.nanoseconds) } == [
        [0, 1_000_000_000], [500_000_000], [1_000_000_000, 2_000_000_000],
      ])
    #expect(players[0].actions[0].force == 90 && !players[0].hasRhythm)
  }

  @Test func midiFileWithoutPlayersIsRefused() throws {
    let empty = StandardMIDIFile(format: .singleTrack, division: .ticksPerQuarter(480), tracks: [.init()])
    let independent = StandardMIDIFile(format: .independentTracks, division: .ticksPerQuarter(480), tracks: [.init()])
    for (bytes, reason) in [
      (try empty.bytes(), "contains no notes"), (try independent.bytes(), "independent tracks"), ([1, 2], "MThd"),
    ] {
      let error = #expect(throws: ReportError.self) { try PlayerTrace.players(inMIDIFile: bytes, name: "x.mid") }
      #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
    }
  }

  /// The second recording is late by normally distributed asynchronies with a mean of 8 ms. The error of a detected beginning is below 1 ms.
  @Test func recordingsArePlayers() throws {
    let positions = Takes.grid(60, seed: 21)
    let asynchronies = Clocks.gaussian(60, seed: 22).map { 8e6 + $0 * 3e6 }
    let second = zip(positions, asynchronies).map { $0 + $1 / 1e9 * Double(Takes.rate) }
    let players = try [("a.wav", positions), ("b.wav", second)].map {
      try PlayerTrace(Takes.recording($0, positions: $1, sounds: [.snare], noise: 40))
    }
    let pair = try PlayersAnalysis(players, grid: .onsets(window: .milliseconds(100))).report.pairs[0]
    let found = try #require(pair.asynchrony)
    #expect(found.count == 60 && abs(found.mean + asynchronies.reduce(0, +) / 60) < 0.2e6)
    let silent = Recording(
      name: "c.wav", samples: [Float](repeating: 0, count: 48_000), rate: 48_000, firstInstant: Instant(nanoseconds: 0))
    let error = #expect(throws: ReportError.self) { try PlayerTrace(silent) }
    #expect(error?.description.contains("c.wav: silent;") == true)
  }
}

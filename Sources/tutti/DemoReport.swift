import Engine
import Foundation
import Measurement
import MusicalTime
import Rhythm

/// How well the demo's peers kept together: by their traces, and by their recordings.
struct DemoReport: Encodable, CustomStringConvertible {
  /// Microseconds by which a peer is off the first, without sign.
  struct Spread: Encodable {
    var p50: Double
    var p99: Double
    var max: Double

    init(_ figures: Figures) {
      p50 = figures.p50.microseconds
      p99 = figures.p99.microseconds
      max = figures.maximum.microseconds
    }

    enum CodingKeys: String, CodingKey {
      case p50 = "p50_us"
      case p99 = "p99_us"
      case max = "max_us"
    }
  }

  struct Peer: Encodable {
    var name: String
    var role: String
    var ticksExpected: Int64
    var ticksReceived: Int64
    var onsetsExpected: Int
    var onsets: Int
    var onsetsMissing: Int
    var onsetsExtra: Int
    var lateHits: Int64
    var underruns: Int64
    var clockOffset: Spread
    var soundDifference: Spread
    var scheduler: String
    var recording: String
    var trace: String

    enum CodingKeys: String, CodingKey {
      case name, role, onsets, underruns, scheduler, recording, trace
      case ticksExpected = "ticks_expected"
      case ticksReceived = "ticks_received"
      case onsetsExpected = "onsets_expected"
      case onsetsMissing = "onsets_missing"
      case onsetsExtra = "onsets_extra"
      case lateHits = "late_hits"
      case clockOffset = "clock_offset"
      case soundDifference = "audio_onset_difference"
    }
  }

  let version = Version.current
  let patch: String
  let bpm: Double
  let bars: Int
  let activity: UInt8
  let kernel: String
  let processor: String
  let command: String
  let peers: [Peer]

  /// Reads what the peers left in `files` and compares.
  init(_ demo: DemoCommand, patch: Patch, files: [DemoBand.Files]) throws {
    let traces = try files.map { try Trace(contentsOf: $0.trace) }
    let recordings = try files.map { try Recording(file: $0.recording) }
    let sync = try SyncReport(traces: traces)
    let sound = try AudioReport(recordings: recordings)
    let table = StepTable(patch)
    let played = Set(traces[0].ticks.compactMap { $0.tick.beginsStep })
    let onsetsExpected = played.filter { step in
      table.hits(at: step).contains { table.hit($0).sounds(at: demo.activity) }
    }.count
    let nothing = Figures(absolute: [])
    peers = files.indices.map { n in
      let summary = traces[n].summary ?? TraceSummary(role: "killed")
      return Peer(
        name: files[n].name, role: summary.role, ticksExpected: summary.ticksExpected,
        ticksReceived: summary.ticksReceived, onsetsExpected: onsetsExpected, onsets: sound.tracks[n].onsets,
        onsetsMissing: n == 0 ? max(0, onsetsExpected - sound.tracks[0].onsets) : sound.comparisons[n - 1].missing,
        onsetsExtra: n == 0 ? max(0, sound.tracks[0].onsets - onsetsExpected) : sound.comparisons[n - 1].extra,
        lateHits: summary.lateHits, underruns: summary.underruns,
        clockOffset: Spread(n == 0 ? nothing : sync.comparisons[n - 1].magnitude),
        soundDifference: Spread(n == 0 ? nothing : sound.comparisons[n - 1].magnitude),
        scheduler: traces[n].header.scheduler, recording: files[n].recording, trace: files[n].trace)
    }
    self.patch = demo.patch
    bpm = demo.bpm
    bars = demo.bars
    activity = demo.activity
    kernel = traces[0].header.kernel
    processor = traces[0].header.processor
    command = CommandLine.arguments.joined(separator: " ")
  }

  /// The sync table.
  var description: String {
    var table = TextTable(columns: [
      "", "role", "ticks", "received", "hits", "heard", "late", "underruns", "clock p50", "p99", "max", "sound p50",
      "p99", "max",
      "scheduler",
    ])
    for peer in peers {
      let spreads = [peer.clockOffset, peer.soundDifference].flatMap { [$0.p50, $0.p99, $0.max] }
      table.append(
        [
          peer.name, peer.role, "\(peer.ticksExpected)", "\(peer.ticksReceived)", "\(peer.onsetsExpected)",
          "\(peer.onsets)", "\(peer.lateHits)", "\(peer.underruns)",
        ] + spreads.map { String(format: "%.1f", $0) } + [peer.scheduler])
    }
    var text = "Off \(peers[0].name), in microseconds; 1000 are one millisecond, below what anybody hears\n\(table)"
    if peers.contains(where: { $0.underruns > 0 }) {
      text += "Underruns: this machine stalled for 5 ms or more, where a sound card would have crackled.\n"
    }
    return text
  }
}

import BuildVersion
import Engine
import Foundation
import Measurement
import MusicalTime
import Rhythm

/// The timing of the demo's peers relative to the first peer, from their traces and recordings.
struct DemoReport: Encodable, CustomStringConvertible {
  /// Magnitudes of the differences from the first peer, in microseconds.
  struct Spread: Encodable {
    var p50: Double
    var p99: Double
    var max: Double

    /// Creates the spread; all values are 0 without a distribution.
    init(_ distribution: Distribution?) {
      p50 = (distribution?.p50 ?? 0) / 1e3
      p99 = (distribution?.p99 ?? 0) / 1e3
      max = (distribution?.maximum ?? 0) / 1e3
    }

    enum CodingKeys: String, CodingKey {
      case p50 = "p50_us"
      case p99 = "p99_us"
      case max = "max_us"
    }
  }

  /// The figures of one peer.
  struct Peer: Encodable {
    var name: String
    var role: String
    var ticksExpected: Int64
    var ticksReceived: Int64
    /// The number of onsets that the rhythm must have produced.
    var onsetsExpected: Int
    /// The number of onsets in the recording.
    var onsets: Int
    /// The number of onsets of the first peer that this peer lacks. For the first peer: the number of expected onsets that it lacks.
    var onsetsMissing: Int
    /// The number of onsets of this peer that the first peer lacks. For the first peer: the number of onsets beyond the expected number.
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
  /// The activity of the first peer; nil if it rose from 0 to 127.
  let activity: UInt8?
  /// The greatest total activity at which a step was played, 0...127.
  let maximumActivity: UInt8
  let kernel: String
  let processor: String
  let command: String
  let peers: [Peer]
  /// The largest number of phones that played at the same time; nil without a web page.
  let phones: Int?
  /// Whether the patch has pitched parts.
  private let isStyle: Bool

  enum CodingKeys: String, CodingKey {
    case version, patch, bpm, bars, activity, kernel, processor, command, peers, phones
    case maximumActivity = "activity_max"
  }

  /// Reads the traces and recordings in `files` and compares them. In the code, the index n counts the peers from 0. Element n - 1
  /// of `comparisons` compares peer n with peer 0. Peer 0 itself is compared only with the expected number of onsets.
  init(_ demo: DemoCommand, patch: Patch, files: [DemoPeers.Files], phones: Int?) throws {
    let traces = try files.map { try Trace(contentsOf: $0.trace) }
    let recordings = try files.map { try Recording(file: $0.recording) }
    let sync = try SyncReport(traces: traces)
    let sound = try AudioReport(recordings: recordings)
    let table = StepTable(patch)
    // The trace of the master contains the activity at each step. A step is counted once, even if it is played twice.
    let played = traces[0].ticks.reduce(into: [Step: UInt8]()) { played, tick in
      if let step = tick.tick.beginsStep { played[step] = tick.activity ?? demo.activity ?? 0 }
    }
    let onsetsExpected = played.reduce(0) { $0 + table.positions(at: $1.key, activity: $1.value).count }
    maximumActivity = played.values.max() ?? 0
    peers = files.indices.map { n in
      // A trace without a summary belongs to a peer that was killed.
      let summary = traces[n].summary ?? TraceSummary(role: "killed")
      return Peer(
        name: files[n].name, role: summary.role, ticksExpected: summary.ticksExpected,
        ticksReceived: summary.ticksReceived, onsetsExpected: onsetsExpected, onsets: sound.tracks[n].onsets,
        onsetsMissing: n == 0 ? max(0, onsetsExpected - sound.tracks[0].onsets) : sound.comparisons[n - 1].missing,
        onsetsExtra: n == 0 ? max(0, sound.tracks[0].onsets - onsetsExpected) : sound.comparisons[n - 1].extra,
        lateHits: summary.lateHits, underruns: summary.underruns,
        clockOffset: Spread(n == 0 ? nil : sync.comparisons[n - 1].magnitude),
        soundDifference: Spread(n == 0 ? nil : sound.comparisons[n - 1].magnitude),
        scheduler: traces[n].header.scheduler, recording: files[n].recording, trace: files[n].trace)
    }
    self.patch = demo.patch
    isStyle = !patch.parts.isEmpty
    bpm = demo.bpm
    bars = demo.barCount
    self.phones = phones
    activity = demo.activity
    kernel = traces[0].header.kernel
    processor = traces[0].header.processor
    command = CommandLine.arguments.joined(separator: " ")
  }

  /// The table as text.
  var description: String {
    var table = TextTable(columns: [
      "", "role", "ticks", "received", "onsets", "found", "late", "underruns", "clock p50", "p99", "max", "sound p50",
      "p99", "max", "scheduler",
    ])
    for peer in peers {
      let spreads = [peer.clockOffset, peer.soundDifference].flatMap { [$0.p50, $0.p99, $0.max] }
      table.append(
        [
          peer.name, peer.role, "\(peer.ticksExpected)", "\(peer.ticksReceived)", "\(peer.onsetsExpected)",
          "\(peer.onsets)", "\(peer.lateHits)", "\(peer.underruns)",
        ] + spreads.map { String(format: "%.1f", $0) } + [peer.scheduler])
    }
    var text = "Difference from \(peers[0].name) in microseconds; less than 1000 us (1 ms) cannot be heard\n\(table)"
    if peers.contains(where: { $0.underruns > 0 }) {
      text +=
        "Underruns: how often this machine delayed a peer by 5 ms or more. On a sound card, each would be heard as a click. "
        + "Close other programs, or give fewer --peers.\n"
    }
    if let phones { text += "Phones that played at the same time: \(phones)\n" }
    if isStyle {
      text +=
        "Sound: notes of bass, guitar and keys begin softly, so their onsets can be found up to 20 ms too early or too late. "
        + "Judge by the columns of the clock whether the peers are together.\n"
    }
    return text
  }
}

extension StepTable {
  /// The different positions of the hits at `step` (``Hit/position``). Each position is heard as one onset, even if it has several
  /// hits or the two notes of a flam.
  fileprivate func positions(at step: Step, activity: UInt8) -> Set<Int32> {
    var positions: Set<Int32> = []
    var cursor = cursor(at: step, activity: activity)
    while let hit = next(&cursor) { positions.insert(hit.position) }
    return positions
  }
}

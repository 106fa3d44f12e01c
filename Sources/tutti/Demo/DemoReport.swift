import BuildVersion
import Engine
import Foundation
import Measurement
import MusicalTime
import Rhythm

/// The timing of the demo's peers relative to the first peer, from their traces and recordings.
struct DemoReport: Encodable, CustomStringConvertible {
  /// The figures of one peer.
  private struct Peer {
    let files: DemoPeers.Files
    let scheduler: String
    let summary: TraceSummary
    /// The number of onsets in the recording.
    let onsets: Int
    /// The number of onsets of the first peer that this peer lacks. For the first peer: the number of expected onsets that it lacks.
    let onsetsMissing: Int
    /// The number of onsets of this peer that the first peer lacks. For the first peer: the number of onsets beyond the expected number.
    let onsetsExtra: Int
    /// The magnitudes of the differences from the first peer, in nanoseconds; nil for the first peer.
    let clock, sound: Distribution?

    /// The median, the 99th percentile and the maximum in microseconds; zero without a distribution.
    static func spread(_ distribution: Distribution?) -> [Double] {
      [distribution?.p50 ?? 0, distribution?.p99 ?? 0, distribution?.maximum ?? 0].map { $0 / 1e3 }
    }
  }

  /// A difference that can be heard, in milliseconds.
  private static let audible = 2.0

  private let demo: DemoCommand
  /// The path of the mix of all recordings.
  private let mix: String
  /// The header of the trace of the first peer.
  private let header: TraceHeader
  private let peers: [Peer]
  /// The number of onsets that the rhythm must have produced.
  private let onsetsExpected: Int
  /// The greatest total activity at which a step was played, 0...127.
  private let maximumActivity: UInt8
  /// The largest number of phones that played at the same time; nil without a web page.
  private let phones: Int?
  /// Whether the patch has pitched parts.
  private let isStyle: Bool

  /// Reads the traces and recordings in `files` and compares them. In the code, the index n counts the peers from 0. Element n - 1
  /// of `comparisons` compares peer n with peer 0. Peer 0 itself is compared only with the expected number of onsets.
  init(
    _ demo: DemoCommand, patch: Patch, score: DemoScore?, files: [DemoPeers.Files], mix: String, phones: Int?
  ) throws {
    let traces = try files.map { try Trace(contentsOf: $0.trace) }
    let recordings = try files.map { try Recording(file: $0.recording) }
    let sync = try SyncReport(traces: traces)
    let sound = try AudioReport(recordings: recordings)
    let table = StepTable(patch)
    // The trace of the master contains the activity at each step. A step is counted once, even if it is played twice.
    let played = traces[0].ticks.reduce(into: [Step: UInt8]()) { played, tick in
      if let step = tick.tick.beginsStep { played[step] = tick.activity ?? demo.activity ?? 0 }
    }
    let onsetsExpected =
      score?.onsets ?? played.reduce(0) { $0 + table.positions(at: $1.key, activity: $1.value).count }
    peers = files.indices.map { n in
      let (onsets, compared) = (sound.tracks[n].onsets, n > 0 ? sound.comparisons[n - 1] : nil)
      return Peer(
        files: files[n], scheduler: traces[n].header.scheduler,
        // A trace without a summary belongs to a peer that was killed.
        summary: traces[n].summary ?? TraceSummary(role: "killed"), onsets: onsets,
        onsetsMissing: compared?.missing ?? max(0, onsetsExpected - onsets),
        onsetsExtra: compared?.extra ?? max(0, onsets - onsetsExpected),
        clock: n > 0 ? sync.comparisons[n - 1].magnitude : nil, sound: compared?.magnitude)
    }
    (self.demo, self.mix, self.phones) = (demo, mix, phones)
    (self.onsetsExpected, header) = (onsetsExpected, traces[0].header)
    (maximumActivity, isStyle) = (played.values.max() ?? 0, score != nil || !patch.parts.isEmpty)
  }

  func encode(to encoder: any Encoder) throws {
    func json(_ distribution: Distribution?) -> JSONObject {
      let spread = Peer.spread(distribution)
      return ["p50_us": spread[0], "p99_us": spread[1], "max_us": spread[2]]
    }
    let peers = peers.map { peer in
      let summary = peer.summary
      return [
        "name": peer.files.name, "role": summary.role, "ticks_expected": summary.ticksExpected,
        "ticks_received": summary.ticksReceived, "onsets_expected": onsetsExpected, "onsets": peer.onsets,
        "onsets_missing": peer.onsetsMissing, "onsets_extra": peer.onsetsExtra, "late_hits": summary.lateHits,
        "underruns": summary.underruns, "clock_offset": json(peer.clock), "audio_onset_difference": json(peer.sound),
        "scheduler": peer.scheduler, "recording": peer.files.recording, "trace": peer.files.trace,
      ] as JSONObject
    }
    try encoder.encode([
      "version": Version.current, "patch": demo.patch, "score": demo.score, "bpm": demo.bpm, "bars": demo.barCount,
      // The activity of the first peer; omitted if it rose from 0 to 127.
      "activity": demo.activity, "activity_max": maximumActivity, "kernel": header.kernel,
      "processor": header.processor, "command": CommandLine.arguments.joined(separator: " "), "peers": peers,
      "phones": phones, "largest_difference_ms": self.peers.compactMap(largestDifference).max(), "mix": mix,
    ])
  }

  /// The largest difference of a peer from the first peer in milliseconds; nil for the first peer. Soft sounds begin at no exact instant, so
  /// with pitched parts only the clock counts.
  private func largestDifference(_ peer: Peer) -> Double? {
    guard let clock = peer.clock else { return nil }
    let sound = isStyle ? nil : peer.sound?.maximum
    return max(clock.maximum, sound ?? 0) / 1e6
  }

  /// One plain sentence for everybody, and the table.
  var description: String {
    var text = "\(summary)\n\n\(demo.details ? detailedTable : "\(table)")"
    if peers.contains(where: { $0.summary.underruns > 0 }) {
      text += """
        Underruns: how often this machine delayed a peer by 5 ms or more. On a sound
        card, each would be heard as a click. Close other programs, or give fewer
        --peers.

        """
    }
    if let phones { text += "Phones that played at the same time: \(phones)\n" }
    if isStyle {
      text += """
        Notes of instruments other than drums begin softly, so hits can be found up to
        20 ms too early or too late. The difference is that of the clocks.

        """
    }
    return text
  }

  private var summary: String {
    let largest = peers.compactMap(largestDifference).max() ?? 0
    let figure = String(format: largest < 0.1 ? "%.3f ms" : "%.1f ms", largest)
    let verdict =
      largest < Self.audible
      ? "; \(Int(Self.audible)) ms can be heard" : ", which can be heard: this machine was too busy"
    let lost = peers.reduce(0) { $0 + $1.summary.ticksExpected - $1.summary.ticksReceived }
    let losses = lost > 0 ? " \(lost) tick\(lost == 1 ? " was" : "s were") lost." : ""
    return """
      \(peers.count) peers played together. The largest difference was \(figure)\(verdict).\(losses)
      Listen: \(mix)
      """
  }

  private var table: TextTable {
    var table = TextTable(
      columns: ["", "role", "ticks", "hits", "late", "underruns", "difference (ms)"], wordColumns: 2)
    for peer in peers {
      let summary = peer.summary
      table.append([
        peer.files.name, summary.role, "\(summary.ticksReceived) of \(summary.ticksExpected)",
        "\(peer.onsets) of \(onsetsExpected)", "\(summary.lateHits)", "\(summary.underruns)",
        largestDifference(peer).map { String(format: "%.3f", $0) } ?? "",
      ])
    }
    return table
  }

  /// All figures, in microseconds.
  private var detailedTable: String {
    var table = TextTable(columns: [
      "", "role", "ticks", "received", "onsets", "found", "late", "underruns", "clock p50", "p99", "max", "sound p50",
      "p99", "max", "scheduler",
    ])
    for peer in peers {
      let (summary, spreads) = (peer.summary, Peer.spread(peer.clock) + Peer.spread(peer.sound))
      table.append(
        [
          peer.files.name, summary.role, "\(summary.ticksExpected)", "\(summary.ticksReceived)", "\(onsetsExpected)",
          "\(peer.onsets)", "\(summary.lateHits)", "\(summary.underruns)",
        ] + spreads.map { String(format: "%.1f", $0) } + [peer.scheduler])
    }
    return "Difference from \(peers[0].files.name) in microseconds; less than 1000 us (1 ms) cannot be heard\n\(table)"
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

import Foundation
import MusicalTime

/// The analysis of one trace for `tutti measure path`: the durations of the stages on the paths of its ticks.
///
/// The article <doc:PathFigures> defines the paths, the stages and the figures. The memory does not depend on the length of the trace.
public struct PathAnalysis {
  /// The figures of the trace.
  public private(set) var report: PathReport.Peer
  /// The column titles of the CSV output: the path of the trace in the file system, the kind of path of the tick, the number of the tick,
  /// its due instant in nanoseconds of the peer's local time, the name of the stage, and the duration of the stage in nanoseconds.
  public static let rowTitles = "file,path,tick,due_ns,stage,duration_ns"

  private let onRow: ((String) -> Void)?
  private var moments: [PathKind: PathMoments] = [:]
  private var matching = StepMatching()
  private var uncertainty = SignedHistogram()
  private var ticks = 0
  /// The number of followed ticks: those at which the peer was a follower and knew the offset of the master's clock.
  private var followed = 0
  /// The number of followed ticks whose packet is not in the trace.
  private var withoutPacket = 0
  /// The number of ticks with the instant at which the clock thread found that the tick was due (``TickPath/woken``). Traces of earlier
  /// versions do not contain this instant.
  private var recorded = 0
  /// The number of received packets whose send instant in local time is unknown: the packet has no send instant, or the offset of the
  /// master's clock was unknown.
  private var unstamped = 0
  /// The number of steps that have sounded (``TraceHit``).
  private var hits = 0

  /// Reads the trace at `path`.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - onOctets: receives all octets of the file, in order, for example for a digest.
  ///   - onRow: receives a row of the CSV output for each stage of each tick (``rowTitles``).
  /// - Throws: ``TraceError`` for a file that cannot be read or is not a trace.
  ///
  /// Real-time: not safe.
  public init(
    contentsOf path: String, onOctets: @escaping (Data) -> Void = { _ in },
    onRow: ((String) -> Void)? = nil
  ) throws(TraceError) {
    var reader = try TraceReader(path: path, onOctets: onOctets)
    self.init(file: path, header: reader.header, onRow: onRow)
    while let line = try reader.next() { add(line) }
    finish(isCutOff: reader.isCutOff)
  }

  init(file: String, header: TraceHeader, onRow: ((String) -> Void)?) {
    report = PathReport.Peer(file: file, header: header)
    self.onRow = onRow
  }

  mutating func add(_ line: TraceLine) {
    switch line {
    case .tick(let tick): add(tick)
    case .hit(let hit):
      hits += 1
      if let tick = matching.add(hit) { add(tick, hit) }
    case .action, .energy, .motion, .participant, .layers, .summary: break
    }
  }

  private mutating func add(_ tick: TraceTick) {
    ticks += 1
    if let woken = tick.path.woken {
      recorded += 1
      if report.header.hasClockPort == true { record(.clockPort, tick, [tick.due, woken, tick.acted]) }
      if let sent = tick.path.sent { record(.packets, tick, [tick.due, woken, sent]) }
    }
    if let sent = tick.path.sentAhead { record(.packetsAhead, tick, [tick.due, sent]) }
    if tick.offset != nil {
      followed += 1
      if let (sent, received) = arrival(of: tick) {
        record(.network, tick, [tick.due, sent, received])
        if let uncertainty = tick.uncertainty { self.uncertainty.record(uncertainty) }
      } else if tick.path.received == nil {
        withoutPacket += 1
      }
    }
    if tick.path.received != nil, arrival(of: tick) == nil { unstamped += 1 }
    if tick.tick.beginsStep != nil, let hit = matching.add(tick) { add(tick, hit) }
  }

  /// Adds a step that has sounded: a tick and its hit. The intended distance of a pushed or swung hit from its step is subtracted from the
  /// instant of the first frame.
  private mutating func add(_ tick: TraceTick, _ hit: TraceHit) {
    let firstFrame = hit.step + (hit.firstFrame - hit.due)
    guard tick.offset != nil else { return record(.sound, tick, [tick.due, hit.scheduled, firstFrame]) }
    guard let (sent, received) = arrival(of: tick) else { return }
    record(.receivedSound, tick, [tick.due, sent, received, hit.scheduled, firstFrame])
  }

  /// Returns the instants at which the packet with the tick was sent and received, both in local time; nil if one of them is unknown.
  private func arrival(of tick: TraceTick) -> (sent: Instant, received: Instant)? {
    guard let offset = tick.offset, let sent = tick.path.masterSent, let received = tick.path.received else {
      return nil
    }
    return (sent - offset, received)
  }

  /// Adds the durations between the instants of a tick on a path. `instants` has one element for each element of
  /// ``PathKind/instants``.
  private mutating func record(_ kind: PathKind, _ tick: TraceTick, _ instants: [Instant]) {
    let durations = zip(instants.dropFirst(), instants).map { $0 - $1 }
    moments[kind, default: PathMoments(stages: durations.count)].add(durations)
    guard let onRow else { return }
    for (stage, duration) in zip(kind.stages, durations) {
      onRow(
        "\(report.file.quotedForCSV),\(kind.rawValue),\(tick.tick.index),\(tick.due.nanoseconds),\(stage),"
          + "\(duration.count)")
    }
  }

  /// Calculates the figures after the last line.
  mutating func finish(isCutOff: Bool) {
    matching.finish()
    (report.ticks, report.hits) = (ticks, hits)
    report.paths = PathKind.allCases.compactMap { moments[$0]?.path($0) }
    report.offsetUncertainty = Distribution(uncertainty)
    report.missing = PathKind.allCases.compactMap { kind in
      guard moments[kind] == nil, let reason = reason(for: kind) else { return nil }
      return PathReport.Missing(path: kind, reason: reason)
    }
    if isCutOff { report.notes.append("the last line is incomplete and was ignored") }
    if moments[.network] != nil, withoutPacket > 0 {
      report.notes.append(
        "\(withoutPacket) of \(followed) ticks have no packet: it was lost, or arrived after the tick was recorded")
    }
    if hits > 0, matching.hitsWithoutTick > 0 {
      report.notes.append(
        "\(matching.hitsWithoutTick) of \(hits) steps with sound belong to no tick of the trace (count-in, or the end)")
    }
  }

  /// Returns the reason why a path has no figures. Returns nil for a path that does not apply: ``PathKind/sound`` at a follower, and
  /// ``PathKind/receivedSound`` at a peer that is not a follower.
  private func reason(for kind: PathKind) -> String? {
    guard ticks > 0 else { return "the trace has no ticks" }
    guard recorded > 0 else {
      return "the trace lacks these instants, because tutti \(report.header.version) recorded it; record it again with "
        + "this version of tutti"
    }
    let isFollower = moments[.network] != nil
    switch kind {
    case .clockPort: return "the peer had no ALSA sequencer port"
    case .packets: return "the peer sent no tick to a receiver that plays on arrival"
    case .packetsAhead: return "the peer sent no tick to a receiver that honours time stamps"
    case .network:
      return unstamped > 0
        ? "the clock offset of the master was not known, or its packets have no send instant"
        : "the peer received no tick of a Tutti master"
    case .sound where isFollower: return nil
    case .receivedSound where !isFollower: return nil
    case .sound, .receivedSound:
      return hits == 0
        ? "no step sounded: the peer had no sound output, or its rhythm was silent"
        : "no step that sounded has a tick and a packet"
    }
  }
}

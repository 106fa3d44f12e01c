public import MIDI
public import Scores

/// Writes a score along a route as a Standard MIDI File: one track for the tempo, then one for each part.
///
/// The events are those that peers play (``EventTable``), so repeats are written out, and dynamics and articulations are in velocities and
/// lengths. Source: Standard MIDI Files 1.0 (RP-001).
public enum MIDIScoreWriter {
  /// The file.
  ///
  /// - Throws: ``ScoreFault`` if the file would exceed the limits of ``StandardMIDIFile``.
  public static func octets(_ score: Score, along route: Route, tempo: TempoPath) throws(ScoreFault) -> [UInt8] {
    let file = file(score, along: route, tempo: tempo)
    do throws(StandardMIDIFile.WriteError) {
      return try file.bytes()
    } catch {
      throw ScoreFault("the MIDI file", error.reason, error.remedy)
    }
  }

  /// The contents of the file.
  public static func file(_ score: Score, along route: Route, tempo: TempoPath) -> StandardMIDIFile {
    let resolution = resolution(score)
    let end = ticks(ScorePosition(route.end), resolution)
    let table = EventTable(score, along: route)
    var tracks = [conductor(score, route, tempo, resolution, end)]
    for (index, part) in score.parts.enumerated() {
      tracks.append(track(part, index, channel(of: index, in: score), table, resolution, end))
    }
    return StandardMIDIFile(format: .simultaneousTracks, division: .ticksPerQuarter(resolution), tracks: tracks)
  }

  /// The smallest multiple of 480 up to 30 240 that divides all note values of the score; 480 if there is none.
  static func resolution(_ score: Score) -> Int {
    let common = Int(score.commonDenominator)
    return stride(from: 480, through: 30_240, by: 480).first { $0 % common == 0 } ?? 480
  }

  private static func ticks(_ position: ScorePosition, _ resolution: Int) -> Int64 {
    (position.thousandths * Int64(resolution) * 2 + ScorePosition.perQuarter) / (2 * ScorePosition.perQuarter)
  }

  /// Percussion is on channel 10. The other parts have channels of their own, as long as there are enough.
  static func channel(of part: Int, in score: Score) -> Channel {
    if score.parts[part].isPercussion { return Channel(wire: 9) }
    let place = score.parts[..<part].count { !$0.isPercussion } % 15
    return Channel(wire: UInt8(place < 9 ? place : place + 1))
  }

  private static func conductor(
    _ score: Score, _ route: Route, _ tempo: TempoPath, _ resolution: Int, _ end: Int64
  ) -> StandardMIDIFile.Track {
    var events: [StandardMIDIFile.Event] = []
    if !score.title.isEmpty { events.append(.init(tick: 0, .meta(.init(trackName: score.title)))) }
    let metres = score.metres
    var last: Metre?
    for played in route.bars where metres[played.bar] != last {
      last = metres[played.bar]
      guard let group = last?.groups.first, let signature = signature(metres[played.bar], group) else { continue }
      let isFirst = events.allSatisfy { $0.tick == 0 } && played.start == route.padding
      events.append(.init(tick: isFirst ? 0 : ticks(ScorePosition(played.start), resolution), .meta(.init(signature))))
    }
    for change in tempo.changes {
      let microseconds = Int((change.tempo.nanosecondsPerQuarter + 500) / 1000)
      guard let meta = StandardMIDIFile.MetaEvent(microsecondsPerQuarter: microseconds) else { continue }
      events.append(.init(tick: ticks(ScorePosition(thousandths: change.tick.index * 1000), resolution), .meta(meta)))
    }
    events.sortStably { $0.tick < $1.tick }
    return .init(events, end: max(end, events.last?.tick ?? 0))
  }

  /// The metre as one numerator: additive metres are added up in their smallest unit.
  private static func signature(_ metre: Metre, _ first: Metre.Group) -> StandardMIDIFile.TimeSignature? {
    let unit = metre.groups.map(\.unit).max() ?? first.unit
    return .init(metre.groups.reduce(0) { $0 + $1.beats.reduce(0, +) * (unit / $1.unit) }, unit)
  }

  private static func track(
    _ part: Part, _ index: Int, _ channel: Channel, _ table: EventTable, _ resolution: Int, _ end: Int64
  ) -> StandardMIDIFile.Track {
    var events: [StandardMIDIFile.Event] = [.init(tick: 0, .meta(.init(trackName: part.name)))]
    if !part.isPercussion {
      events.append(
        .init(tick: 0, .message(.programChange(channel, program: UInt7(masking: part.instruments[0].program)))))
    }
    events.append(
      .init(tick: 0, .message(.controlChange(channel, controller: 7, value: UInt7(masking: part.level)))))
    events += messages(table.events.filter { Int($0.part) == index }, channel).map {
      .init(tick: ticks($0.position, resolution), .message($0.message))
    }
    return .init(events, end: max(end, events.last?.tick ?? 0))
  }

  /// The beginnings and ends of notes in the order of their positions. At one position, notes end before others begin.
  private static func messages(
    _ notes: [ScoreEvent], _ channel: Channel
  ) -> [(position: ScorePosition, message: Message)] {
    var list: [(position: ScorePosition, isOn: Bool, message: Message)] = []
    for note in notes {
      let key = UInt7(masking: note.key)
      list.append(
        (note.position, true, .noteOn(channel, key: key, velocity: UInt7(masking: note.velocity))))
      list.append((note.end, false, .noteOff(channel, key: key, velocity: 64)))
    }
    list.sortStably { a, b in a.position == b.position ? !a.isOn && b.isOn : a.position < b.position }
    return list.map { ($0.position, $0.message) }
  }
}

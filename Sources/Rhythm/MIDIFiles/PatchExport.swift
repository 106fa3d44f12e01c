public import MIDI
public import MusicalTime

extension StandardMIDIFile {
  /// The number of ticks per quarter note in an exported file. A tick of the rhythm is 40 ticks of the file, so sixteenth notes and
  /// triplets are exact.
  public static let exportResolution = 960

  /// Converts bars of a patch to a file of format 1: a track with tempo and meter, a track with the hits of the drums on channel 10,
  /// and a track for each pitched part: the bass on channel 2, the guitar on channel 3 and the keys on channel 4. Swing, pushed and
  /// dragged notes and grace notes are rounded to the nearest tick.
  ///
  /// - Parameters:
  ///   - tempo: the tempo in the file, which determines the ticks of pushed and dragged notes and of grace notes.
  ///   - activity: the total activity, which selects the layers, 0...127.
  ///   - bars: the number of bars, at least 1.
  ///
  /// Real-time: not safe.
  public init(_ patch: Patch, tempo: Tempo, activity: UInt8, bars: Int) {
    let table = StepTable(patch)
    let ticksPerStep = Int64(Self.exportResolution) / Step.perQuarter
    let stepCount = Int64(bars) * patch.meter.stepsPerBar
    let end = stepCount * ticksPerStep
    var notes: [ExportedNote] = []
    for step in 0..<stepCount {
      var cursor = table.cursor(at: Step(step), activity: activity)
      while let hit = table.next(&cursor) {
        // The delay in ticks of the file.
        let delay = Int64(
          (Double(hit.delay.count * Int64(Self.exportResolution)) / Double(tempo.nanosecondsPerQuarter)).rounded())
        // A grace note of step 0 is omitted, because it would usually begin before the file.
        if !hit.isGrace || step > 0 { notes.append(ExportedNote(hit, step: step, delay: delay)) }
      }
    }
    let header: [Event?] = [
      Event(tick: 0, .meta(MetaEvent(trackName: patch.name))),
      MetaEvent(microsecondsPerQuarter: Int((tempo.nanosecondsPerQuarter + 500) / 1000)).map {
        Event(tick: 0, .meta($0))
      },
      TimeSignature(patch.meter.beats, patch.meter.unit).map { Event(tick: 0, .meta(MetaEvent($0))) },
    ]
    // The drums have channel 10, the bass channel 2, the guitar channel 3 and the keys channel 4. `wire` counts from 0.
    let drums = Self.events(of: .drums, Channel(wire: 9), program: nil, notes)
    let parts = patch.parts.map {
      Self.events(of: $0.part, Channel(wire: $0.part.rawValue), program: UInt7(masking: $0.program), notes)
    }
    self.init(
      format: .simultaneousTracks, division: .ticksPerQuarter(Self.exportResolution),
      tracks: [Track(header.compactMap(\.self), end: end)]
        + ([drums] + parts).map { Track($0, end: max(end, $0.last?.tick ?? 0)) })
  }

  /// Returns the track of a part. A note ends at the latest when the next note of its key begins. Of two notes of a key of a pitched
  /// part at one tick, the second one remains.
  private static func events(
    of part: Part, _ channel: Channel, program: UInt7?, _ notes: [ExportedNote]
  ) -> [Event] {
    var events = [Event(tick: 0, .meta(MetaEvent(trackName: part.name)))]
    if let program { events.append(Event(tick: 0, .message(.programChange(channel, program: program)))) }
    let notes = notes.filter { $0.part == part }.sorted { ($0.begin, $0.key.value) < ($1.begin, $1.key.value) }
    for (index, note) in notes.enumerated() {
      let later = notes[(index + 1)...].lazy.filter { $0.key == note.key }
      let next = later.first { part != .drums || $0.begin > note.begin }?.begin ?? .max
      guard next > note.begin else { continue }
      events.append(Event(tick: note.begin, .message(.noteOn(channel, key: note.key, velocity: note.velocity))))
      events.append(
        Event(tick: min(note.end, next), .message(.noteOff(channel, key: note.key, velocity: 0))))
    }
    return ordered(events)
  }

  /// The events in the order of time. At one tick, notes end before others begin. The index of an event before the sort, `offset`, is the
  /// last criterion, so that the sort is stable.
  private static func ordered(_ events: [Event]) -> [Event] {
    events.enumerated().sorted { a, b in
      (a.element.tick, a.element.order, a.offset) < (b.element.tick, b.element.order, b.offset)
    }.map(\.element)
  }
}

extension StandardMIDIFile.Event {
  /// The order of events at one tick: meta events, notes that end, all other events.
  fileprivate var order: Int {
    switch content {
    case .meta: 0
    case .message(let message) where message.silencesNote: 1
    default: 2
    }
  }
}

/// A note in an exported MIDI file.
struct ExportedNote {
  let part: Part
  let key: UInt7
  let velocity: UInt7
  /// The first tick of the note, in ticks of the file.
  let begin: Int64
  /// The first tick after the note, in ticks of the file.
  let end: Int64

  /// Creates the note of `hit`, a hit of `step`. `delay` is the delay of the hit in ticks of the file.
  init(_ hit: Hit, step: Int64, delay: Int64) {
    (part, key, velocity) = (hit.part, UInt7(masking: hit.note), UInt7(masking: hit.velocity))
    let perTick = Int64(StandardMIDIFile.exportResolution) / Tick.perQuarter
    let start = step * perTick * Tick.perStep + delay
    // A tick of the rhythm is 40 ticks of the file, so a thousandth of it is 1/25 tick of the file. Adding 12 before the division rounds
    // to the nearest tick.
    begin = max(0, start + (Int64(hit.position) + 12) / 25)
    // A drum sounds for a step.
    end = part == .drums ? begin + perTick * Tick.perStep : max(begin + 1, start + Int64(hit.end) * perTick)
  }
}

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
    var notes: [(tick: Int64, hit: Hit)] = []
    var pitched: [ExportedNote] = []
    for step in 0..<stepCount {
      var cursor = table.cursor(at: Step(step), activity: activity)
      while let hit = table.next(&cursor) {
        // The delay in ticks of the file.
        let delay = Int64(
          (Double(hit.delay.count * Int64(Self.exportResolution)) / Double(tempo.nanosecondsPerQuarter)).rounded())
        // A grace note of step 0 is omitted, because it would usually begin before the file.
        if hit.isGrace, step == 0 { continue }
        if hit.part != .drums {
          pitched.append(ExportedNote(hit, step: step, delay: delay))
          continue
        }
        // A tick of the rhythm is 40 ticks of the file, so a thousandth of it is 1/25 tick of the file. Adding 12 before the division
        // rounds to the nearest tick.
        notes.append((max(0, step * ticksPerStep + (Int64(hit.position) + 12) / 25 + delay), hit))
      }
    }
    notes.sort { ($0.tick, $0.hit.note) < ($1.tick, $1.hit.note) }
    let header: [Event?] = [
      Event(tick: 0, .meta(MetaEvent(trackName: patch.name))),
      MetaEvent(microsecondsPerQuarter: Int((tempo.nanosecondsPerQuarter + 500) / 1000)).map {
        Event(tick: 0, .meta($0))
      },
      TimeSignature(patch.meter.beats, patch.meter.unit).map { Event(tick: 0, .meta(MetaEvent($0))) },
    ]
    let drums = Self.drums(notes)
    let parts = patch.parts.map { part in
      Self.events(of: part, pitched.filter { $0.part == part.part })
    }
    self.init(
      format: .simultaneousTracks, division: .ticksPerQuarter(Self.exportResolution),
      tracks: [Track(header.compactMap(\.self), end: end)]
        + ([drums] + parts).map { Track($0, end: max(end, $0.last?.tick ?? 0)) })
  }

  /// The events of the drum track. A note ends one step after its beginning, or earlier if the same drum sounds again.
  private static func drums(_ notes: [(tick: Int64, hit: Hit)]) -> [Event] {
    let channel = Channel(wire: 9)
    var events = [Event(tick: 0, .meta(MetaEvent(trackName: "drums")))]
    for (index, (tick, hit)) in notes.enumerated() {
      let key = UInt7(masking: hit.note)
      events.append(Event(tick: tick, .message(.noteOn(channel, key: key, velocity: UInt7(masking: hit.velocity)))))
      let next = notes[(index + 1)...].first { $0.hit.note == hit.note && $0.tick > tick }?.tick ?? .max
      let end = min(tick + Int64(exportResolution) / Step.perQuarter, next)
      events.append(Event(tick: end, .message(.noteOff(channel, key: key, velocity: 0))))
    }
    return ordered(events)
  }

  /// The events in the order of time. At one tick, notes end before others begin. The index of an event before the sort, `offset`, is the
  /// last criterion, so that the sort is stable.
  static func ordered(_ events: [Event]) -> [Event] {
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

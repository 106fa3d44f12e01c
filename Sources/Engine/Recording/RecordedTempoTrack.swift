import MIDI
import MusicalTime

/// The first track of a MIDI recording: the changes of tempo and meter.
struct RecordedTempoTrack {
  typealias Event = StandardMIDIFile.Event
  typealias MetaEvent = StandardMIDIFile.MetaEvent

  /// The Set Tempo and Time Signature events, in the order of their positions.
  private(set) var events: [Event] = []
  /// The microseconds per quarter note of the last Set Tempo event.
  private var tempo: Int?

  /// Appends a Set Tempo event, unless the last one has the same tempo. The file stores whole microseconds per quarter note. The
  /// rounding changes the tempo by less than 9 ppm at 999 BPM, and by 1 ppm at 120 BPM. It does not change the positions.
  mutating func append(_ tempo: Tempo, at position: Int64) {
    let microseconds = Int((tempo.nanosecondsPerQuarter + 500) / 1000)
    guard microseconds != self.tempo, let event = MetaEvent(microsecondsPerQuarter: microseconds) else { return }
    self.tempo = microseconds
    replace(\.microsecondsPerQuarter, by: event, at: position)
  }

  /// Appends a Time Signature event.
  mutating func append(_ meter: Meter, at position: Int64) {
    guard let signature = StandardMIDIFile.TimeSignature(meter.beats, meter.unit) else { return }
    replace(\.timeSignature, by: MetaEvent(signature), at: position)
  }

  /// Appends `event`, and removes an earlier event of the same kind at the same position.
  ///
  /// - Parameter kind: a property that is not nil for events of this kind only.
  private mutating func replace<Value>(_ kind: KeyPath<MetaEvent, Value?>, by event: MetaEvent, at position: Int64) {
    var index = events.endIndex
    while index > events.startIndex, events[index - 1].tick == position {
      index -= 1
      if case .meta(let meta) = events[index].content, meta[keyPath: kind] != nil { events.remove(at: index) }
    }
    events.append(Event(tick: position, .meta(event)))
  }
}

import MIDI
import MusicalTime

/// The track of the rhythm: the hits on channel 10.
///
/// A hit lasts a step, or until the same drum sounds again.
struct RecordedRhythm {
  typealias Event = StandardMIDIFile.Event

  /// The length of a note in units.
  private static let length = RecordedTimeline.unitsPerTick * Tick.perStep
  private static let channel = Channel(wire: 9)

  private struct Note {
    var begin: Int64
    var end: Int64
    var key: UInt7
    var velocity: UInt7
  }

  private var notes: [Note] = []
  /// The index in ``notes`` of the last note of each key.
  private var last = [Int?](repeating: nil, count: 128)

  /// The number of events in the file.
  var eventCount: Int { 2 * notes.count }

  /// Appends a hit. Its position is not before that of the previous hit. Of two hits of a drum at one position, the louder one
  /// remains, because a MIDI file cannot contain both.
  mutating func append(note: UInt8, velocity: UInt8, at position: Int64) {
    let (key, velocity) = (UInt7(masking: note), UInt7(masking: velocity))
    if let index = last[Int(key.value)] {
      if notes[index].begin == position {
        if velocity.value > notes[index].velocity.value { notes[index].velocity = velocity }
        return
      }
      notes[index].end = min(notes[index].end, position)
    }
    last[Int(key.value)] = notes.count
    notes.append(Note(begin: position, end: position + Self.length, key: key, velocity: velocity))
  }

  /// The events in the order of time. At one position, notes end before others begin.
  var events: [Event] {
    var events: [Event] = []
    events.reserveCapacity(eventCount)
    let ends = notes.indices.sorted { (notes[$0].end, $0) < (notes[$1].end, $1) }
    var next = ends.startIndex
    func appendEnds(until position: Int64) {
      while next < ends.endIndex, notes[ends[next]].end <= position {
        let note = notes[ends[next]]
        events.append(Event(tick: note.end, .message(.noteOff(Self.channel, key: note.key, velocity: 0))))
        next += 1
      }
    }
    for note in notes {
      appendEnds(until: note.begin)
      events.append(
        Event(tick: note.begin, .message(.noteOn(Self.channel, key: note.key, velocity: note.velocity))))
    }
    appendEnds(until: .max)
    return events
  }
}

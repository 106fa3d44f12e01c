import MIDI
import MusicalTime

/// The track of one part of the rhythm or of a score in a MIDI recording: its notes and programs. Positions are ticks of the file
/// (``RecordedTimeline``).
struct RecordedPart {
  typealias Event = StandardMIDIFile.Event

  private struct Note {
    var begin: Int64
    var end: Int64
    var key: UInt7
    var velocity: UInt7
    /// The instant at which the note began, which identifies the note for ``end(_:started:at:)``.
    var started: Instant?
  }

  private let channel: Channel
  private var notes: [Note] = []
  /// The index in ``notes`` of the last note of each key.
  private var last = [Int?](repeating: nil, count: 128)
  /// The Program Changes. Each precedes the note with the index `note`.
  private var programs: [(note: Int, program: UInt7)] = []

  init(channel: Channel) { self.channel = channel }

  /// The number of events in the file.
  var eventCount: Int { 2 * notes.count + programs.count }

  /// Begins a note. Its position must not be before that of the previous note. A note of the same key that still sounds ends where the new
  /// note begins. Of two notes of a key at one position, the louder one remains, because a MIDI file cannot contain both.
  ///
  /// - Parameters:
  ///   - end: the position at which the note ends, unless another call ends the note earlier.
  ///   - program: the program of the note; nil for a drum.
  ///   - started: the instant at which the note begins, for ``end(_:started:at:)``.
  mutating func begin(
    _ key: UInt8, velocity: UInt8, program: UInt8? = nil, started: Instant? = nil, at position: Int64,
    until end: Int64 = .max
  ) {
    let (key, velocity) = (UInt7(masking: key), UInt7(masking: velocity))
    if let index = last[Int(key.value)] {
      if notes[index].begin == position {
        if velocity.value > notes[index].velocity.value { notes[index].velocity = velocity }
        return
      }
      notes[index].end = min(notes[index].end, position)
    }
    if let program = program.map({ UInt7(masking: $0) }), programs.last?.program != program {
      programs.append((notes.count, program))
    }
    last[Int(key.value)] = notes.count
    notes.append(Note(begin: position, end: end, key: key, velocity: velocity, started: started))
  }

  /// Ends the note of a key that began at the instant `started`, unless it has ended already or the key has begun another note.
  mutating func end(_ key: UInt8, started: Instant, at position: Int64) {
    guard let index = last[Int(key & 0x7F)], notes[index].started == started else { return }
    end(index, at: position)
  }

  private mutating func end(_ index: Int, at position: Int64) {
    notes[index].end = min(notes[index].end, max(position, notes[index].begin + 1))
  }

  /// Ends all notes that still sound.
  mutating func endAll(at position: Int64) { for case let index? in last { end(index, at: position) } }

  /// The events in the order of time. At one position, notes end before others begin.
  ///
  /// - Parameter end: the position at which the notes that still sound end.
  func events(until end: Int64) -> [Event] {
    var events: [Event] = []
    events.reserveCapacity(eventCount)
    let ends = notes.indices.sorted { (notes[$0].end, $0) < (notes[$1].end, $1) }
    var (next, nextProgram) = (ends.startIndex, programs.startIndex)
    func appendEnds(until position: Int64) {
      while next < ends.endIndex, notes[ends[next]].end <= position {
        append(endOf: notes[ends[next]])
        next += 1
      }
    }
    func append(endOf note: Note) {
      let tick = note.end == .max ? max(end, note.begin + 1) : note.end
      events.append(Event(tick: tick, .message(.noteOff(channel, key: note.key, velocity: 0))))
    }
    for (index, note) in notes.enumerated() {
      appendEnds(until: note.begin)
      while nextProgram < programs.endIndex, programs[nextProgram].note == index {
        events.append(
          Event(tick: note.begin, .message(.programChange(channel, program: programs[nextProgram].program))))
        nextProgram += 1
      }
      events.append(Event(tick: note.begin, .message(.noteOn(channel, key: note.key, velocity: note.velocity))))
    }
    appendEnds(until: .max)
    return events
  }
}

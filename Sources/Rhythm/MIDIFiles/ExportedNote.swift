import MIDI
import MusicalTime

/// A note of a pitched part in an exported MIDI file.
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
    end = max(begin + 1, start + Int64(hit.end) * perTick)
  }
}

extension StandardMIDIFile {
  /// The events of the track of a pitched part. A note ends early if its key begins again.
  static func events(of part: PitchedPart, _ notes: [ExportedNote]) -> [Event] {
    // The bass has channel 2, the guitar channel 3 and the keys channel 4. `wire` counts from 0.
    let channel = Channel(wire: part.part.rawValue)
    var events = [
      Event(tick: 0, .meta(MetaEvent(trackName: part.part.name))),
      Event(tick: 0, .message(.programChange(channel, program: UInt7(masking: part.program)))),
    ]
    let notes = notes.sorted { ($0.begin, $0.key.value) < ($1.begin, $1.key.value) }
    for (index, note) in notes.enumerated() {
      let next = notes[(index + 1)...].first { $0.key == note.key }?.begin ?? .max
      // Of two notes of a key at one tick, the second one remains.
      guard next > note.begin else { continue }
      events.append(Event(tick: note.begin, .message(.noteOn(channel, key: note.key, velocity: note.velocity))))
      events.append(
        Event(tick: min(note.end, next), .message(.noteOff(channel, key: note.key, velocity: 0))))
    }
    return ordered(events)
  }
}

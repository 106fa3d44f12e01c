import MIDI
import Rhythm

// The file of a MIDI recording.
extension MIDIRecording {
  typealias Track = StandardMIDIFile.Track
  typealias Event = StandardMIDIFile.Event
  typealias MetaEvent = StandardMIDIFile.MetaEvent

  /// The longest time between two events of a track in ticks of the file, 2^28 - 1: a variable-length quantity has at most four bytes.
  private static let maximumDelta: Int64 = 0x0FFF_FFFF

  /// The recording as a file of format 1: the tempo track, the drums, the other parts of the rhythm, and one track per player.
  /// Notes that still sound end at the end of the file.
  var file: StandardMIDIFile {
    let parts = parts.map { $0.events(until: timeline.end) }
    let end = parts.reduce(timeline.end) { max($0, $1.last?.tick ?? 0) }
    // A pitched part without notes has no track.
    let pitched = Part.allCases.filter { $0 != .drums && !parts[Int($0.rawValue)].isEmpty }
    func track(_ name: String, _ events: [Event]) -> Track {
      Track(Self.filled([Event(tick: 0, .meta(MetaEvent(trackName: name)))] + events, until: end), end: end)
    }
    return StandardMIDIFile(
      format: .simultaneousTracks, division: .ticksPerQuarter(RecordedTimeline.resolution),
      tracks: [track(name, timeline.changes.events), track("rhythm", parts[0])]
        + pitched.map { track($0.name, parts[Int($0.rawValue)]) }
        + players.map { track($0.name, $0.events(until: end)) })
  }

  /// Inserts empty text events where two events of a track are further apart than ``maximumDelta``.
  private static func filled(_ events: [Event], until end: Int64) -> [Event] {
    var filled: [Event] = []
    filled.reserveCapacity(events.count)
    var tick: Int64 = 0
    func fill(to next: Int64) {
      while next - tick > maximumDelta {
        tick += maximumDelta
        // Meta event type 1 is a text event.
        filled.append(Event(tick: tick, .meta(MetaEvent(type: 1, bytes: []))))
      }
      tick = next
    }
    for event in events {
      fill(to: event.tick)
      filled.append(event)
    }
    fill(to: end)
    return filled
  }
}

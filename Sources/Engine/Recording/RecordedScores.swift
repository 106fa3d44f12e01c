import Audio
import MIDI
import MusicalTime

/// The tracks of the scores in a MIDI recording: one for each part of each score. Positions are ticks of the file (``RecordedTimeline``).
///
/// A score that is played again, or another one with the same parts, continues the tracks.
struct RecordedScores {
  typealias Event = StandardMIDIFile.Event

  /// The maximum number of tracks: four large scores. The parts of a further score share the tracks of the last one.
  static let maximum = 256
  /// The maximum number of parts of a score.
  private static let maximumParts = Int(DrumLanes.scorePartCount)

  private var names: [String] = []
  private var parts: [RecordedPart?] = []
  /// The tracks of each score.
  private var scores: [Range<Int>] = []
  /// The tracks of the score that plays.
  private(set) var present = 0..<0

  /// The number of events in the file.
  var eventCount: Int { parts.reduce(0) { $0 + ($1?.eventCount ?? 0) } }

  /// Begins a score with these parts. Parts after the 64th are left out.
  mutating func begin(_ parts: [String]) {
    let list = parts.prefix(Self.maximumParts)
    if let known = scores.first(where: { names[$0].elementsEqual(list) }) {
      present = known
    } else if names.count + list.count <= Self.maximum {
      present = names.count..<names.count + list.count
      scores.append(present)
      names += list
      self.parts += Array(repeating: nil, count: list.count)
    }
  }

  /// The track of a part of the score that plays. Nil if the score has no such part.
  func track(ofPart part: UInt8) -> Int? {
    let track = present.lowerBound + Int(part)
    return present.contains(track) ? track : nil
  }

  /// Begins a note. The first note of a track decides its channel: drums are on channel 10, and the other tracks have channels of their own
  /// as long as there are enough.
  mutating func begin(
    _ key: UInt8, velocity: UInt8, program: UInt8, in track: Int, started: Instant, at position: Int64
  ) {
    let isDrum = program == SoundEvent.drumKit
    if parts[track] == nil {
      let place = UInt8(track % 15)
      parts[track] = RecordedPart(channel: Channel(wire: isDrum ? 9 : place < 9 ? place : place + 1))
    }
    parts[track]?.begin(key, velocity: velocity, program: isDrum ? nil : program, started: started, at: position)
  }

  /// Ends the note of a key that began at the instant `started`.
  mutating func end(_ key: UInt8, in track: Int, started: Instant, at position: Int64) {
    parts[track]?.end(key, started: started, at: position)
  }

  /// Ends all notes that still sound in `tracks`.
  mutating func endAll(in tracks: Range<Int>, at position: Int64) {
    for track in tracks { parts[track]?.endAll(at: position) }
  }

  /// The tracks that have notes.
  ///
  /// - Parameter end: the position at which the notes that still sound end.
  func tracks(until end: Int64) -> [(name: String, events: [Event])] {
    zip(names, parts).compactMap { name, part in part.map { (name, $0.events(until: end)) } }
  }
}

import Audio
import MIDI
import MusicalTime
import Rhythm

/// A MIDI recording: the rhythm of a peer, its scores and the notes of all players, as a Standard MIDI File. The recording does no I/O and reads
/// no clock.
///
/// To place an event is to convert its instant to a position in the file (``RecordedTimeline``). The instant may be in the future,
/// because hits are sent to the sound ahead of time. Therefore an event is placed only when its position is certain: when a
/// later tick is known, or when the caller knows that no tick before the event is missing (``place(until:)``).
struct MIDIRecording {
  /// The maximum number of events. The limit leaves room for the names and for the ends of notes. With them, the file has at most
  /// ``StandardMIDIFile/maximumEvents`` events and, with eight bytes per event, at most ``StandardMIDIFile/maximumBytes`` bytes.
  static let maximumEvents = 1_000_000

  /// An event that is not placed yet.
  private struct Waiting {
    var instant: Instant
    var content: Content

    enum Content {
      /// A drum hit that belongs to the step due at `step`.
      case hit(note: UInt8, velocity: UInt8, step: Instant)
      /// The beginning of a note of a pitched part.
      case note(SoundEvent, part: Int, key: UInt8, velocity: UInt8, program: UInt8)
      /// The end of a note of a pitched part. The note begins at `start` and belongs to the step due at `step`.
      case end(part: Int, key: UInt8, step: Instant, start: Instant)
      /// The end of all notes of a pitched part, or of all pitched parts (0).
      case release(part: Int)
      /// The beginning of a note of a score, in the track with the index `track`. The program of a drum is ``SoundEvent/drumKit``.
      case scoreNote(SoundEvent, track: Int, key: UInt8, velocity: UInt8, program: UInt8)
      /// The end of a note of a score. The note begins at `start` and belongs to the step due at `step`.
      case scoreEnd(track: Int, key: UInt8, step: Instant, start: Instant)
      /// The end of all notes in these tracks of scores.
      case scoreRelease(tracks: Range<Int>)
      /// A message of a player.
      case message(Message, player: Int)
      /// A System Exclusive of a device.
      case exclusive([UInt8], player: Int)
    }
  }

  /// The name of the local player, which is also the name of the first track.
  let name: String
  /// The maximum number of events of this recording.
  private let limit: Int
  private(set) var timeline: RecordedTimeline
  /// The parts of the rhythm by their numbers: the drums on channel 10, bass, guitar and keys on channels 14 to 16.
  private(set) var parts = Part.allCases.map { part in
    RecordedPart(channel: Channel(wire: part == .drums ? 9 : 12 + part.rawValue))
  }
  /// The scores that were played.
  private(set) var scores = RecordedScores()
  /// The local player has the index 0.
  private(set) var players: [RecordedPlayer]
  /// The events that are not placed yet, in the order of their instants.
  private var waiting: [Waiting] = []
  /// Whether events were omitted because the recording contains the maximum number.
  private(set) var isFull = false
  /// Increases with each change of ``file``.
  private(set) var revision = 0

  /// Creates a recording with an empty track for the local player, who has the index 0.
  ///
  /// - Parameters:
  ///   - name: the name of the local player and of the file.
  ///   - tempo: the tempo until the rhythm begins.
  ///   - meter: the meter of the rhythm.
  ///   - limit: the maximum number of events.
  init(name: String, tempo: Tempo, meter: Meter, limit: Int = maximumEvents) {
    (self.name, self.limit) = (name, limit)
    timeline = RecordedTimeline(tempo: tempo, meter: meter)
    players = [RecordedPlayer(name: name)]
  }

  /// Adds an event.
  mutating func add(_ event: RecordedEvent) {
    switch event {
    case .tick(let record):
      place(before: record.due, next: record)
      if hasRoom() { timeline.append(record) }
      revision += 1
    case .hit(let event): add(event)
    case .message(let message, let player, let instant):
      insert(Waiting(instant: instant, content: .message(message, player: player)))
    case .exclusive(let octets, let player, let instant):
      insert(Waiting(instant: instant, content: .exclusive(octets, player: player)))
    case .score(let parts): scores.begin(parts)
    case .name(let name, let player):
      addPlayers(upTo: player)
      players[player].name = name
      revision += 1
    }
  }

  /// Places all events before `horizon`. All ticks that are due before `horizon` must have been added.
  mutating func place(until horizon: Instant) { place(before: horizon, next: nil) }

  /// Places all events, because the sound ends at `instant`. Hits and notes that begin at this instant or later have not sounded and are
  /// removed.
  mutating func finish(at instant: Instant) {
    waiting.removeAll { waiting in
      guard waiting.instant >= instant else { return false }
      switch waiting.content {
      case .message(let message, _): return message.startsNote
      case .hit, .note, .scoreNote: return true
      case .end, .release, .scoreEnd, .scoreRelease, .exclusive: return false
      }
    }
    place(before: .distantFuture, next: nil)
  }

  /// Adds an event of the rhythm. A recall (``SoundEvent/Kind/recall``) removes hits that were sent to the sound but have not
  /// sounded, because the rhythm has changed.
  private mutating func add(_ event: SoundEvent) {
    switch event.kind {
    case .hit(let note, let velocity, _):
      insert(
        Waiting(instant: event.instant, content: .hit(note: note, velocity: velocity, step: event.step)))
    case .note(let key, let velocity, let part, let program):
      insert(
        Waiting(
          instant: event.instant,
          content: .note(event, part: Int(part), key: key, velocity: velocity, program: program)))
      insert(
        Waiting(
          instant: event.end, content: .end(part: Int(part), key: key, step: event.step, start: event.instant)))
    case .recall:
      waiting.removeAll { waiting in
        // A recall concerns the steps that are due at `event.instant` or later. A hit or a note of these steps remains if it sounded
        // before the recall was sent (`event.submitted`).
        switch waiting.content {
        case .hit(_, _, let step): step >= event.instant && waiting.instant > event.submitted
        case .note(let note, _, _, _, _): note.step >= event.instant && note.instant > event.submitted
        case .scoreNote(let note, _, _, _, _): note.step >= event.instant && note.instant > event.submitted
        case .end(_, _, let step, let start), .scoreEnd(_, _, let step, let start):
          step >= event.instant && start > event.submitted
        case .release, .scoreRelease, .message, .exclusive: false
        }
      }
    case .release(let part): insert(Waiting(instant: event.instant, content: .release(part: Int(part))))
    case .scoreNote(let key, let velocity, let part, let program):
      guard let track = scores.track(ofPart: part) else { break }
      insert(
        Waiting(
          instant: event.instant,
          content: .scoreNote(event, track: track, key: key, velocity: velocity, program: program)))
      insert(
        Waiting(
          instant: event.end, content: .scoreEnd(track: track, key: key, step: event.step, start: event.instant)))
    case .releaseScore: insert(Waiting(instant: event.instant, content: .scoreRelease(tracks: scores.present)))
    case .muteScorePart(let part):
      guard let track = scores.track(ofPart: part) else { break }
      waiting.removeAll { waiting in
        // The notes that have not begun do not sound.
        switch waiting.content {
        case .scoreNote(_, track, _, _, _): waiting.instant > event.instant
        case .scoreEnd(track, _, _, let start): start > event.instant
        default: false
        }
      }
      insert(Waiting(instant: event.instant, content: .scoreRelease(tracks: track..<track + 1)))
    case .message, .rhythmLevel: break
    }
  }

  /// Inserts `event` after all events at the same instant or before.
  private mutating func insert(_ event: Waiting) {
    var index = waiting.endIndex
    while index > waiting.startIndex, waiting[index - 1].instant > event.instant { index -= 1 }
    waiting.insert(event, at: index)
  }

  /// Places all events before `instant`.
  ///
  /// - Parameter next: the first tick at `instant` or later; nil if it is not known.
  private mutating func place(before instant: Instant, next: TickRecord?) {
    let count = waiting.firstIndex { $0.instant >= instant } ?? waiting.endIndex
    for event in waiting[..<count] {
      guard hasRoom() else { break }
      let position = timeline.position(of: event.instant, before: next)
      switch event.content {
      case .hit(let note, let velocity, _):
        // A hit lasts a step.
        let end = position + RecordedTimeline.unitsPerTick * Tick.perStep
        parts[0].begin(note, velocity: velocity, at: position, until: end)
      case .note(_, let part, let key, let velocity, let program):
        guard parts.indices.contains(part) else { break }
        parts[part].begin(key, velocity: velocity, program: program, started: event.instant, at: position)
      case .end(let part, let key, _, let start):
        if parts.indices.contains(part) { parts[part].end(key, started: start, at: position) }
      case .release(let part):
        for index in parts.indices.dropFirst() where part == 0 || index == part { parts[index].endAll(at: position) }
      case .scoreNote(let note, let track, let key, let velocity, let program):
        scores.begin(key, velocity: velocity, program: program, in: track, started: note.instant, at: position)
      case .scoreEnd(let track, let key, _, let start): scores.end(key, in: track, started: start, at: position)
      case .scoreRelease(let tracks): scores.endAll(in: tracks, at: position)
      case .message(let message, let player):
        addPlayers(upTo: player)
        players[player].append(message, at: position)
      case .exclusive(let octets, let player):
        addPlayers(upTo: player)
        players[player].append(exclusive: octets, at: position)
      }
    }
    waiting.removeFirst(count)
    revision += count
  }

  /// Adds players without a known name up to the index `player`. Normally, the event with the name of a player comes first and adds the
  /// player. This event can be lost if the disk does not respond for a long time.
  private mutating func addPlayers(upTo player: Int) {
    while players.count <= player { players.append(RecordedPlayer(name: "player \(players.count + 1)")) }
  }

  /// Whether the recording has room for another event. If not, it is full from now on.
  private mutating func hasRoom() -> Bool {
    if !isFull, eventCount >= limit { isFull = true }
    return !isFull
  }

  private var eventCount: Int {
    let ofRhythm = parts.reduce(timeline.changes.events.count) { $0 + $1.eventCount }
    return players.reduce(ofRhythm + scores.eventCount) { $0 + $1.eventCount }
  }
}

// The file of a MIDI recording.
extension MIDIRecording {
  typealias Track = StandardMIDIFile.Track
  typealias Event = StandardMIDIFile.Event
  typealias MetaEvent = StandardMIDIFile.MetaEvent

  /// The longest time between two events of a track in ticks of the file, 2^28 - 1: a variable-length quantity has at most four bytes.
  private static let maximumDelta: Int64 = 0x0FFF_FFFF

  /// The recording as a file of format 1: the tempo track, the drums, the other parts of the rhythm, the parts of scores, and one track per
  /// player. Notes that still sound end at the end of the file.
  var file: StandardMIDIFile {
    let parts = parts.map { $0.events(until: timeline.end) }
    let ofScores = scores.tracks(until: timeline.end)
    let end = (parts + ofScores.map(\.events)).reduce(timeline.end) { max($0, $1.last?.tick ?? 0) }
    // A pitched part without notes has no track.
    let pitched = Part.allCases.filter { $0 != .drums && !parts[Int($0.rawValue)].isEmpty }
    func track(_ name: String, _ events: [Event]) -> Track {
      Track(Self.filled([Event(tick: 0, .meta(MetaEvent(trackName: name)))] + events, until: end), end: end)
    }
    return StandardMIDIFile(
      format: .simultaneousTracks, division: .ticksPerQuarter(RecordedTimeline.resolution),
      tracks: [track(name, timeline.changes.events), track("rhythm", parts[0])]
        + pitched.map { track($0.name, parts[Int($0.rawValue)]) } + ofScores.map { track($0.name, $0.events) }
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

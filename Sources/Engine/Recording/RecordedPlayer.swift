import MIDI

/// The track of one player in a MIDI recording: the messages of the player, on their channels, also those that did not sound at the
/// local peer. Positions are ticks of the file (``RecordedTimeline``).
struct RecordedPlayer {
  typealias Event = StandardMIDIFile.Event

  /// The name of the track.
  var name: String
  private var played: [Event] = []
  /// The notes that sound, as zero-based channel * 128 + key.
  private var held: Set<Int> = []

  init(name: String) { self.name = name }

  /// The number of messages.
  var eventCount: Int { played.count }

  /// Appends a message. Its position is not before that of the previous message.
  mutating func append(_ message: Message, at position: Int64) {
    played.append(Event(tick: position, .message(message)))
    guard let channel = message.channel else { return }
    let first = Int(channel.wire) * 128
    switch message {
    case .noteOn(_, let key, let velocity) where velocity.value > 0: held.insert(first + Int(key.value))
    case .noteOn(_, let key, _), .noteOff(_, let key, _): held.remove(first + Int(key.value))
    default: if message.endsAllNotes { held = held.filter { !(first..<first + 128).contains($0) } }
    }
  }

  /// The events in the order of time. Notes that still sound end at `end`, which is not before the last message.
  func events(until end: Int64) -> [Event] {
    played
      + held.sorted().map { note in
        let channel = Channel(wire: UInt8(note / 128))
        return Event(tick: end, .message(.noteOff(channel, key: UInt7(masking: UInt8(note % 128)), velocity: 64)))
      }
  }
}

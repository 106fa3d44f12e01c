import MIDI
import MusicalTime

/// The drum notes of a Standard MIDI File, with its first tempo and its first time signature.
struct DrumScore {
  private(set) var notes: [PatchImport.Note] = []
  private(set) var tempo: Tempo
  private(set) var meter: Meter

  /// Reads the notes of channel 10, and puts them in the order of time. The tempo and the meter come from the first tempo event and the
  /// first time signature in the order of the tracks, because the conductor track is the first track. `resolution` is the number of
  /// ticks per quarter note.
  init(_ file: StandardMIDIFile, resolution: Int64) throws(ImportError) {
    var (tempo, meter): (Tempo?, Meter?) = (nil, nil)
    for event in Self.events(of: file) {
      switch event.content {
      case .message(.noteOn(let channel, let key, let velocity)) where channel.number == 10 && velocity.value > 0:
        notes.append(PatchImport.Note(key: key.value, velocity: velocity.value, tick: event.tick))
      case .meta(let meta):
        if tempo == nil, let duration = meta.microsecondsPerQuarter {
          tempo = try? Tempo(bpm: 60e6 / Double(duration))
        }
        if meter == nil, let signature = meta.timeSignature {
          meter = Meter(beats: signature.numerator, unit: signature.denominator)
          if meter == nil {
            throw ImportError(
              "the time signature \(signature.numerator)/\(signature.denominator) is not possible in a patch; "
                + "use 1 to 16 beats of 1/2, 1/4, 1/8 or 1/16")
          }
        }
      default: break
      }
    }
    guard !notes.isEmpty else {
      throw ImportError("the file has no notes on channel 10, the drum channel; move the drums to this channel")
    }
    (self.tempo, self.meter) = (tempo ?? .standard, meter ?? .common)
    notes.sort { ($0.tick, $0.key) < ($1.tick, $1.key) }
    joinFlams(resolution: resolution)
  }

  /// The first tempo of a file, or 120 BPM.
  static func tempo(of file: StandardMIDIFile) -> Tempo {
    for event in events(of: file) {
      if case .meta(let meta) = event.content, let duration = meta.microsecondsPerQuarter,
        let tempo = try? Tempo(bpm: 60e6 / Double(duration))
      {
        return tempo
      }
    }
    return .standard
  }

  /// The events of all tracks. In a file of format 2, the tracks are independent, and only the first track with drums is used.
  private static func events(of file: StandardMIDIFile) -> [StandardMIDIFile.Event] {
    guard file.format == .independentTracks else { return file.tracks.flatMap(\.events) }
    let track = file.tracks.first { track in
      track.events.contains { event in
        if case .message(.noteOn(let channel, _, _)) = event.content { channel.number == 10 } else { false }
      }
    }
    return track?.events ?? []
  }

  /// Replaces each pair of a grace note and its main note by one note, the flam. A grace note is a softer note of the same drum, at most
  /// 40 ms before the main note.
  private mutating func joinFlams(resolution: Int64) {
    // 40 ms in ticks of the file.
    let limit = 40_000_000 * resolution / tempo.nanosecondsPerQuarter
    var joined: [PatchImport.Note?] = []
    // For each key, the index of its last note in `joined`, unless this note is a flam. A flam is not the grace note of the next note.
    var last: [UInt8: Int] = [:]
    for var note in notes {
      if let index = last[note.key], let grace = joined[index], note.tick > grace.tick, note.tick - grace.tick <= limit,
        grace.velocity < note.velocity
      {
        note.isFlam = true
        joined[index] = nil
      }
      last[note.key] = note.isFlam ? nil : joined.count
      joined.append(note)
    }
    notes = joined.compactMap(\.self)
  }
}

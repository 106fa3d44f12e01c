import MIDI
import MusicalTime

/// The drum notes of a Standard MIDI File, with its first tempo and its first time signature.
struct DrumScore {
  private(set) var notes: [PatchImport.Note] = []
  private(set) var tempo: Tempo
  private(set) var meter: Meter

  /// Reads the notes of a channel, and puts them in the order of time. The meter comes from the first time signature in the order of the
  /// tracks, because the conductor track is the first track.
  ///
  /// - Parameters:
  ///   - channel: the channel of the drums.
  ///   - tempo: ``tempo(of:channel:)``.
  ///   - resolution: the number of ticks per quarter note.
  init(_ file: StandardMIDIFile, channel: Channel, tempo: Tempo, resolution: Int64) throws(ImportError) {
    var meter: Meter?
    for event in Self.events(of: file, channel: channel) {
      switch event.content {
      case .message(.noteOn(channel, let key, let velocity)) where velocity.value > 0:
        notes.append(PatchImport.Note(key: key.value, velocity: velocity.value, tick: event.tick))
      case .meta(let meta):
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
    guard !notes.isEmpty else { throw Self.absence(of: channel, in: file) }
    (self.tempo, self.meter) = (tempo, meter ?? .common)
    notes.sort { ($0.tick, $0.key) < ($1.tick, $1.key) }
    joinFlams(resolution: resolution)
  }

  /// The first tempo of a file in the order of the tracks, or 120 BPM.
  ///
  /// - Throws: ``ImportError`` if a patch cannot have this tempo.
  static func tempo(of file: StandardMIDIFile, channel: Channel) throws(ImportError) -> Tempo {
    let durations = events(of: file, channel: channel).lazy.compactMap { event in
      if case .meta(let meta) = event.content { meta.microsecondsPerQuarter } else { nil }
    }
    guard let duration = durations.first else { return .standard }
    let range = Tempo.range
    // A file has whole microseconds. The tempo of a file with 999 BPM can therefore be a little larger.
    if Tempo(nanosecondsPerQuarter: Int64(duration) * 1000) != nil {
      let bpm = min(max(60e6 / Double(duration), range.lowerBound), range.upperBound)
      if let tempo = try? Tempo(bpm: bpm) { return tempo }
    }
    let limits = "\(Int(range.lowerBound)) to \(Int(range.upperBound)) BPM"
    let bpm = duration > 0 ? text(of: 60e6 / Double(duration)) + " BPM" : "infinite"
    throw ImportError("its tempo is \(bpm), and a rhythm can have \(limits); give the tempo of the rhythm with --bpm")
  }

  /// A number with at most two decimals.
  private static func text(of bpm: Double) -> String {
    let rounded = (bpm * 100).rounded() / 100
    return Int(exactly: rounded).map { "\($0)" } ?? "\(rounded)"
  }

  /// The error for a file without notes on the channel of the drums.
  private static func absence(of channel: Channel, in file: StandardMIDIFile) -> ImportError {
    let used = Set(file.tracks.flatMap(\.events).compactMap { noteChannel(of: $0)?.number }).sorted()
    guard let first = used.first else { return ImportError("the file has no notes; give a file with drums") }
    let places = used.count == 1 ? "channel \(first)" : "the channels \(used.map { "\($0)" }.joined(separator: ", "))"
    return ImportError(
      "the file has no notes on channel \(channel.number), only on \(places); give the channel of the drums, such as "
        + "--channel \(first)")
  }

  /// The channel of a note that begins; nil for all other events.
  private static func noteChannel(of event: StandardMIDIFile.Event) -> Channel? {
    if case .message(.noteOn(let channel, _, let velocity)) = event.content, velocity.value > 0 { channel } else { nil }
  }

  /// The events of all tracks. In a file of format 2, the tracks are independent, and only the first track with drums is used.
  private static func events(of file: StandardMIDIFile, channel: Channel) -> [StandardMIDIFile.Event] {
    guard file.format == .independentTracks else { return file.tracks.flatMap(\.events) }
    return file.tracks.first { $0.events.contains { noteChannel(of: $0) == channel } }?.events ?? []
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

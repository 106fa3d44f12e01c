import MIDI

extension ClockStamps {
  /// Creates the stamps of the Timing Clock messages, or of the notes, of a Standard MIDI File.
  ///
  /// A Standard MIDI File contains Timing Clock messages only if a program has recorded them (as F7 events). A stamp is the time of the
  /// event by the tempo map of the file. The resolution of the stamps is the length of a tick of the file. ``warnings`` states this
  /// length.
  ///
  /// - Parameters:
  ///   - name: the name of the file, for messages.
  ///   - bytes: the file.
  ///   - usesNotes: whether the beginnings of the notes are the stamps, for example in a recorded click track. Notes that begin at the
  ///     same tick of the file are one stamp.
  /// - Throws: ``ReportError`` for bytes that are not a Standard MIDI File, and for a file that contains no such message or note, has
  ///   independent tracks (format 2), or more than ``MIDI/StandardMIDIFile/maximumEvents`` tempo events.
  ///
  /// Real-time: not safe.
  public init(name: String, midiFile bytes: [UInt8], usesNotes: Bool) throws(ReportError) {
    self.init(name: name)
    var ticks: [Int64] = []
    var tempos: [TempoMap.Tempo] = []
    let (format, division): (StandardMIDIFile.Format, StandardMIDIFile.Division)
    do throws(StandardMIDIFile.ReadError) {
      (format, division) = try StandardMIDIFile.forEachEvent(in: bytes) { event in
        switch event.content {
        case .message(.clock) where !usesNotes: ticks.append(event.tick)
        case .message(.noteOn(_, _, let velocity)) where usesNotes && velocity.value > 0: ticks.append(event.tick)
        case .meta(let meta):
          // A hostile file may consist of tempo events only. At most one event more than the limit is stored. The check of the limit
          // below then refuses the file.
          guard let quarter = meta.microsecondsPerQuarter, tempos.count <= StandardMIDIFile.maximumEvents else {
            return
          }
          tempos.append(TempoMap.Tempo(tick: event.tick, microsecondsPerQuarter: quarter))
        default: break
        }
      }
    } catch {
      throw ReportError(
        subject: name, reason: "\(error)", remedy: "give a complete Standard MIDI File of at most 32 MiB")
    }
    guard tempos.count <= StandardMIDIFile.maximumEvents else {
      throw ReportError(
        subject: name, reason: "more than \(StandardMIDIFile.maximumEvents) tempo events", remedy: "give a shorter file"
      )
    }
    guard format != .independentTracks else {
      throw ReportError(
        subject: name, reason: "contains independent tracks (format 2)", remedy: "give a file of format 0 or 1")
    }
    guard !ticks.isEmpty else {
      throw ReportError(
        subject: name,
        reason: usesNotes
          ? "contains no notes" : "contains no MIDI clock bytes (F8)",
        remedy: usesNotes
          ? "give a file with a click track"
          : "if it contains a click track, add --notes; otherwise record the clock as a text file of stamps")
    }
    let map = TempoMap(division, tempos)
    ticks.sort()
    var previous: Int64?
    stamps.reserveCapacity(ticks.count)
    for tick in ticks where !usesNotes || tick != previous {
      previous = tick
      stamps.append(map.nanoseconds(at: tick))
    }
    warnings.append(
      "\(name): the times of this MIDI file have a resolution of \(map.longestTick.microseconds) us, "
        + "so each phase error can be wrong by up to this time")
  }
}

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
  ///   - file: the file.
  ///   - usesNotes: whether the beginnings of the notes are the stamps, for example in a recorded click track. Notes that begin at the
  ///     same tick of the file are one stamp.
  /// - Throws: ``ReportError`` if the file contains no such message or note, or has independent tracks (format 2).
  ///
  /// Real-time: not safe.
  public init(name: String, _ file: StandardMIDIFile, usesNotes: Bool) throws(ReportError) {
    self.init(name: name)
    guard file.format != .independentTracks else {
      throw ReportError(
        subject: name, reason: "contains independent tracks (format 2)", remedy: "give a file of format 0 or 1")
    }
    let map = TempoMap(file)
    var ticks: [Int64] = []
    for event in file.tracks.lazy.flatMap(\.events) {
      guard case .message(let message) = event.content else { continue }
      switch message {
      case .clock where !usesNotes: ticks.append(event.tick)
      case .noteOn(_, _, let velocity) where usesNotes && velocity.value > 0: ticks.append(event.tick)
      default: break
      }
    }
    guard !ticks.isEmpty else {
      throw ReportError(
        subject: name,
        reason: usesNotes
          ? "contains no notes" : "contains no MIDI clock bytes (F8), only a tempo",
        remedy: usesNotes
          ? "give a file with a click track"
          : "measure its notes with --notes, or record the clock as a text file of stamps")
    }
    ticks.sort()
    var previous: Int64?
    for tick in ticks where !usesNotes || tick != previous {
      previous = tick
      stamps.append(map.nanoseconds(at: tick))
    }
    warnings.append(
      "\(name): the times of this MIDI file have a resolution of \((map.longestTick as Double?).microseconds) us; "
        + "no phase error is more accurate")
  }
}

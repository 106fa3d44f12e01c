public import MIDI
import MusicalTime

/// The conversion of a drum pattern in a Standard MIDI File to a patch.
///
/// The notes of one channel, usually channel 10, become lines. Each note moves to the nearest position of one of two grids: four
/// positions per quarter note, or six for triplets. If every note of a drum is at most 1/24 quarter note from a position of one grid, all notes of the drum
/// use this grid. Otherwise each note uses the grid with the nearer position. Velocities up to 72 become soft notes, velocities from
/// 105 on accents. A softer note up to 40 ms before another note of the same drum becomes the grace note of a flam. Note lengths,
/// controllers and other channels are ignored.
public struct PatchImport {
  /// The text of the patch.
  public let text: String
  /// The number of notes that the patch contains, including grace notes.
  public let noteCount: Int
  /// The number of bars in the file, up to the last note.
  public let barCount: Int
  /// The bars that the patch contains, counted from 0.
  public let bars: Range<Int>
  /// The number of notes that were not used, because another note of the same drum has the same position, or because the nearest
  /// position is after the last bar.
  public let unused: Int
  /// The tempo by which the times of a file in SMPTE frames were converted to quarter notes; nil for other files.
  public let timeCodeTempo: Tempo?

  /// A note of the drum channel.
  struct Note {
    var key: UInt8
    var velocity: UInt8
    /// The tick in the file.
    var tick: Int64
    /// Whether a grace note precedes the note.
    var isFlam = false
  }

  /// Converts `file`.
  ///
  /// - Parameters:
  ///   - name: the name of the patch as a YAML scalar, quoted if necessary.
  ///   - firstBar: the first bar, counted from 0.
  ///   - bars: the largest number of bars, 1...``Line/maximumBars``.
  ///   - channel: the channel of the drums.
  ///   - tempo: the tempo of the patch; nil: the first tempo of the file, or 120 BPM if it has none.
  /// - Throws: ``ImportError`` if the file contains no drum pattern, or one that a patch cannot contain.
  ///
  /// Real-time: not safe.
  public init(
    _ file: StandardMIDIFile, name: String, firstBar: Int = 0, bars limit: Int = Line.maximumBars,
    channel: Channel = Channel(wire: 9), tempo wanted: Tempo? = nil
  ) throws(ImportError) {
    var (file, resolution) = (file, 480)
    // The tempo of the file decides which notes are grace notes, because the notes were played at this tempo.
    let played: Tempo
    do throws(ImportError) { played = try DrumScore.tempo(of: file, channel: channel) } catch {
      guard let wanted else { throw error }
      played = wanted
    }
    switch file.division {
    case .ticksPerQuarter(let ticks): (resolution, timeCodeTempo) = (ticks, nil)
    case .timeCode(let rate, let ticksPerFrame):
      let tempo = wanted ?? played
      timeCodeTempo = tempo
      file.countQuarters(resolution, at: tempo, rate, ticksPerFrame: ticksPerFrame)
    }
    let score = try DrumScore(file, channel: channel, tempo: played, resolution: Int64(resolution))
    let barLength = score.meter.ticksPerBar * Int64(resolution) / Tick.perQuarter
    guard score.meter.ticksPerBar * Int64(resolution) % Tick.perQuarter == 0 else {
      throw ImportError(
        "\(resolution) ticks per quarter note are too few for bars of \(score.meter.beats)/\(score.meter.unit); "
          + "export it with 480 ticks per quarter note")
    }
    barCount = Int((score.notes.map(\.tick).max() ?? 0) / barLength) + 1
    guard firstBar < barCount else {
      throw ImportError(
        barCount == 1
          ? "the file has only 1 bar; give --first-bar 1"
          : "the file has only \(barCount) bars; give --first-bar a value from 1 to \(barCount)")
    }
    self.bars = firstBar..<min(barCount, firstBar + limit)
    let range = Int64(firstBar) * barLength..<Int64(self.bars.upperBound) * barLength
    // A note at most 1/12 quarter note before the first imported bar belongs to the first position of this bar. 1/12 quarter note is half
    // the distance of two positions of the finer grid.
    let tolerance = Int64(resolution) / 12
    var grid = StrokeGrid(
      stepsPerBar: Int(score.meter.stepsPerBar), bars: self.bars.count, resolution: Int64(resolution))
    let notes = score.notes.filter { $0.tick >= range.lowerBound - tolerance && $0.tick < range.upperBound }
    for (_, notes) in Dictionary(grouping: notes, by: \.key).sorted(by: { $0.key < $1.key }) {
      grid.add(
        notes.map { note in
          var note = note
          note.tick -= range.lowerBound
          return note
        })
    }
    guard grid.noteCount > 0 else {
      throw ImportError("bars \(firstBar + 1) to \(self.bars.upperBound) contain no notes; give another --first-bar")
    }
    (noteCount, unused) = (grid.noteCount, grid.unused)
    let tempo = wanted ?? score.tempo
    // Without swell, the lines sound as written at every activity. `grid.kit` is empty or ends with an empty line.
    text = """
      name: \(name)
      description: Imported from a MIDI file.
      meter: \(score.meter.beats)/\(score.meter.unit)
      tempo: \(Double((tempo.bpm * 100).rounded()) / 100)
      swell: 0%

      \(grid.kit)play:
        always:
      \(grid.lines(beat: Int(score.meter.stepsPerBeat)))

      """
  }
}

extension StandardMIDIFile {
  /// Converts the times of a file in SMPTE frames to ticks per quarter note.
  fileprivate mutating func countQuarters(
    _ resolution: Int, at tempo: Tempo, _ rate: Division.FrameRate, ticksPerFrame: Int
  ) {
    // 29 stands for 30000/1001 frames per second.
    let framesPerSecond = rate == .frames29 ? 30000.0 / 1001 : Double(rate.rawValue)
    let factor =
      Double(resolution) * 1e9 / (framesPerSecond * Double(ticksPerFrame) * Double(tempo.nanosecondsPerQuarter))
    func convert(_ tick: Int64) -> Int64 { Int64((Double(tick) * factor).rounded()) }
    for n in tracks.indices {
      tracks[n] = Track(
        tracks[n].events.map { Event(tick: convert($0.tick), $0.content) }, end: convert(tracks[n].end))
    }
    division = .ticksPerQuarter(resolution)
  }
}

/// The error for a MIDI file that cannot become a patch: a reason and a remedy.
public struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

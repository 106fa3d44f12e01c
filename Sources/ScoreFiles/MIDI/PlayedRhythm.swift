import Scores

/// The notes of one part of a MIDI file as chords and rests in bars.
///
/// Each note moves to the grid of its quarter note (``BeatGrid``). Notes with the same beginning and end are a chord. Overlapping chords go
/// to the first of four voices that is free. A note over a bar line becomes tied notes, and so does a length that no note value has.
struct PlayedRhythm {
  private static let voices = Score.Limits.voicesPerStaff

  private struct Moved {
    /// Positions in quarter notes from the beginning of the file.
    var start: Fraction
    var end: Fraction
    var keys: [UInt8]
    var tick: Int64
  }

  private let notes: [MIDIScoreReader.PlayedNote]
  private let lines: [Int64]
  private let written: [Bar]
  private let resolution: Int64
  /// The sound of a key at a tick.
  var sounds: (UInt8, Int64) -> Note.Sound? = { _, _ in nil }
  /// The number of notes that found no free voice.
  private(set) var shortened = 0
  /// The chords that may still be written. Long notes become one chord for each of their bars.
  private var room = Score.Limits.chords
  /// Whether notes are missing, because they become too many chords.
  var isOverfull: Bool { room <= 0 }

  init(_ notes: [MIDIScoreReader.PlayedNote], _ lines: [Int64], _ bars: [Bar], _ resolution: Int64) {
    self.notes = notes.sorted { ($0.start, $0.key) < ($1.start, $1.key) }
    (self.lines, written, self.resolution) = (lines, bars, resolution)
  }

  /// The clef that needs the fewest ledger lines.
  func clef(_ isPercussion: Bool) -> Clef {
    if isPercussion { return Clef(.percussion, line: 3) }
    let mean = notes.reduce(0) { $0 + Int($1.key) } / max(notes.count, 1)
    return mean < 57 ? Clef(.f, line: 4) : Clef(.g, line: 2)
  }

  mutating func bars() -> [PartBar] {
    var starts: [Fraction] = [.zero]
    for bar in written { starts.append((try? starts[starts.count - 1] + bar.length) ?? .zero) }
    var bars = [PartBar](repeating: PartBar(), count: written.count)
    var ends = [Fraction](repeating: .zero, count: Self.voices)
    for chord in chords() {
      guard let voice = ends.firstIndex(where: { $0 <= chord.start }) else {
        shortened += chord.keys.count
        continue
      }
      ends[voice] = chord.end
      write(chord, UInt8(voice + 1), starts, &bars)
    }
    for bar in bars.indices {
      bars[bar].voices.sort { $0.number < $1.number }
      fill(&bars[bar], written[bar].length)
    }
    return bars
  }

  /// The notes on their grids, those with the same beginning and end together.
  private func chords() -> [Moved] {
    var grids: [Int64: BeatGrid] = [:]
    // The quarter notes count from the last bar line, so that a bar of 7/8 does not shift the grid.
    func cell(_ tick: Int64) -> (start: Int64, offset: Int64, bar: Int) {
      let bar = bar(at: tick)
      let inside = tick - lines[bar]
      return (lines[bar] + inside / resolution * resolution, inside % resolution, bar)
    }
    let beats = Dictionary(grouping: notes.map { cell($0.start) }, by: \.start).mapValues { $0.map(\.offset) }
    let isWritten = beats.values.allSatisfy { BeatGrid.isExact($0, resolution: resolution) }
    for (start, offsets) in beats { grids[start] = BeatGrid(offsets, resolution: resolution, isWritten: isWritten) }
    func move(_ tick: Int64, isEnd: Bool) -> Fraction? {
      let place = cell(tick)
      // An end without a beginning in its quarter note uses the grid of its own offset.
      let grid = grids[place.start] ?? BeatGrid([place.offset], resolution: resolution, isWritten: false)
      let parts = grid.point(place.offset, resolution: resolution)
      guard let base = Fraction(place.start - lines[place.bar], resolution),
        let inside = Fraction(parts, grid.division),
        let bar = exactStart(place.bar), let quarter = try? bar + base, let sum = try? quarter + inside
      else { return nil }
      return sum
    }
    var chords: [Moved] = []
    var places: [Fraction: [Fraction: Int]] = [:]
    // The beginnings of notes and bars: an end shortly before one of them is moved there.
    let joints = Set(notes.compactMap { move($0.start, isEnd: false) } + lines.indices.compactMap(exactStart)).sorted()
    for note in notes {
      guard let start = move(note.start, isEnd: false), var end = move(note.end, isEnd: true) else { continue }
      if end <= start {
        let division = grids[cell(note.start).start]?.division ?? 4
        end = (try? start + (Fraction(1, max(division, 4)) ?? .zero)) ?? end
      }
      end = joined(end, start, joints)
      if let same = places[start]?[end] {
        if !chords[same].keys.contains(note.key) { chords[same].keys.append(note.key) }
        continue
      }
      places[start, default: [:]][end] = chords.count
      chords.append(Moved(start: start, end: end, keys: [note.key], tick: note.start))
    }
    return chords.sorted { ($0.start, $1.end) < ($1.start, $0.end) }
  }

  /// The end of a note, or the beginning after it if the gap is at most an eighth of the note: a gap of articulation, not a rest.
  private func joined(_ end: Fraction, _ start: Fraction, _ joints: [Fraction]) -> Fraction {
    var (low, high) = (0, joints.count)
    while low < high {
      let middle = (low + high) / 2
      if joints[middle] < end { low = middle + 1 } else { high = middle }
    }
    guard low < joints.count, let gap = try? (joints[low] - end) * Fraction(8), let length = try? joints[low] - start,
      gap <= length
    else { return end }
    return joints[low]
  }

  private func bar(at tick: Int64) -> Int { Self.bar(at: tick, in: lines) }

  /// The bar that contains a tick. `lines` are the first ticks of the bars and the end of the last one.
  static func bar(at tick: Int64, in lines: [Int64]) -> Int {
    var (low, high) = (0, lines.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if lines[middle] <= tick { low = middle } else { high = middle }
    }
    return low
  }

  private func exactStart(_ bar: Int) -> Fraction? { Fraction(lines[bar], resolution) }

  /// Writes a chord into its bars, tied over bar lines.
  private mutating func write(_ moved: Moved, _ voice: UInt8, _ starts: [Fraction], _ bars: inout [PartBar]) {
    var bar = bar(at: moved.tick)
    while bar + 1 < starts.count - 1, starts[bar + 1] <= moved.start { bar += 1 }
    var isTied = false
    while bar < bars.count, starts[bar] < moved.end, room > 0 {
      let from = max(moved.start, starts[bar])
      let to = min(moved.end, starts[bar + 1])
      if from < to, let onset = try? from - starts[bar], let length = try? to - from {
        let pieces = NoteLengths.pieces(of: length, from: onset)
        var position = onset
        for (index, piece) in pieces.enumerated() {
          var chord = Chord(onset: position, length: piece.length)
          (chord.value, chord.ratio) = (piece.value, piece.ratio)
          let goesOn = index < pieces.count - 1 || to < moved.end && bar + 1 < bars.count
          chord.notes = moved.keys.compactMap { key in
            sounds(key, moved.tick).map { sound in
              var note = Note(sound)
              (note.continuesTie, note.startsTie) = (isTied, goesOn)
              return note
            }
          }
          isTied = true
          position = (try? position + piece.length) ?? position
          room -= 1 + chord.notes.count
          if !chord.notes.isEmpty { append(chord, voice, &bars[bar]) }
        }
      }
      bar += 1
    }
  }

  private func append(_ chord: Chord, _ number: UInt8, _ bar: inout PartBar) {
    if let index = bar.voices.firstIndex(where: { $0.number == number }) {
      bar.voices[index].chords.append(chord)
    } else {
      bar.voices.append(Voice(number: number, chords: [chord]))
    }
  }

  /// Fills the silence of the first voice with rests.
  private func fill(_ bar: inout PartBar, _ length: Fraction) {
    if bar.voices.first?.number != 1 { bar.voices.insert(Voice(number: 1), at: 0) }
    var filled: [Chord] = []
    var position = Fraction.zero
    func rest(to end: Fraction) {
      guard end > position, let gap = try? end - position else { return }
      if position == .zero, gap == length {
        filled.append(Chord(onset: position, length: gap))
      } else {
        for piece in NoteLengths.pieces(of: gap, from: position) {
          var chord = Chord(onset: position, length: piece.length)
          (chord.value, chord.ratio) = (piece.value, piece.ratio)
          filled.append(chord)
          position = (try? position + piece.length) ?? position
        }
      }
    }
    for chord in bar.voices[0].chords {
      rest(to: chord.onset)
      filled.append(chord)
      position = chord.end ?? position
    }
    rest(to: length)
    bar.voices[0].chords = filled
  }
}

/// Plays the chords of one part, bar by bar along a route, as notes with a beginning, an end and a velocity.
///
/// A note sounds for 15/16 of its length, so that repeated notes are separate; fully under a slur or with tenuto; half with staccato; a
/// quarter with staccatissimo or spiccato; three quarters with both signs of portato. Tied notes are one note. Grace notes begin on the
/// beat and take time from the main note: an eighth of a quarter note each with a slash, otherwise together half of the main note. Grace
/// notes without a main note in their bar take it from the end of the note before. Ornaments and arpeggios are printed only.
struct PartPlayer {
  private struct TieKey: Hashable {
    var height: Int32
    var isStroke: Bool
  }

  private let part: Part
  private let index: UInt8
  private let curve: DynamicCurve
  /// The semitones from the written to the sounding pitch at the end of each bar.
  private let transpositions: [Int]
  private var notes: [SoundingNote] = []
  /// Tied notes that may go on: the index of the note and the written end.
  private var ties: [TieKey: (note: Int, end: Int64)] = [:]
  /// The open slurs by voice.
  private var slurs: [UInt8: Set<UInt8>] = [:]
  private var lastBar = -1

  /// The length of a grace note with a slash in thousandths of a tick: an eighth of a quarter note.
  private static let grace = ScorePosition.perQuarter / 8

  init(_ score: Score, _ index: Int) {
    part = score.parts[index]
    self.index = UInt8(index)
    curve = DynamicCurve(part, score.bars)
    var current = 0
    transpositions = part.bars.map { bar in
      for change in bar.changes {
        if case .transposition(let interval) = change.content { current = Int(interval.semitones) }
      }
      return current
    }
  }

  mutating func play(_ played: Route.PlayedBar) {
    // After a jump, slurs of the bar before are over.
    if played.bar != lastBar + 1 { slurs = [:] }
    lastBar = played.bar
    let start = ScorePosition(played.start).thousandths
    for voice in part.bars[played.bar].voices { play(voice, played.bar, start) }
  }

  /// The notes. Where a key is struck while it sounds, its first note ends; two notes of a key at one position are one.
  func finished() -> [SoundingNote] {
    var kept: [SoundingNote] = []
    var last: [UInt8: Int] = [:]
    for note in notes.sorted(by: { ($0.start, $0.key) < ($1.start, $1.key) }) {
      if let before = last[note.key], kept[before].end > note.start {
        if kept[before].start == note.start {
          kept[before].end = max(kept[before].end, note.end)
          continue
        }
        kept[before].end = note.start
      }
      last[note.key] = kept.count
      kept.append(note)
    }
    return kept
  }

  private mutating func play(_ voice: Voice, _ bar: Int, _ start: Int64) {
    var graces: [Chord] = []
    /// The notes of the last chord, which grace notes at the end of the bar shorten.
    var before: (notes: Range<Int>, end: Int64)?
    for chord in voice.chords where !chord.isCue {
      let offset = start + chord.onset.rounded(times: ScorePosition.perQuarter)
      if chord.grace != nil {
        graces.append(chord)
        continue
      }
      let length = chord.length.rounded(times: ScorePosition.perQuarter)
      let isLegato = follow(chord, voice.number)
      var onset = offset
      if !graces.isEmpty, !chord.isRest {
        onset = play(graces, from: offset, room: length / 2, bar)
        graces = []
      }
      let first = notes.count
      strike(chord, bar, onset, end: offset + length, isLegato)
      before = (first..<notes.count, offset + length)
    }
    if !graces.isEmpty, let before {
      let first = before.notes.lowerBound
      let room = before.notes.isEmpty ? 0 : (before.end - notes[first].start) / 2
      let begin = before.end - min(Self.grace * Int64(graces.count), room)
      for note in before.notes { notes[note].end = min(notes[note].end, max(begin, notes[note].start + 1)) }
      _ = play(graces, from: begin, room: before.end - begin, bar)
    }
  }

  /// Follows the slurs of a voice. Returns whether the chord is joined to the next one.
  private mutating func follow(_ chord: Chord, _ voice: UInt8) -> Bool {
    for mark in chord.slurs where !mark.isStart { slurs[voice]?.remove(mark.number) }
    for mark in chord.slurs where mark.isStart { slurs[voice, default: []].insert(mark.number) }
    return !(slurs[voice]?.isEmpty ?? true)
  }

  /// Plays grace notes in `room` at most. Returns the end of the last one.
  private mutating func play(_ graces: [Chord], from start: Int64, room: Int64, _ bar: Int) -> Int64 {
    let hasSlash = graces.contains { $0.grace?.hasSlash == true }
    let length = max(min(hasSlash ? Self.grace : room, room / Int64(graces.count)), 1)
    var onset = start
    for grace in graces {
      strike(grace, bar, onset, end: onset + length, true)
      onset += length
    }
    return onset
  }

  private mutating func strike(_ chord: Chord, _ bar: Int, _ onset: Int64, end: Int64, _ isLegato: Bool) {
    let length = max(end - onset, 1)
    let isGrace = chord.grace != nil
    for note in chord.notes {
      let (key, tie) = sound(note, bar)
      guard let key else { continue }
      let soundingEnd = note.startsTie ? end : onset + max(length * share(chord.signs, isLegato) / 16, 1)
      if note.continuesTie, let open = ties[tie], open.end == onset {
        notes[open.note].end = soundingEnd
        ties[tie] = note.startsTie ? (open.note, end) : nil
        continue
      }
      notes.append(
        SoundingNote(
          start: onset, end: soundingEnd, part: index, key: key, velocity: velocity(chord, bar, isGrace),
          instrument: instrument(note), note: note.id))
      if note.startsTie { ties[tie] = (notes.count - 1, end) }
    }
  }

  /// The sixteenths of its length for which a chord sounds.
  private func share(_ signs: Chord.Signs, _ isLegato: Bool) -> Int64 {
    if signs.contains(.staccatissimo) || signs.contains(.spiccato) { return 4 }
    if signs.contains(.detachedLegato) || signs.isSuperset(of: [.staccato, .tenuto])
      || (signs.contains(.staccato) && isLegato)
    {
      return 12
    }
    if signs.contains(.staccato) { return 8 }
    return isLegato || signs.contains(.tenuto) ? 16 : 15
  }

  private func velocity(_ chord: Chord, _ bar: Int, _ isGrace: Bool) -> UInt8 {
    var velocity = curve.velocity(bar: bar, offset: chord.onset)
    if chord.signs.contains(.strongAccent) {
      velocity += 24
    } else if chord.signs.contains(.accent) {
      velocity += 16
    } else if !chord.signs.isDisjoint(with: [.stress, .softAccent]) {
      velocity += 8
    }
    if isGrace { velocity -= 8 }
    return UInt8(min(max(velocity, 1), 127))
  }

  private func instrument(_ note: Note) -> UInt8 {
    if case .stroke(_, let instrument) = note.sound { instrument } else { 0 }
  }

  /// The sounding key, nil outside 0...127, and what identifies the note for ties.
  private func sound(_ note: Note, _ bar: Int) -> (key: UInt8?, tie: TieKey) {
    switch note.sound {
    case .pitch(let pitch):
      let key = part.isPercussion ? pitch.key : pitch.key + transpositions[bar]
      return ((0...127).contains(key) ? UInt8(key) : nil, TieKey(height: Int32(pitch.height), isStroke: false))
    case .stroke(let place, let instrument):
      // Without a key, the acoustic snare drum.
      let key = part.instruments[Int(instrument)].key ?? 38
      return (key, TieKey(height: Int32(place.letter) << 8 | Int32(instrument), isStroke: true))
    }
  }
}

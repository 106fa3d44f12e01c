/// The lines that each system contains: ties, slurs, tuplets, hairpins, and the syllables of each verse.
struct LinePositions {
  /// Indices in ``NotatedPart/ties`` and so on.
  private(set) var ties: [[Int]]
  private(set) var slurs: [[Int]]
  private(set) var tuplets: [[Int]]
  private(set) var spans: [[Int]]
  /// For each syllable, the next one of its verse and staff.
  private(set) var nextLyric: [Int?]
  /// The chord of each syllable.
  private(set) var lyricChords: [Int]
  /// The syllables of each system, those that begin before it and last into it included.
  private(set) var lyrics: [[Int]]

  init(_ layout: PartLayout) {
    let part = layout.part
    let none = [[Int]](repeating: [], count: layout.systems.count)
    (ties, slurs, tuplets, spans, lyrics) = (none, none, none, none, none)
    func system(_ chord: Int) -> Int { layout.systemOf[part.chords[chord].measure] }
    for (index, tie) in part.ties.enumerated() {
      let start = tie.start.map { system(part.notes[$0].chord) }
      let end = tie.end.map { system(part.notes[$0].chord) }
      if let start { ties[start].append(index) }
      if let end, end != start { ties[end].append(index) }
    }
    // Lines over many systems are rare, so the sum of the ranges stays small; the limit bounds it for hostile scores.
    var room = 200_000
    func add(_ index: Int, from first: Int, to last: Int, _ list: inout [[Int]]) {
      guard first <= last, room > last - first else { return }
      room -= last - first
      for system in first...last { list[system].append(index) }
    }
    for (index, slur) in part.slurs.enumerated() { add(index, from: system(slur.start), to: system(slur.end), &slurs) }
    for (index, tuplet) in part.tuplets.enumerated() {
      guard let first = tuplet.chords.first else { continue }
      tuplets[system(first)].append(index)
    }
    for (index, span) in part.spans.enumerated() {
      add(index, from: layout.systemOf[span.start.measure], to: layout.systemOf[span.end.measure], &spans)
    }
    nextLyric = [Int?](repeating: nil, count: part.lyrics.count)
    lyricChords = [Int](repeating: 0, count: part.lyrics.count)
    var last: [Int: Int] = [:]
    for measure in part.measures {
      for chord in measure.chords {
        for lyric in part.chords[chord].lyrics {
          lyricChords[lyric] = chord
          let lane = part.chords[chord].staff * 128 + part.lyrics[lyric].verse
          if let before = last[lane] { nextLyric[before] = lyric }
          last[lane] = lyric
          lyrics[system(chord)].append(lyric)
        }
      }
    }
    // A hyphen or extender may reach into the following systems.
    for lyric in part.lyrics.indices {
      guard let next = nextLyric[lyric] else { continue }
      let (first, end) = (system(lyricChords[lyric]), system(lyricChords[next]))
      if first + 1 <= end, end - first < 8 { add(lyric, from: first + 1, to: end, &lyrics) }
    }
  }
}

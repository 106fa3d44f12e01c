import Scores

/// The syllables under a staff. Each verse has one baseline in a system (Gould, Behind Bars, chapter 14).
enum LyricLines {
  static let style = TextStyle(.roman, size: 2.1)
  /// The distance of the baselines of two verses.
  static let step = 2.4
  /// The shortest line after the syllable of a melisma.
  static let shortestExtender = 1.4

  /// The x of a syllable from its column. A syllable is centred under its head, but one that lasts begins there.
  static func left(_ lyric: NotatedLyric, width: Double, middle: Double) -> Double {
    let isLong = lyric.isExtended && (lyric.position == .single || lyric.position == .end)
    return isLong ? min(middle - 0.6, middle - min(width / 2, 0.9)) : middle - width / 2
  }
}

extension SystemBuilder {
  mutating func drawLyrics(_ lines: LinePositions) {
    let lyrics = lines.lyrics[index]
    if lyrics.isEmpty { return }
    for staff in 0..<part.staves {
      let own = lyrics.filter { part.chords[lines.lyricChords[$0]].staff == staff }
      if !own.isEmpty { drawLyrics(own, staff, lines) }
    }
  }

  private func isHere(_ lyric: Int, _ lines: LinePositions) -> Bool {
    measures.contains(part.chords[lines.lyricChords[lyric]].measure)
  }

  private func extent(_ lyric: Int, _ lines: LinePositions) -> (left: Double, right: Double) {
    let chord = lines.lyricChords[lyric]
    let width = metrics.width(part.lyrics[lyric].text, LyricLines.style)
    let left =
      layout.chordX(chord)
      + LyricLines.left(
        part.lyrics[lyric], width: width, middle: middleOfHead(chord) - layout.chordX(chord))
    return (left, left + width)
  }

  private mutating func drawLyrics(_ lyrics: [Int], _ staff: Int, _ lines: LinePositions) {
    // Verses that occur in the system, in order, without gaps.
    let verses = Set(lyrics.map { part.lyrics[$0].verse }).sorted()
    let ascent = metrics.ascent(LyricLines.style) * 0.8
    var edge = 4.0
    for lyric in lyrics where isHere(lyric, lines) {
      let extent = extent(lyric, lines)
      // A hyphen or an extender keeps the line free as well.
      let reach = continuation(lyric, lines)
      edge = max(edge, below[staff].edge(extent.left - 0.1, max(extent.right, reach) + 0.1))
    }
    let first = max(edge + 0.7 + ascent, 7.2)
    for lyric in lyrics {
      guard let row = verses.firstIndex(of: part.lyrics[lyric].verse) else { continue }
      let y = first + Double(row) * LyricLines.step
      let data = part.lyrics[lyric]
      let chord = part.chords[lines.lyricChords[lyric]]
      var end = layout.musicLeft[index] - 0.5
      if isHere(lyric, lines) {
        let extent = extent(lyric, lines)
        end = extent.right
        if !data.text.isEmpty {
          let width = extent.right - extent.left
          let shape = Shape.text(data.text, at: Point(extent.left, y), LyricLines.style, width: width)
          add(Element(.lyric, id: chord.id, bar: chord.bar, label: data.text, shapes: [shape]), staff: staff)
        }
      }
      drawContinuation(lyric, from: end, y, staff, lines)
    }
  }

  /// Where the hyphens or the line after a syllable end in this system.
  private func continuation(_ lyric: Int, _ lines: LinePositions) -> Double {
    let data = part.lyrics[lyric]
    let next = lines.nextLyric[lyric]
    if data.position == .begin || data.position == .middle, let next {
      return isHere(next, lines) ? extent(next, lines).left : layout.contentRight[measures.upperBound - 1]
    }
    return data.isExtended ? lastNote(lyric, next, lines) : 0
  }

  /// The hyphens or the line after a syllable.
  private mutating func drawContinuation(
    _ lyric: Int, from left: Double, _ y: Double, _ staff: Int, _ lines: LinePositions
  ) {
    let data = part.lyrics[lyric]
    let next = lines.nextLyric[lyric]
    let isNextHere = next.map { isHere($0, lines) } ?? false
    let goesOn = data.position == .begin || data.position == .middle
    let end = layout.contentRight[measures.upperBound - 1]
    let chord = part.chords[lines.lyricChords[lyric]]
    if goesOn, let next {
      let right = isNextHere ? extent(next, lines).left : end
      let distance = right - left
      let size = 0.55
      guard distance > size else { return }
      // One hyphen for about ten spaces.
      let count = max(1, Int(distance / 10))
      var shapes: [Shape] = []
      for position in 0..<min(count, 200) {
        let middle = left + distance * (Double(position) + 0.5) / Double(count)
        shapes.append(
          .line(
            from: Point(middle - size / 2, y - 0.55), to: Point(middle + size / 2, y - 0.55), thickness: 0.16, dash: 0))
      }
      add(Element(.lyric, bar: chord.bar, label: "-", shapes: shapes), staff: staff)
      return
    }
    guard data.isExtended else { return }
    // The line ends at the last note of the syllable.
    var right = lastNote(lyric, next, lines)
    if let next, isNextHere { right = min(right, extent(next, lines).left - 0.4) }
    if right - left > LyricLines.shortestExtender / 2 {
      add(
        Element(
          .lyric, bar: chord.bar, label: "_",
          shapes: [.line(from: Point(left + 0.2, y), to: Point(right, y), thickness: 0.13, dash: 0)]), staff: staff)
    }
  }

  /// The right edge of the last note of the voice before the next syllable, in this system.
  private func lastNote(_ lyric: Int, _ next: Int?, _ lines: LinePositions) -> Double {
    let start = lines.lyricChords[lyric]
    let voice = part.chords[start].voice
    let stop = next.map { part.chords[lines.lyricChords[$0]] }
    var right = 0.0
    for measure in max(part.chords[start].measure, measures.lowerBound)..<measures.upperBound {
      if let stop, measure > stop.measure { break }
      for chord in part.measures[measure].chords {
        let data = part.chords[chord]
        if data.voice != voice || data.staff != part.chords[start].staff { continue }
        if measure == part.chords[start].measure, data.tick < part.chords[start].tick { continue }
        if let stop, measure == stop.measure, data.tick >= stop.tick { return right }
        // A rest ends the syllable.
        if data.isRest { return right }
        right = layout.chordX(chord) + table.chords[chord].right
      }
    }
    return right
  }
}

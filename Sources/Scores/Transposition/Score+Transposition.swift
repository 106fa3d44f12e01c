extension Score {
  /// The score moved by an interval: notes, keys and chord symbols. Strokes of percussion stay. Identifiers stay.
  ///
  /// The spelling follows the interval: a minor third up moves every letter by two. A key that would have more than seven sharps or flats
  /// is replaced by the key on the other side of the circle of fifths, and the letters of the whole score move with it, so that F sharp
  /// major and not E double sharp major results. A note with more than a double accidental takes the next letter.
  ///
  /// - Throws: ``ScoreFault`` if a note leaves the range of ``Pitch``.
  public func transposed(by interval: Interval) throws(ScoreFault) -> Score {
    let spelled = respelled(interval)
    var score = self
    for part in score.parts.indices {
      // The body is a function, so that the part is changed in place.
      try Self.transpose(&score.parts[part], spelled)
    }
    return score
  }

  /// The score with every part as it sounds: without transposing instruments.
  ///
  /// - Throws: ``ScoreFault`` if a note leaves the range of ``Pitch``.
  public func atSoundingPitch() throws(ScoreFault) -> Score {
    var score = self
    for part in score.parts.indices { try Self.sound(&score.parts[part]) }
    return score
  }

  /// The interval or its enharmonic neighbour, whichever gives the keys of the score fewer sharps or flats.
  private func respelled(_ interval: Interval) -> Interval {
    let keys = parts.flatMap { part in
      part.bars.flatMap(\.changes).compactMap {
        if case .key(let key) = $0.content { Int(key.fifths) } else { Int?.none }
      }
    }
    func worst(_ interval: Interval) -> Int { (keys.isEmpty ? [0] : keys).map { abs($0 + interval.fifths) }.max() ?? 0 }
    if worst(interval) <= 7 { return interval }
    let neighbours = [-1, 1].compactMap {
      Interval(steps: Int(interval.steps) + $0, semitones: Int(interval.semitones))
    }
    return neighbours.min { worst($0) < worst($1) }.flatMap { worst($0) < worst(interval) ? $0 : nil } ?? interval
  }

  private static func transpose(_ part: inout Part, _ interval: Interval) throws(ScoreFault) {
    for bar in part.bars.indices {
      try transpose(&part.bars[bar], interval, part.name, bar)
    }
  }

  private static func sound(_ part: inout Part) throws(ScoreFault) {
    var interval = Interval.unison
    for bar in part.bars.indices {
      for change in part.bars[bar].changes {
        if case .transposition(let next) = change.content { interval = next }
      }
      part.bars[bar].changes.removeAll { if case .transposition = $0.content { true } else { false } }
      // A key stays in force, so the first bar needs one if the part transposes.
      if bar == 0, interval != .unison,
        !part.bars[0].changes.contains(where: { if case .key = $0.content { true } else { false } })
      {
        part.bars[0].changes.insert(Change(offset: .zero, staff: 0, .key(Key(fifths: 0, mode: .none))), at: 0)
      }
      try transpose(&part.bars[bar], interval, part.name, bar)
    }
  }

  private static func transpose(_ bar: inout PartBar, _ interval: Interval, _ name: String, _ index: Int)
    throws(ScoreFault)
  {
    for voice in bar.voices.indices {
      for chord in bar.voices[voice].chords.indices {
        for note in bar.voices[voice].chords[chord].notes.indices {
          guard case .pitch(let pitch) = bar.voices[voice].chords[chord].notes[note].sound else { continue }
          guard let moved = pitch.moved(by: interval) else {
            throw ScoreFault("bar \(index + 1) of part \(name)", "\(pitch) leaves the range", "use a smaller interval")
          }
          bar.voices[voice].chords[chord].notes[note].sound = .pitch(moved)
          // The printed accidental belonged to the old pitch; the rules of the bar give the new one.
          bar.voices[voice].chords[chord].notes[note].accidental = .none
        }
      }
    }
    for change in bar.changes.indices {
      guard case .key(var key) = bar.changes[change].content else { continue }
      var fifths = Int(key.fifths) + interval.fifths
      while fifths > 7 { fifths -= 12 }
      while fifths < -7 { fifths += 12 }
      key.fifths = Int8(fifths)
      bar.changes[change].content = .key(key)
    }
    for symbol in bar.symbols.indices {
      bar.symbols[symbol].root = bar.symbols[symbol].root.moved(by: interval)
      bar.symbols[symbol].bass = bar.symbols[symbol].bass?.moved(by: interval)
    }
  }
}

extension Pitch {
  /// The pitch an interval away, with at most a double accidental if the letter beside it permits; nil outside the range.
  public func moved(by interval: Interval) -> Pitch? {
    let target = height + 100 * Int(interval.semitones)
    for shift in [0, 1, -1, 2, -2] {
      let letter = letter + Int(interval.steps) + shift
      guard (0..<70).contains(letter) else { continue }
      let alteration = target - 100 * (12 * (letter / 7 + 1) + Pitch.semitones[letter % 7])
      if abs(alteration) <= 200 { return Pitch(step: letter % 7, alteration: alteration, octave: letter / 7) }
    }
    return nil
  }
}

extension ChordSymbol.Root {
  /// The root an interval away, with at most a double accidental.
  func moved(by interval: Interval) -> ChordSymbol.Root {
    let pitch = Pitch(step: Int(step), alteration: 100 * Int(alteration), octave: 5)
    guard let moved = pitch?.moved(by: interval),
      let root = ChordSymbol.Root(step: Int(moved.step), alteration: Int(moved.alteration) / 100)
    else { return self }
    return root
  }
}

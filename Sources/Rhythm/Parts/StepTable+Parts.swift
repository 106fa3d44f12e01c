public import MusicalTime

// The notes of the pitched parts.
extension StepTable {
  /// A stroke that sounds, in a line of a pitched part.
  private struct PitchedStroke {
    let velocity: UInt8
    /// The index of the chord.
    let chord: Int
    /// The time from the stroke to the end of the note, in ticks.
    let length: Int

    @_noLocks @_noAllocation
    init(velocity: UInt8, chord: Int, length: Int) {
      (self.velocity, self.chord, self.length) = (velocity, chord, length)
    }
  }

  /// The longest note in ticks: eight bars of 4/4.
  private static var maximumLength: Int { @_noLocks @_noAllocation get { 768 } }
  /// A quarter note in ticks. A note that begins less than this time before the next chord, and is held into the next chord, has the
  /// keys of the next chord.
  private static var anticipation: Int { @_noLocks @_noAllocation get { 24 } }

  /// The chord at `step`, counted from the first downbeat; nil for a rhythm without chords.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func chord(at step: Step) -> ChordTones? { chords.chord(at: step) }

  /// Returns the next note of the cursor's line, a line of a pitched part, at the cursor's tick. After the last note, moves the
  /// cursor to the next tick and returns nil.
  @_noLocks @_noAllocation
  mutating func nextNote(_ cursor: inout HitCursor) -> Hit? {
    let (line, offset) = (cursor.line, cursor.offset)
    let tick = cursor.tick + offset
    if let stroke = pitchedStroke(of: line, tick, cursor) {
      let count = keyCount(of: line, chord: stroke.chord)
      while cursor.note < count {
        let key = key(of: line, chord: stroke.chord, cursor.note)
        cursor.note += 1
        if !isMasked(line, key, velocity: stroke.velocity, tick, cursor) {
          return hit(line, stroke, key: key, offset: offset, cursor)
        }
      }
    }
    (cursor.note, cursor.offset) = (0, offset + 1)
    return nil
  }

  /// The hit of one key of a stroke. The patch writes the stroke `offset` ticks after the first tick of the cursor's step. The position of
  /// the hit is in thousandths of a tick. The end of the hit is in ticks. Both count from the first tick of the step (``Hit/end``).
  @_noLocks @_noAllocation
  private mutating func hit(_ line: Int, _ stroke: PitchedStroke, key: UInt8, offset: Int, _ cursor: HitCursor) -> Hit {
    let entry = lines[line]
    let position = Int32(offset) * 1000 + swing(of: entry, at: cursor.tick + offset)
    let end = Int32(offset + stroke.length)
    // The end swings like a stroke at the same tick, and is rounded to the nearest tick.
    let swungEnd = (end * 1000 + swing(of: entry, at: cursor.tick + Int(end)) + 500) / 1000
    // A note of the bass ends when the next note of the bass begins. A triplet does not swing. A triplet that is the next note can
    // therefore begin before the swung beginning of this note. This note then ends at the first tick after its own beginning.
    let earliestEnd = position / 1000 + 1
    return Hit(
      part: Part(code: entry.part), program: programs[Int(entry.part)], key: key, velocity: stroke.velocity,
      position: position, end: swungEnd > earliestEnd ? swungEnd : earliestEnd, delay: entry.feel)
  }

  /// The delay by swing of a stroke at `tick`, in thousandths of a tick. Only lines with four strokes per quarter note swing.
  @_noLocks @_noAllocation
  private mutating func swing(of entry: TableLine, at tick: Int) -> Int32 {
    guard entry.ticksPerStroke == 6, tick % 6 == 0 else { return 0 }
    return swing[(tick % barTicks / 6) & 3]
  }

  /// The stroke of a pitched line at `tick` of the cursor's bar, if it sounds.
  @_noLocks @_noAllocation
  private mutating func pitchedStroke(of line: Int, _ tick: Int, _ cursor: HitCursor) -> PitchedStroke? {
    guard chords.count > 0, let stroke = stroke(of: line, tick, cursor) else { return nil }
    var (chord, length) = harmony(of: notatedLength(of: line, tick, cursor), at: tick, cursor)
    if case .bass = Part(code: lines[line].part) { length = lengthAlone(length, line, tick, cursor) }
    let velocity = velocity(of: stroke, line, cursor.activity)
    return PitchedStroke(velocity: velocity, chord: chord, length: length)
  }

  /// The length of the note at `tick` with its holds, in ticks. Because the line repeats, its first step follows its last step.
  @_noLocks @_noAllocation
  private mutating func notatedLength(of line: Int, _ tick: Int, _ cursor: HitCursor) -> Int {
    let entry = lines[line]
    let (distance, total) = (Int(entry.ticksPerStroke), Int(entry.bars) * Int(entry.strokesPerBar))
    let place = place(of: tick, bar: cursor.bar, entry)
    var count = 1
    while count < total, count * distance < Self.maximumLength {
      guard strokes[Int(entry.firstStroke) + (place + count) % total] == PartStep.holdCode else { break }
      count += 1
    }
    return count * distance < Self.maximumLength ? count * distance : Self.maximumLength
  }

  /// The index of the chord of a note at `tick` of the cursor's bar, and the length of the note: `length`, or less if another chord
  /// begins before the end.
  @_noLocks @_noAllocation
  private mutating func harmony(of length: Int, at tick: Int, _ cursor: HitCursor) -> (chord: Int, length: Int) {
    let step = cursor.bar &* Int64(barSteps) &+ Int64(tick / 6)
    let place = chords.place(of: Step(step))
    var chord = chords.index(at: place)
    var end = (chords.end(of: chord) - place) * 6 - tick % 6
    if end < Self.anticipation, end < length, !isSameChord(chord, chords.next(after: chord)) {
      chord = chords.next(after: chord)
      end += ticks(of: chord)
    }
    // If the next chord is the same, the note continues.
    var last = chord
    while end < length, isSameChord(chord, chords.next(after: last)) {
      last = chords.next(after: last)
      end += ticks(of: last)
    }
    return (chord, end < length ? end : length)
  }

  @_noLocks @_noAllocation
  private mutating func isSameChord(_ a: Int, _ b: Int) -> Bool { chords.entries[a].tones == chords.entries[b].tones }

  /// The length of a chord in ticks.
  @_noLocks @_noAllocation
  private mutating func ticks(of chord: Int) -> Int { (chords.end(of: chord) - Int(chords.entries[chord].step)) * 6 }

  /// The length of a note of the bass: `length`, or less if another note of the bass begins before the end. The bass plays one note at
  /// a time.
  @_noLocks @_noAllocation
  private mutating func lengthAlone(_ length: Int, _ line: Int, _ tick: Int, _ cursor: HitCursor) -> Int {
    let part = lines[line].part
    var length = length
    // The lines of the bass follow those of the drums.
    var other = drumLineCount
    while other < lineCount, lines[other].part == part {
      let entry = lines[other]
      let distance = Int(entry.ticksPerStroke)
      var next = (tick / distance + 1) * distance
      while next < tick + length {
        let later = HitCursor(
          bar: cursor.bar &+ Int64(next / barTicks), tick: 0, activity: cursor.activity,
          playsFill: cursor.playsFill)
        if case .some = stroke(of: other, next % barTicks, later) { length = next - tick }
        next += distance
      }
      other += 1
    }
    return length
  }

  /// Whether another line of the same part silences `key` of `line` at `tick`. The bass plays one note at a time: a louder stroke of any
  /// other line silences the key, and so does an equally loud stroke of a later line. The other parts play several notes, but each key
  /// only once: a line that plays the same key louder silences the key, and so does an earlier line that plays it equally loud.
  @_noLocks @_noAllocation
  private mutating func isMasked(_ line: Int, _ key: UInt8, velocity: UInt8, _ tick: Int, _ cursor: HitCursor) -> Bool {
    let part = lines[line].part
    var isBass = false
    if case .bass = Part(code: part) { isBass = true }
    var other = drumLineCount
    while other < lineCount {
      if other != line, lines[other].part == part, let stroke = stroke(of: other, tick, cursor) {
        let otherVelocity = self.velocity(of: stroke, other, cursor.activity)
        // Of equally loud strokes, the bass plays that of the later line, and the other parts play that of the earlier line.
        if otherVelocity > velocity || (otherVelocity == velocity && (other < line) != isBass) {
          if isBass || plays(key, other, tick, cursor) { return true }
        }
      }
      other += 1
    }
    return false
  }

  /// Whether a line with a stroke at `tick` plays `key`.
  @_noLocks @_noAllocation
  private mutating func plays(_ key: UInt8, _ line: Int, _ tick: Int, _ cursor: HitCursor) -> Bool {
    let chord = harmony(of: notatedLength(of: line, tick, cursor), at: tick, cursor).chord
    let count = keyCount(of: line, chord: chord)
    var index = 0
    while index < count {
      if self.key(of: line, chord: chord, index) == key { return true }
      index += 1
    }
    return false
  }

  /// The number of keys that a stroke of a pitched line plays.
  @_noLocks @_noAllocation
  private mutating func keyCount(of line: Int, chord: Int) -> Int {
    let entry = lines[line]
    // The tone ``PartTone/chord``, whose code is 6, is the only one with several keys.
    return entry.tone < 6 ? 1 : Int(partKeys[Int(entry.part - 1) * ChordProgression.maximumChords + chord].chordCount)
  }

  /// A key that a stroke of a pitched line plays.
  @_noLocks @_noAllocation
  private mutating func key(of line: Int, chord: Int, _ index: Int) -> UInt8 {
    let entry = lines[line]
    let keys = partKeys[Int(entry.part - 1) * ChordProgression.maximumChords + chord]
    return entry.tone < 6 ? keys.tones[Int(entry.tone)] : keys.chord[index]
  }
}

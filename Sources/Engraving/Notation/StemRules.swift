import Scores

/// The directions of stems.
///
/// The note farthest from the middle line decides, and a tie goes down. The farthest note of all decides for a beam. If two voices
/// share a staff, the stems of the upper one point up and those of the lower one down; further voices alternate (Gould, Behind Bars,
/// chapter 1). A stem of the file has priority.
enum StemRules {
  static func apply(to part: inout NotatedPart) {
    for measure in part.measures.indices { rankVoices(&part, part.measures[measure].chords) }
    for index in part.chords.indices where !part.chords[index].isRest {
      let chord = part.chords[index]
      part.chords[index].ruledStemUp = isUp(extremes(part, [index]), chord)
    }
    for beam in part.beams {
      let members = beam.members.map(\.chord)
      guard let first = members.first else { continue }
      let isUp = isUp(extremes(part, members), part.chords[first])
      for member in members { part.chords[member].ruledStemUp = isUp }
    }
    for index in part.chords.indices {
      let chord = part.chords[index]
      part.chords[index].stemUp = chord.demandedStem.flatMap(direction) ?? chord.ruledStemUp
    }
    // The stems under one beam have one direction: that of most members.
    for beam in part.beams {
      let up = beam.members.count { part.chords[$0.chord].stemUp }
      if up == 0 || up == beam.members.count { continue }
      for member in beam.members { part.chords[member.chord].stemUp = up * 2 >= beam.members.count }
      part.missing["kneed beam", default: 0] += 1
    }
  }

  private static func direction(_ stem: Chord.Stem) -> Bool? {
    switch stem {
    case .up: true
    case .down: false
    case .double, .absent: nil
    }
  }

  private static func extremes(_ part: NotatedPart, _ chords: [Int]) -> (low: Int, high: Int) {
    var (low, high) = (Int.max, Int.min)
    for chord in chords {
      for note in part.chords[chord].notes {
        low = min(low, part.notes[note].place)
        high = max(high, part.notes[note].place)
      }
    }
    return low > high ? (0, 0) : (low, high)
  }

  private static func isUp(_ extremes: (low: Int, high: Int), _ chord: NotatedChord) -> Bool {
    if chord.isPolyphonic { return chord.rank % 2 == 0 }
    if chord.isGrace { return true }
    return -extremes.low > extremes.high
  }

  /// Whether the second of two voices is the upper one: because the stems of the file say so, or because it lies above the first
  /// throughout the bar. Voices that cross in between keep the order of their numbers.
  private static func isExchanged(_ part: NotatedPart, _ chords: [Int], _ staff: Int, _ voices: [Int]) -> Bool {
    var (up, down) = ([0, 0], [0, 0])
    var (low, high) = ([Int.max, Int.max], [Int.min, Int.min])
    for index in chords {
      let chord = part.chords[index]
      guard chord.staff == staff, !chord.isRest, !chord.isGrace else { continue }
      let voice = chord.voice == voices[0] ? 0 : 1
      if chord.demandedStem == .up { up[voice] += 1 }
      if chord.demandedStem == .down { down[voice] += 1 }
      for note in chord.notes {
        low[voice] = min(low[voice], part.notes[note].place)
        high[voice] = max(high[voice], part.notes[note].place)
      }
    }
    if up[0] + down[0] > 0, up[1] + down[1] > 0 {
      if down[0] > up[0], up[1] > down[1] { return true }
      if up[0] > down[0], down[1] > up[1] { return false }
    }
    return low[1] < .max && high[0] > .min && low[1] > high[0]
  }

  /// Finds the voices that share a staff. A voice that rests for the whole bar does not count.
  private static func rankVoices(_ part: inout NotatedPart, _ chords: [Int]) {
    for staff in 0..<part.staves {
      var voices: [Int] = []
      for index in chords where part.chords[index].staff == staff && !part.chords[index].isWholeBar {
        if !voices.contains(part.chords[index].voice) { voices.append(part.chords[index].voice) }
      }
      guard voices.count > 1 || chords.contains(where: { part.chords[$0].isWholeBar }) else { continue }
      voices.sort()
      if voices.count == 2, isExchanged(part, chords, staff, voices) { voices.swapAt(0, 1) }
      for index in chords where part.chords[index].staff == staff {
        part.chords[index].isPolyphonic = voices.count > 1
        part.chords[index].rank = voices.firstIndex(of: part.chords[index].voice) ?? 0
      }
    }
  }
}

import Scores

/// Beams, whose lines decide the stems under them.
extension SystemBuilder {
  /// The beams of the system, in the order of their first chords.
  private var beamRange: [Int] {
    var result: [Int] = []
    for measure in measures {
      for chord in part.measures[measure].chords {
        let beam = part.chords[chord].beam
        if beam >= 0, part.beams[beam].members.first?.chord == chord { result.append(beam) }
      }
    }
    return result
  }

  private func shape(_ beam: BeamGroup) -> BeamShape {
    let isUp = part.chords[beam.members[0].chord].stemUp
    var reachesMiddle = true
    let stems = beam.members.map { member in
      let chord = part.chords[member.chord]
      if chord.isGrace { reachesMiddle = false }
      let places = (part.notes[chord.notes.lowerBound].place, part.notes[chord.notes.upperBound - 1].place)
      return BeamShape.Stem(
        x: layout.stemX(member.chord), y: staffY(isUp ? places.1 : places.0), levels: member.levels)
    }
    return BeamShape(
      stems, isUp: isUp, scale: part.chords[beam.members[0].chord].scale, reachesMiddle: reachesMiddle)
  }

  /// Moves the tips of the stems to their beams.
  mutating func placeBeams() {
    for index in beamRange {
      let beam = part.beams[index]
      let shape = shape(beam)
      beamShapes[index] = shape
      for member in beam.members where chords.contains(member.chord) {
        tips[member.chord - chords.lowerBound] = shape.y(at: layout.stemX(member.chord))
      }
      moveRests(beam, shape)
    }
  }

  /// Moves the rests between the notes of a beam away from it, by whole spaces.
  private mutating func moveRests(_ beam: BeamGroup, _ shape: BeamShape) {
    guard let first = beam.members.first.map({ part.chords[$0.chord] }),
      let last = beam.members.last.map({ part.chords[$0.chord] }), last.tick > first.tick, first.measure == last.measure
    else { return }
    let levels = Double(beam.members.map(\.levels).max() ?? 1)
    let depth = (levels - 1) * 0.75 + metrics.music.beamThickness + 0.25
    for index in part.measures[first.measure].chords {
      let rest = part.chords[index]
      guard rest.isUnderBeam, rest.voice == first.voice, rest.staff == first.staff, rest.tick > first.tick,
        rest.tick < last.tick
      else { continue }
      let geometry = table.chords[index]
      let x = layout.chordX(index) + (geometry.left + geometry.right) / 2
      let inner = shape.y(at: x) + (first.stemUp ? depth : -depth)
      let lack = first.stemUp ? inner - geometry.top : geometry.bottom - inner
      if lack > 0, lack < 40 { restShifts[index] = (first.stemUp ? 1 : -1) * lack.rounded(.up) }
    }
  }

  mutating func drawBeams() {
    for index in beamRange {
      guard let shape = beamShapes[index] else { continue }
      let beam = part.beams[index]
      let first = part.chords[beam.members[0].chord]
      let thickness = metrics.music.beamThickness * (first.isSmall ? 0.7 : 1)
      let step = (first.isSmall ? 0.55 : 0.75) * (first.stemUp ? 1 : -1)
      let depth = first.stemUp ? thickness : -thickness
      let half = metrics.music.stemThickness / 2
      let x = beam.members.map { layout.stemX($0.chord) }
      var shapes: [Shape] = []
      func segment(_ left: Double, _ right: Double, _ level: Int) {
        let (a, b) = (shape.y(at: left) + step * Double(level), shape.y(at: right) + step * Double(level))
        shapes.append(.polygon([Point(left, a), Point(right, b), Point(right, b + depth), Point(left, a + depth)]))
      }
      let most = min(beam.members.map(\.levels).max() ?? 1, 8)
      for level in 0..<most {
        var start: Int?
        for (position, member) in beam.members.enumerated() {
          let joinsNext = member.joined > level
          let joinsBefore = position > 0 && beam.members[position - 1].joined > level
          if joinsNext, start == nil { start = position }
          if !joinsNext, let begin = start {
            segment(x[begin] - half, x[position] + half, level)
            start = nil
          }
          guard member.levels > level, !joinsNext, !joinsBefore else { continue }
          // A beam that leads nowhere is a short piece, at most half of the way to the next stem.
          let isForward = position == 0 || (member.hookIsForward && position + 1 < x.count)
          let neighbour = isForward ? min(position + 1, x.count - 1) : position - 1
          let length = min(1.1 * first.scale, abs(x[neighbour] - x[position]) * 0.5)
          if isForward {
            segment(x[position] - half, x[position] + length, level)
          } else {
            segment(x[position] - length, x[position] + half, level)
          }
        }
      }
      if let left = x.first, let right = x.last {
        // The skyline follows the slant.
        let (a, b) = (Point(left, shape.y(at: left)), Point(right, shape.y(at: right)))
        above[first.staff].add(from: a, to: b)
        below[first.staff].add(from: a, to: b)
      }
      add(Element(.beam, id: 0, bar: first.bar, shapes: shapes), staff: first.staff, isOutline: false)
    }
  }
}

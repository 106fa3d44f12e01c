import Engraving
import Scores

/// The stems, beams and accidentals of a drawing, read from its shapes: what a reader sees, not what the layout meant.
struct DrawnChords {
  /// A stem with the number of its system.
  private struct Stem {
    var system: Int
    var x: Double
    var top: Double
    var bottom: Double
  }

  /// A beam: a polygon from left to right.
  private struct DrawnBeam {
    var left: Double
    var right: Double
    /// The vertical middle at its left and right end.
    var start: Double
    var end: Double

    func middle(at x: Double) -> Double {
      right > left ? start + (end - start) * (min(max(x, left), right) - left) / (right - left) : start
    }
  }

  private var stems: [UInt32: Stem] = [:]
  private var heads: [UInt32: Double] = [:]
  /// The beams of each system.
  private var beams: [[DrawnBeam]] = []
  /// The glyphs of the accidental of each note.
  private(set) var accidentals: [UInt32: [MusicFont.Glyph]] = [:]
  /// The bars of multi-bar rests.
  private(set) var multiRests: Set<Int> = []

  init(_ part: EngravedPart) {
    for (number, system) in part.systems.enumerated() {
      beams.append([])
      for measure in system.measures where measure.bars.count > 1 { multiRests.formUnion(measure.bars) }
      for element in system.elements { add(element, number) }
    }
  }

  private mutating func add(_ element: Element, _ system: Int) {
    for shape in element.shapes {
      switch (element.role, shape) {
      case (.note, .glyph(_, let place, _)): heads[element.id] = place.y
      case (.stem, .line(let from, let to, _, _)):
        stems[element.id] = Stem(system: system, x: from.x, top: min(from.y, to.y), bottom: max(from.y, to.y))
      case (.beam, .polygon(let points)):
        let (left, right) = (points.map(\.x).min() ?? 0, points.map(\.x).max() ?? 0)
        func middle(_ x: Double) -> Double {
          let ys = points.filter { abs($0.x - x) < 0.01 }.map(\.y)
          return ys.reduce(0, +) / Double(max(ys.count, 1))
        }
        beams[system].append(DrawnBeam(left: left, right: right, start: middle(left), end: middle(right)))
      case (.accidental, .glyph(let glyph, _, _))
      where glyph != .accidentalParensLeft && glyph != .accidentalParensRight:
        accidentals[element.id, default: []].append(glyph)
      default: break
      }
    }
  }

  /// Whether the stem of a chord is above its heads; nil if it has none.
  func isStemUp(_ chord: Chord) -> Bool? {
    let heads = chord.notes.compactMap { self.heads[$0.id] }
    guard let stem = stems[chord.id], let top = heads.min(), let bottom = heads.max() else { return nil }
    // The longer part of the stem outside the chord.
    return top - stem.top > stem.bottom - bottom
  }

  /// The beams at the end of the stem of a chord; nil without a stem.
  func beams(of chord: Chord) -> (levels: Int, joinsLeft: Bool, joinsRight: Bool)? {
    guard let stem = stems[chord.id], let isUp = isStemUp(chord) else { return nil }
    let tip = isUp ? stem.top : stem.bottom
    let touching = beams[stem.system].filter { beam in
      guard beam.left < stem.x + 0.15, beam.right > stem.x - 0.15 else { return false }
      let y = beam.middle(at: stem.x)
      return y > stem.top - 0.3 && y < stem.bottom + 0.3 && abs(y - tip) < 5
    }
    // Beams to the left and to the right of the stem may be two polygons.
    let right = touching.filter { $0.right > stem.x + 0.3 }.count
    let left = touching.filter { $0.left < stem.x - 0.3 }.count
    func isPrimary(_ beam: DrawnBeam) -> Bool { abs(beam.middle(at: stem.x) - tip) < 0.6 }
    // A hook is at most as wide as a note head with its space.
    let primary = touching.filter(isPrimary)
    return (
      max(left, right), primary.contains { $0.left < stem.x - 0.3 }, primary.contains { $0.right > stem.x + 0.3 }
    )
  }

  /// The glyphs of an accidental.
  static func glyphs(of accidental: Note.Accidental) -> [MusicFont.Glyph] {
    switch accidental {
    case .none: []
    case .sharp: [.accidentalSharp]
    case .flat: [.accidentalFlat]
    case .natural: [.accidentalNatural]
    case .doubleSharp: [.accidentalDoubleSharp]
    case .doubleFlat: [.accidentalDoubleFlat]
    case .naturalSharp: [.accidentalNatural, .accidentalSharp]
    case .naturalFlat: [.accidentalNatural, .accidentalFlat]
    case .quarterFlat: [.accidentalQuarterToneFlatStein]
    case .quarterSharp: [.accidentalQuarterToneSharpStein]
    case .threeQuartersFlat: [.accidentalThreeQuarterTonesFlatZimmermann]
    case .threeQuartersSharp: [.accidentalThreeQuarterTonesSharpStein]
    case .tripleSharp: [.accidentalSharp, .accidentalDoubleSharp]
    case .tripleFlat: [.accidentalFlat, .accidentalDoubleFlat]
    }
  }
}

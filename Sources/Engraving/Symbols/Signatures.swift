import Scores

/// A key signature, or the change to one: naturals for the accidentals that end, then those that are in force.
struct KeySignature {
  var signs: [(glyph: MusicFont.Glyph, place: Int, x: Double)] = []
  var width = 0.0

  /// - Parameter old: the key before; 0 at the beginning of a system, where nothing is cancelled.
  init(old: Int, new: Int, clef: Clef, _ metrics: Metrics) {
    if old != new, old != 0 {
      let kept = old.signum() == new.signum() ? min(abs(old), abs(new)) : 0
      for place in clef.places(of: old).dropFirst(kept) { append(.accidentalNatural, place, 0.12, metrics) }
      if width > 0, new != 0 { width += 0.3 }
    }
    let extra = max(abs(new) - 7, 0)
    for (index, place) in clef.places(of: new).enumerated() {
      let glyph: MusicFont.Glyph =
        if new > 0 {
          index < extra ? .accidentalDoubleSharp : .accidentalSharp
        } else {
          index < extra ? .accidentalDoubleFlat : .accidentalFlat
        }
      append(glyph, place, new > 0 ? 0.06 : 0.02, metrics)
    }
  }

  private mutating func append(_ glyph: MusicFont.Glyph, _ place: Int, _ gap: Double, _ metrics: Metrics) {
    let box = metrics.box(glyph)
    if width > 0 { width += gap }
    signs.append((glyph, place, width - box.left))
    width += box.width
  }
}

/// A time signature: digits in two rows around the middle line, or one symbol.
struct TimeSignature {
  var signs: [(glyph: MusicFont.Glyph, x: Double, y: Double)] = []
  var width = 0.0

  init(_ metre: Metre, _ metrics: Metrics) {
    switch metre.symbol {
    case .free: return
    case .common, .cut:
      let glyph: MusicFont.Glyph = metre.symbol == .common ? .timeSigCommon : .timeSigCutCommon
      if metrics.has(glyph) {
        signs = [(glyph, -metrics.box(glyph).left, 2)]
        width = metrics.box(glyph).width
        return
      }
    case .numbers, .single: break
    }
    for (index, group) in metre.groups.enumerated() {
      if index > 0 {
        let plus = metrics.box(.timeSigPlus)
        signs.append((.timeSigPlus, width + 0.2 - plus.left, 2))
        width += plus.width + 0.4
      }
      var above: [MusicFont.Glyph] = []
      for (position, beats) in group.beats.enumerated() {
        if position > 0 { above.append(.timeSigPlus) }
        above += Self.digits(beats)
      }
      let below = metre.symbol == .single ? [] : Self.digits(group.unit)
      let widths = [above, below].map { $0.reduce(0) { $0 + metrics.box($1).width + 0.06 } }
      let widest = widths.max() ?? 0
      append(above, width + (widest - widths[0]) / 2, metre.symbol == .single ? 2 : 1, metrics)
      append(below, width + (widest - widths[1]) / 2, 3, metrics)
      width += widest
    }
  }

  private mutating func append(_ glyphs: [MusicFont.Glyph], _ x: Double, _ y: Double, _ metrics: Metrics) {
    var x = x
    for glyph in glyphs {
      let box = metrics.box(glyph)
      // The digits of a font stand on a line or around it; their middle decides.
      signs.append((glyph, x - box.left, y - (box.top + box.bottom) / 2))
      x += box.width + 0.06
    }
  }

  static func digits(_ number: Int) -> [MusicFont.Glyph] {
    let glyphs: [MusicFont.Glyph] = [
      .timeSig0, .timeSig1, .timeSig2, .timeSig3, .timeSig4, .timeSig5, .timeSig6, .timeSig7, .timeSig8, .timeSig9,
    ]
    return String(max(number, 0)).utf8.map { glyphs[min(max(Int($0) - 48, 0), 9)] }
  }
}

/// A bar line with its repeat dots.
struct BarLineSymbol {
  enum Stroke { case thin, thick, dashed, dotted, short, tick, dots, gap }

  var strokes: [Stroke]

  /// The line between two bars.
  init(_ line: Bar.Line, repeatEnd: Bool, repeatStart: Bool) {
    switch (repeatEnd, repeatStart) {
    case (true, true): strokes = [.dots, .gap, .thin, .gap, .thick, .gap, .thin, .gap, .dots]
    case (true, false): strokes = [.dots, .gap, .thin, .gap, .thick]
    case (false, true): strokes = [.thick, .gap, .thin, .gap, .dots]
    case (false, false):
      switch line {
      case .regular: strokes = [.thin]
      case .double: strokes = [.thin, .gap, .thin]
      case .final: strokes = [.thin, .gap, .thick]
      case .dashed: strokes = [.dashed]
      case .dotted: strokes = [.dotted]
      case .heavy: strokes = [.thick]
      case .none: strokes = []
      case .heavyLight: strokes = [.thick, .gap, .thin]
      case .heavyHeavy: strokes = [.thick, .gap, .thick]
      case .short: strokes = [.short]
      case .tick: strokes = [.tick]
      }
    }
  }

  static func width(_ stroke: Stroke) -> Double {
    switch stroke {
    case .thin, .dashed, .dotted, .short, .tick: 0.16
    case .thick: 0.5
    case .dots: 0.4
    case .gap: 0.38
    }
  }

  var width: Double { strokes.reduce(0) { $0 + Self.width($1) } }

  /// The shapes from `x` on. Lines go through all staves, dots stand in each one.
  func shapes(x: Double, staves: [Double], _ metrics: Metrics) -> [Shape] {
    var shapes: [Shape] = []
    var x = x
    guard let first = staves.first, let last = staves.last else { return [] }
    for stroke in strokes {
      let width = Self.width(stroke)
      let middle = x + width / 2
      switch stroke {
      case .thin, .thick, .dashed:
        shapes.append(
          .line(
            from: Point(middle, first), to: Point(middle, last + 4), thickness: width,
            dash: stroke == .dashed ? 0.5 : 0))
      case .dotted:
        shapes.append(.line(from: Point(middle, first), to: Point(middle, last + 4), thickness: width, dash: 0.16))
      case .short:
        for y in staves {
          shapes.append(.line(from: Point(middle, y + 1), to: Point(middle, y + 3), thickness: width, dash: 0))
        }
      case .tick:
        for y in staves {
          shapes.append(.line(from: Point(middle, y - 0.5), to: Point(middle, y + 0.5), thickness: width, dash: 0))
        }
      case .dots:
        let box = metrics.box(.augmentationDot)
        for y in staves {
          for dot in [y + 1.5, y + 2.5] {
            shapes.append(
              .glyph(.augmentationDot, at: Point(middle - (box.left + box.right) / 2, dot), scale: 1))
          }
        }
      case .gap: break
      }
      x += width
    }
    return shapes
  }
}

import Scores

/// What stands before the notes of a measure: clef, key, metre and the beginning of a repeat. At the beginning of a system all staves have
/// their clef and key.
struct Preamble {
  struct Sign {
    var role: Element.Role
    var staff: Int
    var shapes: [Shape]
    var label: String
  }

  /// x is from the beginning of the system, or from the right edge of the bar line before.
  var signs: [Sign] = []
  var width = 0.0
  /// Where the line of a repeat begins.
  var repeatX: Double?

  init(_ measure: NotatedMeasure, isSystemStart: Bool, beginsRepeat: Bool, _ metrics: Metrics) {
    if isSystemStart {
      width = 0.6
      addClefs(measure, metrics)
    }
    addKeys(measure, isSystemStart: isSystemStart, metrics)
    if measure.showsMetre { addMetre(measure.metre, staves: measure.clefs.count, metrics) }
    if beginsRepeat, isSystemStart || measure.showsKey || measure.showsMetre {
      let x = width + 0.7
      repeatX = x
      width = x + BarLineSymbol(.regular, repeatEnd: false, repeatStart: true).width
    }
  }

  /// The courtesy signatures at the end of a system, after its bar line.
  init(courtesyFor measure: NotatedMeasure, _ metrics: Metrics) {
    addKeys(measure, isSystemStart: false, metrics)
    if measure.showsMetre { addMetre(measure.metre, staves: measure.clefs.count, metrics) }
    if width > 0 { width += 0.4 }
  }

  private mutating func addClefs(_ measure: NotatedMeasure, _ metrics: Metrics) {
    var widest = 0.0
    for (staff, clef) in measure.clefs.enumerated() {
      guard let (glyph, place) = clef.glyph(isChange: false) else { continue }
      let box = metrics.box(glyph)
      var shapes: [Shape] = [.glyph(glyph, at: Point(width - box.left, staffY(place)), scale: 1)]
      if let digit = Self.octaveDigit(clef, metrics, box, x: width - box.left, y: staffY(place), scale: 1) {
        shapes.append(digit)
      }
      signs.append(Sign(role: .clef, staff: staff, shapes: shapes, label: clef.label))
      widest = max(widest, box.width)
    }
    width += widest
  }

  /// The 8 above or below a clef whose notes sound an octave from their places.
  static func octaveDigit(
    _ clef: Clef, _ metrics: Metrics, _ box: Box, x: Double, y: Double, scale: Double
  ) -> Shape? {
    guard clef.octaves != 0 else { return nil }
    let text = abs(clef.octaves) == 1 ? "8" : abs(clef.octaves) == 2 ? "15" : "22"
    let style = TextStyle(.italic, size: 1.5 * scale)
    let width = metrics.width(text, style)
    let middle = x + (box.left + box.right) / 2 * scale
    let baseline = clef.octaves > 0 ? y + box.top * scale - 0.1 : y + box.bottom * scale + 1.1 * scale
    return .text(text, at: Point(middle - width / 2, baseline), style, width: width)
  }

  private mutating func addKeys(_ measure: NotatedMeasure, isSystemStart: Bool, _ metrics: Metrics) {
    var widest = 0.0
    let x = width + (isSystemStart ? 0.7 : 0.6)
    for (staff, key) in measure.keys.enumerated() {
      if !isSystemStart, measure.oldKeys[staff] == key { continue }
      let old = isSystemStart ? key : measure.oldKeys[staff]
      let clef = measure.clefs[staff]
      if clef.sign == .percussion { continue }
      let signature = KeySignature(old: old, new: key, clef: clef, metrics)
      if signature.signs.isEmpty { continue }
      let shapes = signature.signs.map { Shape.glyph($0.glyph, at: Point(x + $0.x, staffY($0.place)), scale: 1) }
      signs.append(Sign(role: .key, staff: staff, shapes: shapes, label: Self.label(key)))
      widest = max(widest, signature.width)
    }
    if widest > 0 { width = x + widest }
  }

  private mutating func addMetre(_ metre: Metre, staves: Int, _ metrics: Metrics) {
    let signature = TimeSignature(metre, metrics)
    if signature.signs.isEmpty { return }
    let x = width + 0.7
    for staff in 0..<staves {
      let shapes = signature.signs.map { Shape.glyph($0.glyph, at: Point(x + $0.x, $0.y), scale: 1) }
      signs.append(Sign(role: .metre, staff: staff, shapes: shapes, label: "\(metre)"))
    }
    width = x + signature.width
  }

  static func label(_ fifths: Int) -> String {
    switch fifths {
    case 0: "no sharps or flats"
    case 1: "1 sharp"
    case -1: "1 flat"
    case 2...: "\(fifths) sharps"
    default: "\(-fifths) flats"
    }
  }
}

extension Clef {
  var label: String {
    let name =
      switch sign {
      case .g: "G clef"
      case .f: "F clef"
      case .c: "C clef"
      case .percussion: "percussion clef"
      case .tab, .none: "clef"
      }
    return octaves == 0 ? name : "\(name), \(abs(octaves)) octaves \(octaves > 0 ? "up" : "down")"
  }
}

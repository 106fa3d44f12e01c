import Scores

extension Dynamic {
  /// The letters as glyphs.
  var glyphs: [MusicFont.Glyph] {
    name.compactMap { letter in
      switch letter {
      case "p": .dynamicPiano
      case "m": .dynamicMezzo
      case "f": .dynamicForte
      case "r": .dynamicRinforzando
      case "s": .dynamicSforzando
      case "z": .dynamicZ
      case "n": .dynamicNiente
      default: nil
      }
    }
  }
}

extension Metrics {
  /// The width of a dynamic, from the left edge of its first letter to the right edge of its last one.
  func width(_ dynamic: Dynamic) -> Double {
    let glyphs = dynamic.glyphs
    guard let first = glyphs.first, let last = glyphs.last else { return 0 }
    let advances = glyphs.dropLast().reduce(0) { $0 + advance($1) }
    return advances + box(last).right - box(first).left
  }

  /// The extent of letters above and below the baseline.
  func extent(_ dynamic: Dynamic) -> (top: Double, bottom: Double) {
    var (top, bottom) = (0.0, 0.0)
    for glyph in dynamic.glyphs {
      top = min(top, box(glyph).top)
      bottom = max(bottom, box(glyph).bottom)
    }
    return (top, bottom)
  }
}

extension TextStyle {
  static let words = TextStyle(.italic, size: 2.1)
}

extension Metrics {
  /// Whether words stand with the dynamics: short words of expression do. Words of technique stand above the staff.
  func isExpression(_ text: String) -> Bool {
    guard text.utf8.count < 40, width(text, .words) < 16 else { return false }
    let lower = text.lowercased()
    if Self.expressions.contains(where: { lower.hasPrefix($0) }) { return true }
    // `poco a poco cresc.`, `sempre dim.`, `molto cresc.`
    let words = lower.split(separator: " ")
    if words.count == 1, Self.levels.contains(lower) { return true }
    return words.contains { $0.hasPrefix("cresc") || $0.hasPrefix("decresc") || $0.hasPrefix("dimin") || $0 == "dim." }
      || (words.count == 2 && Self.levels.contains(String(words[0]))
        && ["p", "f", "pp", "ff", "piano", "forte"].contains(words[1]))
  }

  private static let expressions = [
    "cresc", "decresc", "dim", "dolce", "espr", "cantabile", "sotto voce", "mezza voce", "smorz", "morendo", "perdend",
    "legg", "marc", "subito p", "subito f", "dolente", "teneramente",
  ]
  private static let levels: Set<String> = ["sempre", "più", "piu", "meno", "poco", "molto", "subito"]
}

extension ChordSymbol {
  static let style = TextStyle(.roman, size: 2.2)

  /// The text with typographic accidentals.
  var printed: String {
    var result = ""
    var wasLetter = false
    for character in text {
      switch character {
      case "#": result.append("\u{266F}")
      case "b" where wasLetter || result.last == "(" || result.last == "\u{266D}" || result.last?.isNumber == true:
        result.append("\u{266D}")
      default: result.append(character)
      }
      wasLetter = ("A"..."G").contains(character)
    }
    return result
  }
}

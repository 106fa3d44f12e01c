import Scores

/// The words for a screen reader.
enum NoteNames {
  private static let values = [
    "maxima", "longa", "breve", "whole", "half", "quarter", "eighth", "16th", "32nd", "64th", "128th", "256th", "512th",
    "1024th",
  ]
  private static let dots = ["", "dotted ", "double dotted ", "triple dotted ", "quadruple dotted "]
  private static let letters = ["C", "D", "E", "F", "G", "A", "B"]

  /// `dotted quarter`.
  static func value(_ chord: NotatedChord) -> String {
    let value = values[min(max(chord.halvings + 3, 0), values.count - 1)]
    let text = dots[min(max(chord.dots, 0), 4)] + value
    return chord.isGrace ? "grace " + text : text
  }

  /// `F#5 dotted quarter`.
  static func note(_ note: NotatedNote, _ chord: NotatedChord) -> String {
    let letter = letters[((note.letter % 7) + 7) % 7]
    if note.isStroke { return "stroke " + value(chord) }
    let sign: String =
      switch note.alteration {
      case 0: ""
      case 100: "#"
      case -100: "b"
      case 200: "##"
      case -200: "bb"
      default: note.alteration > 0 ? "+\(note.alteration) " : "\(note.alteration) "
      }
    return letter + sign + String(note.letter / 7) + " " + value(chord)
  }

  static func rest(_ chord: NotatedChord) -> String { chord.isWholeBar ? "bar rest" : value(chord) + " rest" }
}

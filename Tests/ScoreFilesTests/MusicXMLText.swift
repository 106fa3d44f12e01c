import ScoreFiles
import Scores
import Testing

/// Short MusicXML documents for the tests.
enum MusicXMLText {
  /// A document with one part. Each element of `measures` is the content of one measure.
  static func document(
    _ measures: [String], head: String = "",
    parts: String = #"<score-part id="P1"><part-name>Flute</part-name></score-part>"#
  )
    -> String
  {
    let body = measures.enumerated().map { "<measure number=\"\($0 + 1)\">\n\($1)\n</measure>" }.joined(separator: "\n")
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <score-partwise version="4.0">\(head)
      <part-list>\(parts)</part-list>
      <part id="P1">
      \(body)
      </part>
      </score-partwise>
      """
  }

  static let attributes = """
    <attributes><divisions>12</divisions><key><fifths>0</fifths></key>
    <time><beats>4</beats><beat-type>4</beat-type></time></attributes>
    """

  /// A note: `C4 12`, `F#5 24`, or a rest `r 12`. `more` follows the duration.
  static func note(_ text: String, _ more: String = "", before: String = "") -> String {
    let fields = text.split(separator: " ")
    let duration = fields.count > 1 ? "<duration>\(fields[1])</duration>" : ""
    if fields[0] == "r" { return "<note>\(before)<rest/>\(duration)\(more)</note>" }
    let alter = fields[0].contains("#") ? "<alter>1</alter>" : fields[0].contains("b") ? "<alter>-1</alter>" : ""
    let pitch = "<pitch><step>\(fields[0].first!)</step>\(alter)<octave>\(fields[0].last!)</octave></pitch>"
    return "<note>\(before)\(pitch)\(duration)\(more)</note>"
  }
}

/// Reads a document.
func read(_ text: String) throws(ScoreFault) -> ScoreImport {
  try ScoreImport(octets: Array(text.utf8), file: "test.xml")
}

extension Score {
  /// The notes of a part as `onset:key:length`, onsets from the beginning of the score in printed order.
  func notes(_ part: Int = 0) -> [String] {
    var list: [(Fraction, Int, Fraction)] = []
    var start = Fraction.zero
    for (index, bar) in parts[part].bars.enumerated() {
      for voice in bar.voices {
        for chord in voice.chords {
          for note in chord.notes {
            let key = if case .pitch(let pitch) = note.sound { pitch.key } else { -1 }
            list.append(((try? start + chord.onset) ?? .zero, key, chord.length))
          }
        }
      }
      start = (try? start + bars[index].length) ?? .zero
    }
    return list.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map { "\($0.0):\($0.1):\($0.2)" }
  }
}

public import Scores

/// Writes a score as MusicXML 4.0 (`score-partwise`). Reading the file gives a score with the same octets.
///
/// All parts are written with the bar lines and metres of the score, as other programs expect. Words and signs of the whole score, such as
/// tempo marks and D.C., are in the first part. Durations are in units that divide every onset and length of the score.
public struct MusicXMLWriter {
  private let score: Score
  /// The units per quarter note.
  let divisions: Int64
  var text = XMLText()
  // The place in the score.
  var part = 0
  var bar = 0
  /// The position of the file's cursor in quarter notes from the beginning of the bar.
  var cursor = Fraction.zero

  /// The octets of the file in UTF-8.
  ///
  /// - Parameter score: a valid score (``Score/validate()``).
  public static func octets(_ score: Score) -> [UInt8] {
    var writer = MusicXMLWriter(score)
    writer.write()
    return writer.text.octets
  }

  private init(_ score: Score) {
    self.score = score
    divisions = score.commonDenominator
  }

  var currentPart: Part { score.parts[part] }
  var currentBar: Bar { score.bars[bar] }
  var bars: [Bar] { score.bars }
  var isFirstPart: Bool { part == 0 }

  private mutating func write() {
    text.open("score-partwise", ["version": "4.0"])
    writeHeader()
    let marks = Dictionary(grouping: score.tempoMarks, by: \.bar)
    for index in score.parts.indices {
      part = index
      text.open("part", ["id": "P\(index + 1)"])
      for index in score.bars.indices {
        bar = index
        writeMeasure(isFirstPart ? marks[index] ?? [] : [])
      }
      text.close()
    }
    text.close()
  }

  private mutating func writeHeader() {
    if !score.title.isEmpty {
      text.open("work")
      text.element("work-title", score.title)
      text.close()
    }
    if !score.movement.isEmpty { text.element("movement-title", score.movement) }
    let hasIdentification = !(score.creators.isEmpty && score.rights.isEmpty)
    if hasIdentification { text.open("identification") }
    for creator in score.creators { text.element("creator", creator.name, ["type": creator.role]) }
    if !score.rights.isEmpty { text.element("rights", score.rights) }
    if hasIdentification { text.close() }
    text.open("part-list")
    for (index, part) in score.parts.enumerated() {
      text.open("score-part", ["id": "P\(index + 1)"])
      write(part, "P\(index + 1)-I")
      text.close()
    }
    text.close()
  }

  private mutating func write(_ part: Part, _ prefix: String) {
    text.element("part-name", part.name)
    if !part.abbreviation.isEmpty { text.element("part-abbreviation", part.abbreviation) }
    for (number, instrument) in part.instruments.enumerated() {
      text.open("score-instrument", ["id": "\(prefix)\(number + 1)"])
      text.element("instrument-name", instrument.name)
      text.close()
    }
    for (number, instrument) in part.instruments.enumerated() {
      text.open("midi-instrument", ["id": "\(prefix)\(number + 1)"])
      if part.isPercussion { text.element("midi-channel", 10) }
      text.element("midi-program", Int(instrument.program) + 1)
      if let key = instrument.key { text.element("midi-unpitched", Int(key) + 1) }
      // Three decimals, so that the level is the same after reading.
      text.element("volume", decimalText((Int(part.level) * 100_000 + 63) / 127, per: 1000))
      text.close()
    }
  }

  private mutating func writeMeasure(_ marks: [TempoMark]) {
    cursor = .zero
    if currentBar.isImplicit {
      text.open("measure", ["number": currentBar.number, "implicit": "yes"])
    } else {
      text.open("measure", ["number": currentBar.number])
    }
    writeContent(marks)
    text.close()
  }
}

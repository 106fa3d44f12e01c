import Foundation
import Rhythm

/// The text form of an instrument: its properties, one per line.
struct InstrumentSheet: CustomStringConvertible {
  let description: String

  init(_ instrument: Instrument) {
    var text = "\(instrument.name): \(instrument.description)\n"
    func append(_ name: String, _ value: String) {
      text += "\(name):".padding(toLength: 12, withPad: " ", startingAt: 0) + value + "\n"
    }
    append("sound", "\(instrument.sound) (\(instrument.standardSound), program \(instrument.program + 1))")
    append("scale", "\(instrument.scaleName), \(instrument.rangeName)")
    // An instrument that follows chords plays the notes of the present chord. It plays the notes of `keyNames` only while there is
    // no chord.
    let condition = instrument.followsChords ? " (while there is no chord)" : ""
    append("notes", instrument.keyNames.joined(separator: " ") + condition)
    if let figure = instrument.figure {
      append("figure", Self.groups(figure, grid: instrument.quantizer.grid))
    } else {
      append("figure", "none: one note per action")
    }
    append("pitch", instrument.pitch.name)
    if instrument.figure != nil { append("density", instrument.density.name) }
    append("brightness", instrument.brightness?.name ?? "none")
    append("loudness", instrument.loudness.name)
    // The value has the same form as in a patch file: `late` is the tolerance in percent of the grid. A note whose lateness is within
    // the tolerance sounds at once.
    append("grid", "\(instrument.quantizer.grid.name), late \(instrument.quantizer.tolerance)%")
    append("length", instrument.length.name)
    description = text
  }

  /// The figure, with a space between quarter notes. If a quarter note has fewer than two units of the grid, the spaces are between
  /// groups of four units.
  private static func groups(_ figure: Figure, grid: NoteValue) -> String {
    let perQuarter = 24 / Int(grid.ticks)
    let group = perQuarter > 1 ? perQuarter : 4
    let text = Array(figure.text)
    return stride(from: 0, to: text.count, by: group).map { start in
      String(text[start..<min(start + group, text.count)])
    }.joined(separator: " ")
  }
}

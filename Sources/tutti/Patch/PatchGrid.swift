import Foundation
import MusicalTime
import Rhythm

/// The text form of a patch: its properties, a grid of strokes for each layer, and the chords and the parts of a style.
struct PatchGrid: CustomStringConvertible {
  let description: String

  init(_ patch: Patch) {
    let bars = "\(patch.bars) bar\(patch.bars == 1 ? "" : "s")"
    var text = patch.name + (patch.description.isEmpty ? "\n" : ": \(patch.description)\n")
    let groups =
      patch.beatGroups.contains { $0 > 1 } ? " (\(patch.beatGroups.map(String.init).joined(separator: "+")))" : ""
    text += "\(patch.meter.beats)/\(patch.meter.unit)\(groups), \(bars), "
    text += String(format: "%.1f BPM", patch.tempo.bpm)
    // 500 per mille is straight, without swing.
    if patch.swing.permille != 500 {
      text += String(format: ", swing %g%% of %@", Double(patch.swing.permille) / 10, patch.swing.unit.rawValue)
    }
    text += "\n"
    for voice in patch.kit where voice.feel != .zero || voice.level != 100 {
      let feel = voice.feel == .zero ? "" : String(format: " %+g ms", Double(voice.feel.count) / 1e6)
      text += "\(voice.name):\(feel)\(voice.level == 100 ? "" : " level \(voice.level)%")\n"
    }
    let width = patch.lines.map { Self.name(of: $0, in: patch).count }.max() ?? 0
    func append(_ title: String, _ lines: [Line]) {
      text += "\n\(title)\n"
      for line in lines {
        let name = Self.name(of: line, in: patch).padding(toLength: width, withPad: " ", startingAt: 0)
        text += "  \(name)  \(Self.strokes(of: line, in: patch))\n"
      }
    }
    for (index, layer) in patch.layers.enumerated() {
      let range = "activity \(layer.activity.lowerBound) to \(layer.activity.upperBound)"
      append("\(layer.name) (\(range))", patch.lines.filter { $0.layer == index })
    }
    if let fill = patch.fill {
      let lines = patch.lines.filter { $0.layer == nil }
      // All lines of the fill sound from the same activity on, so the first line shows it.
      let chance = fill.chance == 100 ? "" : ", chance \(fill.chance)%"
      let from = lines.first.map { $0.activity.lowerBound > 0 ? ", from activity \($0.activity.lowerBound)" : "" } ?? ""
      append("fill (last of \(fill.period) bars\(chance)\(from))", lines)
    }
    if let chords = patch.chords { text += "\nchords\n  \(chords.text)\n" }
    for part in patch.parts { text += "\n\(PartGrid(part, in: patch))" }
    description = text
  }

  /// The name of a line, as it is written in a patch.
  static func name(of line: Line, in patch: Patch) -> String {
    name(patch.kit[line.voice].name, replaces: line.replaces, chance: (line.lowActivityChance, line.highActivityChance))
  }

  /// The name of a line, with `!` if the line replaces earlier lines, and with the chance of its strokes in percent if the chance can
  /// be less than 100.
  static func name(_ name: String, replaces: Bool, chance: (low: Int, high: Int)) -> String {
    let name = name + (replaces ? "!" : "")
    switch chance {
    case (100, 100): return name
    case (let low, let high) where low == high: return "\(name) \(low)%"
    case (let low, let high): return "\(name) \(low)-\(high)%"
    }
  }

  /// The strokes of a line, with a space between the beats and a bar line between the bars.
  private static func strokes(of line: Line, in patch: Patch) -> String {
    line.bars.indices.map { strokes(of: line, inBar: $0, of: patch) }.joined(separator: " | ")
  }

  /// The strokes of a line in one bar, with a space between the beats.
  ///
  /// - Parameter bar: the number of the bar, counted from 0. The line repeats after its last bar.
  static func strokes(of line: Line, inBar bar: Int, of patch: Patch) -> String {
    groups(line.bars[bar % line.bars.count].map { $0?.character ?? "." }, line.strokesPerQuarter, patch.meter)
  }

  /// The characters of a bar, with a space between the beats.
  static func groups(_ strokes: [Character], _ strokesPerQuarter: Int, _ meter: Meter) -> String {
    // A group contains the strokes of one beat. If a beat has fewer than two strokes, a group contains the strokes of a quarter note.
    let perBeat = strokesPerQuarter * Int(meter.stepsPerBeat) / 4
    let group = perBeat > 1 ? perBeat : strokesPerQuarter
    return strokes.grouped(by: group)
  }
}

/// The text form of a pitched part of a style: its sound, and a grid of steps for each layer.
struct PartGrid: CustomStringConvertible {
  let description: String

  init(_ part: PitchedPart, in patch: Patch) {
    var text = "\(part.part.name): \(part.sound), \(part.rangeName)"
    if part.feel != .zero { text += String(format: ", %+g ms", Double(part.feel.count) / 1e6) }
    text += part.level == 100 ? "\n" : ", level \(part.level)%\n"
    let names = part.lines.map { line in
      PatchGrid.name(
        line.voice.name, replaces: line.replaces, chance: (line.lowActivityChance, line.highActivityChance))
    }
    let width = names.map(\.count).max() ?? 0
    for (index, layer) in part.layers.enumerated() {
      text += "  \(layer.name) (activity \(layer.activity.lowerBound) to \(layer.activity.upperBound))\n"
      for (line, name) in zip(part.lines, names) where line.layer == index {
        let bars = line.bars.map { PatchGrid.groups($0.map(\.character), line.strokesPerQuarter, patch.meter) }
        text += "    \(name.padding(toLength: width, withPad: " ", startingAt: 0))  \(bars.joined(separator: " | "))\n"
      }
    }
    description = text
  }
}

/// The text form of an instrument: its properties, one per line.
struct InstrumentSheet: CustomStringConvertible {
  let description: String

  init(_ instrument: Instrument) {
    var text = instrument.name + (instrument.description.isEmpty ? "\n" : ": \(instrument.description)\n")
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
    return Array(figure.text).grouped(by: group)
  }
}

extension [Character] {
  /// Returns the characters with a space after each `count` characters.
  fileprivate func grouped(by count: Int) -> String {
    stride(from: 0, to: self.count, by: count).map { String(self[$0..<Swift.min($0 + count, self.count)]) }
      .joined(separator: " ")
  }
}

import Foundation
import Rhythm

/// The text form of a pitched part of a style: its sound, and a grid of steps for each layer.
struct PartGrid: CustomStringConvertible {
  let description: String

  init(_ part: PitchedPart, in patch: Patch) {
    var text = "\(part.part.name): \(part.sound), \(part.rangeName)"
    if part.feel != .zero { text += String(format: ", %+g ms", Double(part.feel.count) / 1e6) }
    text += part.level == 100 ? "\n" : ", level \(part.level)%\n"
    let names = part.lines.map { line in
      PatchGrid.name(line.tone.name, replaces: line.replaces, chance: (line.lowActivityChance, line.highActivityChance))
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

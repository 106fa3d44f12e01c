import Rhythm
import _TestSupport

/// A random instrument as the text of a file.
struct RandomInstrument {
  let text: String

  init(seed: UInt64) {
    var random = SplitMix(seed: seed)
    func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &random)! }
    let controls = ["tilt forward", "tilt sideways", "force", "activity", "controller 20"]
    func mapping() -> String {
      pick(controls) + pick(["", ", \(random.integer(in: 0...127))..\(random.integer(in: 0...127))"])
    }
    let lower = random.integer(in: 0...9)
    let fields = [
      "name: random", "description: Seed \(seed).", "sound: harp",
      "scale: \(pick(["C", "F#", "Bb"])) \(pick(ScaleType.allCases).rawValue), "
        + "C\(lower - 1)..G\(random.integer(in: lower...10) - 1)",
      "pitch: \(pick([mapping(), "key"]))", "loudness: \(pick([mapping(), "90"]))",
      "grid: \(pick(NoteValue.grids).name), late \(random.integer(in: 0...100))%",
      "length: \(pick(NoteValue.lengths).name)",
    ]
    var text = fields.joined(separator: "\n") + "\n"
    if random.integer(in: 0...1) == 0 { text += "brightness: \(mapping())\n" }
    if random.integer(in: 0...2) > 0 {
      let units = (0..<random.integer(in: 0...63)).map { _ in pick(Array("....oxX123456789")) }
      text += "figure: x\(String(units))\ndensity: \(mapping())\n"
    }
    self.text = text
  }
}

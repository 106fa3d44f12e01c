import Text
import Yams

extension PatchReader {
  private static let instrumentFields = [
    Field(name: "name", example: "name: tilt harp"),
    Field(name: "description", example: "description: A harp that follows the tilt.", isRequired: false),
    Field(name: "sound", example: "sound: harp"),
    Field(name: "scale", example: "scale: D minor pentatonic, D3..D6"),
    Field(name: "figure", example: "figure: x.xx x.x.", isRequired: false),
    Field(name: "pitch", example: "pitch: tilt forward", isRequired: false),
    Field(name: "density", example: "density: activity", isRequired: false),
    Field(name: "brightness", example: "brightness: tilt sideways", isRequired: false),
    Field(name: "loudness", example: "loudness: force", isRequired: false),
    Field(name: "grid", example: "grid: 1/16, late 40%", isRequired: false),
    Field(name: "length", example: "length: 1/8", isRequired: false),
  ]

  /// Reads the instrument from the root of a file. Returns nil if there are faults.
  mutating func instrument(_ root: Node) -> Instrument? {
    guard let values = values(of: root, "", Self.instrumentFields) else { return nil }
    let name = values["name"].flatMap { self.name($0, "name") }
    let description = values["description"].flatMap { text($0, "description", maximumLength: 400) } ?? ""
    let program = values["sound"].flatMap { self.program($0, "sound") }
    let scale = values["scale"].flatMap { self.scale($0) }
    let figure = values["figure"].flatMap { self.figure($0) }
    // An optional field has a default value. After a fault, this value replaces the faulty one, so that the reader continues and finds
    // all faults. The default of `brightness` is nil: the instrument does not send Brightness.
    let pitch = values["pitch"].flatMap { mapping($0, "pitch", isPitch: true) } ?? ControlMapping(.tiltForward)
    let density = values["density"].flatMap { mapping($0, "density") } ?? ControlMapping(constant: 127)
    let brightness = values["brightness"].flatMap { mapping($0, "brightness") }
    let loudness = values["loudness"].flatMap { mapping($0, "loudness") } ?? ControlMapping(.force)
    let quantizer = values["grid"].flatMap { self.quantizer($0) } ?? .standard
    let length = values["length"].flatMap { self.length($0) } ?? quantizer.grid
    if let node = values["density"], values["figure"] == nil {
      fault(at: node.position, "density", "has no effect without a figure", "add the field figure, or remove density")
    }
    guard faults.isEmpty, let name, let program, let scale else { return nil }
    return Instrument(
      name: name, description: description, program: program, scale: scale.scale,
      followsChords: scale.followsChords, range: scale.range, figure: figure, pitch: pitch, density: density,
      brightness: brightness, loudness: loudness, quantizer: quantizer, length: length)
  }

  /// Reads the sound: a name of General MIDI.
  mutating func program(_ node: Node, _ field: String) -> UInt8? {
    let remedy = "write a General MIDI sound, such as harp, marimba or orchestral harp"
    guard let text = scalar(node, field, remedy: remedy) else { return nil }
    if let program = ProgramNames.program(named: text) { return program }
    let similar = ProgramNames.similar(to: text)
    fault(
      at: node.position, field, "is \"\(text.printable())\", not a sound of General MIDI",
      similar.isEmpty ? remedy : "write a General MIDI sound, such as " + similar.joined(separator: ", "))
    return nil
  }

  /// Reads the grid: `1/16, late 40%`, or `1/16`, which means the same.
  private mutating func quantizer(_ node: Node) -> Quantizer? {
    let remedy = "write a note value and a tolerance, such as 1/16, late 40%"
    guard let text = scalar(node, "grid", remedy: remedy) else { return nil }
    let parts = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
    let grid = noteValue(parts[0].trimmed, of: NoteValue.grids, at: node.position, "grid")
    guard parts.count == 2 else { return grid.flatMap { Quantizer(grid: $0, tolerance: 40) } }
    let late = parts[1].trimmed
    // The position of the tolerance: the first character after the comma and the spaces. Only a fault needs it.
    func position() -> TextPosition {
      self.position(ofCharacter: text.count - parts[1].drop { $0 == " " }.count, in: node, text)
    }
    guard late.hasPrefix("late "), late.hasSuffix("%"), let tolerance = Int(late.dropFirst(5).dropLast().trimmed) else {
      fault(at: position(), "grid", "has the invalid tolerance \"\(late.printable())\"", remedy)
      return nil
    }
    guard (0...100).contains(tolerance) else {
      fault(
        at: position(), "grid", "has a tolerance of \(tolerance)%, out of range",
        "write `late 0%` to `late 100%`, in percent of the note value")
      return nil
    }
    return grid.flatMap { Quantizer(grid: $0, tolerance: tolerance) }
  }

  /// Reads the length of a note, such as `1/8`.
  private mutating func length(_ node: Node) -> NoteValue? {
    guard let text = scalar(node, "length", remedy: "write a note value, such as 1/8") else { return nil }
    return noteValue(text, of: NoteValue.lengths, at: node.position, "length")
  }

  /// Reads a note value, one of `known`.
  private mutating func noteValue(
    _ text: String, of known: [NoteValue], at position: TextPosition, _ field: String
  ) -> NoteValue? {
    if let value = known.first(where: { $0.name == text }) { return value }
    let names = known.filter { !$0.isTriplet }.map(\.name).joined(separator: ", ")
    fault(
      at: position, field, "has \"\(text.printable())\" as a note value",
      "write one of \(names), with or without the word triplets, such as 1/8 triplets")
    return nil
  }
}

import MusicalTime
import Text
import Yams

extension PatchReader {
  /// Reads the lines of a layer, or of the fill (`layer` is nil). A line with a fault is omitted. If there are
  /// too many drums, all further lines are omitted too.
  mutating func lines(
    _ entries: [Entry], _ field: String, in layer: Int?, activity: ClosedRange<UInt8>, meter: Meter?, kit: inout Kit
  ) -> [Line] {
    var lines: [Line] = []
    for entry in entries {
      let field = path(field, entry.name)
      let position = entry.key.position
      guard let name = lineName(entry.name, at: position, field) else { continue }
      let voice = kit.index(named: name.voice)
      if voice == nil, layer == nil {
        fault(
          at: position, field, "is neither a setting of the fill nor a drum",
          suggestion(
            for: name.voice, among: ["every", "chance", "from"] + kit.names,
            otherwise: "define the drum in the field kit")
            ?? "write `every`, `chance`, `from`, a General MIDI name such as snare, or a name from the field kit")
        // A misspelt setting has no strokes that could be checked.
        continue
      }
      if voice == nil {
        fault(
          at: position, field, "is not a drum",
          suggestion(for: name.voice, among: kit.names, otherwise: "define the name in the field kit")
            ?? "use a General MIDI name, such as kick, snare or hat, or define the name in the field kit")
      }
      if kit.voices.count > Patch.maximumVoices {
        fault(
          at: position, field, "is drum number \(kit.voices.count) of this patch",
          "use at most \(Patch.maximumVoices) drums")
        return lines
      }
      guard let meter, let (bars, perQuarter) = bars(entry.value, field, meter: meter), let voice else { continue }
      lines.append(
        Line(
          voice: voice, layer: layer, activity: activity, replaces: name.replaces, lowActivityChance: name.chance.low,
          highActivityChance: name.chance.high, strokesPerQuarter: perQuarter, bars: bars))
    }
    return lines
  }

  /// Reads the name of a line: the name of the voice, `!` if the line replaces earlier lines, and the chance in percent that a stroke
  /// sounds, at the lowest and at the highest activity of the line. An example is `hat! 30-80%`. A single number is the chance at both.
  mutating func lineName(
    _ name: String, at position: TextPosition, _ field: String
  ) -> (voice: String, replaces: Bool, chance: (low: Int, high: Int))? {
    var words = name.utf8.contains(UInt8(ascii: " ")) ? name.split(separator: " ") : [name[...]]
    var chance = (low: 100, high: 100)
    if words.count > 1, let last = words.last, last.hasSuffix("%") {
      let bounds = last.dropLast().split(separator: "-", omittingEmptySubsequences: false)
      let numbers = bounds.compactMap { Int($0) }.filter { (0...100).contains($0) }
      guard (1...2).contains(bounds.count), numbers.count == bounds.count else {
        fault(
          at: position, field, "has the invalid chance \"\(last.printable())\"",
          "write a percentage from 0 to 100, such as 30%, or two, such as 20-80%, for low and high activity")
        return nil
      }
      chance = (numbers[0], numbers[numbers.count - 1])
      words.removeLast()
    }
    var voice = words.joined(separator: " ")
    let replaces = voice.hasSuffix("!")
    if replaces { voice.removeLast() }
    return (voice, replaces, chance)
  }

  /// Reads a line of drums. Returns its strokes and rests, one array per bar, and the number of strokes and rests per quarter note; nil
  /// after a fault.
  private mutating func bars(_ node: Node, _ field: String, meter: Meter) -> ([[Stroke?]], Int)? {
    let remedy =
      "write . (rest), o (soft), x, X (accent), f or F (flams) for each step; spaces are "
      + "ignored, and | separates bars"
    // `.some(nil)` is a rest, and nil is an invalid character.
    return bars(node, field, meter: meter, remedy: remedy) { octet -> Stroke?? in
      octet == UInt8(ascii: ".") ? .some(nil) : Stroke(ascii: octet).map { .some($0) }
    }
  }

  /// Reads a line of drums or of a pitched part. Returns its steps, one array per bar, and the number of steps per quarter note; nil after
  /// a fault.
  ///
  /// - Parameter step: converts an octet, the ASCII code of a character, to a step; returns nil for an invalid character.
  mutating func bars<Element>(
    _ node: Node, _ field: String, meter: Meter, remedy: String, _ step: (UInt8) -> Element?
  ) -> ([[Element]], Int)? {
    guard let text = scalar(node, field, remedy: remedy) else { return nil }
    var bars: [[Element]] = [[]]
    // All valid characters are ASCII, so they need not be separated from combining accents.
    for octet in text.utf8 where octet != UInt8(ascii: " ") {
      if octet == UInt8(ascii: "|") {
        bars.append([])
        continue
      }
      guard let step = step(octet) else {
        let invalid = text.enumerated().first { _, character in
          character != " " && character != "|" && character.asciiValue.flatMap(step) == nil
        }
        if let (index, character) = invalid {
          fault(
            at: position(ofCharacter: index, in: node, text), field,
            "has \"\(String(character).printable(upTo: 1))\" as character \(index + 1)", remedy)
        }
        return nil
      }
      bars[bars.count - 1].append(step)
    }
    guard let perQuarter = checkLengths(of: bars.map { $0.count }, at: node.position, field, meter: meter) else {
      return nil
    }
    return (bars, perQuarter)
  }

  /// Checks `bars`, the number of strokes and rests in each bar of a line. Returns the number of strokes and rests per quarter note, or
  /// nil after a fault.
  private mutating func checkLengths(
    of bars: [Int], at position: TextPosition, _ field: String, meter: Meter
  ) -> Int? {
    guard bars.count <= Line.maximumBars else {
      fault(at: position, field, "has \(bars.count) bars", "write at most \(Line.maximumBars)")
      return nil
    }
    let (steps, length) = (Int(meter.stepsPerBar), bars[0])
    // The possible numbers of strokes and rests per quarter note. Three or six per quarter note are possible only if the number per bar is
    // a whole number. A quarter note has four steps.
    let possible = [4, 3, 6]
    guard let perQuarter = possible.first(where: { steps * $0 == length * 4 }) else {
      let notes = [3: "eighth-note triplets", 4: "sixteenth notes", 6: "sixteenth-note triplets"]
      let choices = possible.filter { steps * $0 % 4 == 0 }.map { "\(steps * $0 / 4) (\(notes[$0, default: ""]))" }
        .joined(separator: " or ")
      fault(
        at: position, field, "has \(Self.count(length, "step")) in bar 1", "write \(choices)",
        ofKind: "\(length) steps", check: "check the field meter, which is \(meter.beats)/\(meter.unit)")
      return nil
    }
    for (index, bar) in bars.enumerated() where bar != length {
      let difference = length - bar
      fault(
        at: position, field, "has \(Self.count(bar, "step")) in bar \(index + 1), but \(length) in bar 1",
        difference > 0 ? "add \(difference)" : "remove \(-difference)")
      return nil
    }
    return perQuarter
  }
}

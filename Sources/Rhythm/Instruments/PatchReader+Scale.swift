import Text
import Yams

extension PatchReader {
  /// C major pentatonic: the scale that an instrument with the scale `chord` plays while there are no chords. This scale consists of white
  /// keys, like the scales of the instruments in `Patches/instruments`.
  private static let fallback = Scale(tonic: 0, type: .majorPentatonic)

  /// Reads a scale with its range: `D minor pentatonic, D3..D6`, `chord, D3..D6` or `chord or D minor pentatonic, D3..D6`.
  mutating func scale(_ node: Node) -> (scale: Scale, followsChords: Bool, range: ClosedRange<UInt8>)? {
    let remedy = "write a scale and a range of keys, such as D minor pentatonic, D3..D6"
    guard let text = scalar(node, "scale", remedy: remedy) else { return nil }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      fault(
        at: node.position, "scale", "is \"\(text.printable())\", which does not have exactly one range of keys", remedy)
      return nil
    }
    let name = parts[0].trimmed
    let followsChords = name == "chord" || name.hasPrefix("chord or ")
    let scaleName = followsChords ? name.dropFirst("chord or ".count).trimmed : name
    let scale = name == "chord" ? Self.fallback : self.scale(named: scaleName, at: node.position)
    // The position of the range: the first character after the comma and the spaces. Only a fault needs it.
    func position(_ reader: inout PatchReader) -> TextPosition {
      reader.position(ofCharacter: text.count - parts[1].drop { $0 == " " }.count, in: node, text)
    }
    guard let range = range(parts[1].trimmed, "scale", at: position), let scale else { return nil }
    guard !scale.keys(in: range).isEmpty else {
      fault(
        at: position(&self), "scale", "has no note of \(scale.name) in the range \(parts[1].trimmed)",
        "write a larger range, such as an octave")
      return nil
    }
    guard !followsChords || range.count >= 12 else {
      fault(
        at: position(&self), "scale",
        "has a range of \(Self.count(range.count, "key")), so some notes of the chords are outside of it",
        "write a range of at least an octave, such as C4..B4")
      return nil
    }
    return (scale, followsChords, range)
  }

  /// Reads the name of a scale. A chromatic scale needs no tonic.
  private mutating func scale(named name: String, at position: TextPosition) -> Scale? {
    if ScaleType(named: name) == .chromatic { return Scale(tonic: 0, type: .chromatic) }
    let words = name.split(separator: " ", maxSplits: 1)
    guard let first = words.first, let tonic = NoteName.pitchClass(first) else {
      let lacksTonic = words.first == nil || words.first == "chord" || ScaleType(named: name) != nil
      let reason =
        lacksTonic
        ? "is \"\(name.printable())\", without a tonic" : "has \"\(words[0].printable())\" as the tonic"
      fault(at: position, "scale", reason, "begin with a note name, such as D, F# or Bb, or with the word `chord`")
      return nil
    }
    let types = ScaleType.allCases.map(\.rawValue).joined(separator: ", ")
    guard words.count == 2 else {
      fault(
        at: position, "scale", "is \"\(first.printable())\", without a kind of scale",
        "write \(first) and one of \(types), such as \(first) minor")
      return nil
    }
    guard let type = ScaleType(named: words[1].trimmed) else {
      fault(
        at: position, "scale", "has \"\(words[1].printable())\" as the kind of scale", "write one of \(types)")
      return nil
    }
    return Scale(tonic: tonic, type: type)
  }

  /// Reads a range of keys, such as `D3..D6`.
  ///
  /// - Parameter position: finds the position of the range for a fault.
  mutating func range(
    _ text: String, _ field: String, at position: (inout PatchReader) -> TextPosition
  ) -> ClosedRange<UInt8>? {
    // The two dots separate three parts: the lower key, an empty text and the upper key.
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[1].isEmpty, let lower = NoteName.key(parts[0].trimmed),
      let upper = NoteName.key(parts[2].trimmed)
    else {
      fault(
        at: position(&self), field, "has the invalid range \"\(text.printable())\"",
        "write two keys from C-1 to G9, such as D3..D6; C4 is middle C")
      return nil
    }
    guard lower <= upper else {
      fault(at: position(&self), field, "has the empty range \(text.printable())", "write the lower key first")
      return nil
    }
    return lower...upper
  }
}

import Scores

/// The elements before the first part: titles, creators and the part list.
extension MusicXMLReader {
  func takeHeader(_ tree: inout XMLTree) throws(ScoreFault) {
    switch tree.name(0) {
    case .work:
      tree.use(0)
      if let title = tree.text(0, .workTitle) { score.title = clean(title) }
    case .movementTitle:
      tree.use(0)
      score.movement = clean(tree.text(0))
    case .identification:
      tree.use(0)
      for child in tree.children(0) {
        switch tree.name(child) {
        case .creator:
          tree.use(child)
          guard score.creators.count < 20 else { continue }
          score.creators.append(
            .init(role: clean(tree.attribute(child, .type) ?? ""), name: clean(tree.text(child))))
        case .rights:
          tree.use(child)
          score.rights = clean(score.rights.isEmpty ? tree.text(child) : score.rights + " " + tree.text(child))
        default: break
        }
      }
    case .partList:
      tree.use(0)
      for child in tree.children(0) where tree.name(child) == .scorePart { try takeScorePart(&tree, child) }
    default: break
    }
  }

  private func takeScorePart(_ tree: inout XMLTree, _ index: XMLTree.Index) throws(ScoreFault) {
    tree.use(index)
    guard score.parts.count < Score.Limits.parts else {
      throw fault(
        "the score", "more than \(Score.Limits.parts) parts", "remove parts, or divide it into several scores")
    }
    let name = clean(tree.text(index, .partName) ?? "")
    var part = Part(name: name, abbreviation: clean(tree.text(index, .partAbbreviation) ?? ""), instruments: [])
    var numbers: [String: UInt8] = [:]
    var (hasProgram, channel) = (false, 0)
    for child in tree.children(index) where tree.name(child) == .scoreInstrument && part.instruments.count < 128 {
      tree.use(child)
      let instrument = clean(tree.text(child, .instrumentName) ?? "")
      numbers[tree.attribute(child, .id) ?? ""] = UInt8(part.instruments.count)
      part.instruments.append(.init(name: instrument))
    }
    if part.instruments.isEmpty { part.instruments.append(.init(name: name)) }
    for child in tree.children(index) where tree.name(child) == .midiInstrument {
      tree.use(child)
      let number = Int(numbers[tree.attribute(child, .id) ?? ""] ?? 0)
      if let program = tree.integer(child, .midiProgram), (1...128).contains(program) {
        part.instruments[number].program = UInt8(program - 1)
        hasProgram = true
      }
      if let key = tree.integer(child, .midiUnpitched), (1...128).contains(key) {
        part.instruments[number].key = UInt8(key - 1)
      }
      if let value = tree.integer(child, .midiChannel) { channel = value }
      if let volume = tree.number(child, .volume), volume >= .zero, volume <= Fraction(100) {
        part.level = UInt8(clamping: ((try? volume / Fraction(100)) ?? Fraction(1)).rounded(times: 127))
      }
    }
    part.isPercussion = channel == 10
    if !hasProgram, !part.isPercussion {
      for number in part.instruments.indices {
        part.instruments[number].program =
          GeneralMIDI.program(of: part.instruments[number].name) ?? GeneralMIDI.program(of: name) ?? 0
      }
    }
    partNumbers[tree.attribute(index, .id) ?? ""] = score.parts.count
    instrumentNumbers.append(numbers)
    score.parts.append(part)
  }
}

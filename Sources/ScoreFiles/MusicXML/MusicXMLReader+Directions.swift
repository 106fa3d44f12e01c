import Scores
import Text

/// The elements `direction`, `sound` and `harmony`.
extension MusicXMLReader {
  func takeDirection(_ tree: inout XMLTree) throws(ScoreFault) {
    tree.use(0)
    let offset = offset(&tree)
    var staff: UInt8 = 1
    if let number = tree.integer(0, .staff), (1...Int(score.parts[part].staves)).contains(number) {
      staff = UInt8(number)
    }
    _ = tree.child(0, .voice)
    var words: [String] = []
    var metronome: (tempo: Int, beat: NoteValue)?
    for type in tree.children(0) where tree.name(type) == .directionType {
      tree.use(type)
      for child in tree.children(type) {
        switch tree.name(child) {
        case .words:
          tree.use(child)
          words.append(clean(tree.text(child)))
        case .metronome: metronome = takeMetronome(&tree, child) ?? metronome
        case .segno:
          tree.use(child)
          mark(segno: "segno")
        case .coda:
          tree.use(child)
          mark(coda: "coda")
        default:
          for content in contents(&tree, child) { add(Mark(offset: offset, staff: staff, content)) }
        }
      }
    }
    let text = clean(words.filter { !$0.isEmpty }.joined(separator: " "))
    let sound = tree.child(0, .sound)
    if let sound { takeSound(tree, sound, at: offset, text: "", isTempo: false) }
    takeWords(text, at: offset, staff, sound.flatMap { tempo(tree, $0) }, metronome)
  }

  /// The position that a direction or chord symbol has: the cursor, moved by the element `offset`.
  private func offset(_ tree: inout XMLTree) -> Fraction {
    guard let shift = tree.number(0, .offset), let length = try? shift / cursor.divisions,
      let position = try? cursor.position + length, position >= .zero, (try? check(position)) != nil
    else { return cursor.position }
    return position
  }

  /// The marks that the child of a `direction-type` stands for.
  private func contents(_ tree: inout XMLTree, _ index: XMLTree.Index) -> [Mark.Content] {
    let number = UInt8(min(max(tree.number(index, attribute: .number)?.floor(times: 1) ?? 1, 1), 16))
    let type = tree.attribute(index, .type) ?? ""
    let content: Mark.Content
    switch (tree.name(index), type) {
    case (.dynamics, _):
      tree.use(index)
      return tree.children(index).compactMap { dynamic(&tree, $0) }.map { .dynamic($0) }
    case (.rehearsal, _): content = .rehearsal(clean(tree.text(index)))
    case (.wedge, "crescendo"): content = .hairpin(isCrescendo: true, number: number)
    case (.wedge, "diminuendo"): content = .hairpin(isCrescendo: false, number: number)
    case (.wedge, "stop"): content = .hairpinEnd(number: number)
    case (.pedal, "start"): content = .pedal(isDown: true)
    case (.pedal, "stop"): content = .pedal(isDown: false)
    case (.octaveShift, "up"), (.octaveShift, "down"):
      let octaves: Int8 =
        switch tree.number(index, attribute: .size)?.floor(times: 1) ?? 8 {
        case 8: 1
        case 15: 2
        case 22: 3
        default: 0
        }
      guard octaves > 0 else { return [] }
      // `down` prints the notes an octave lower than they sound.
      content = .octaveLine(octaves: type == "down" ? octaves : -octaves)
    case (.octaveShift, "stop"): content = .octaveLineEnd
    default: return []
    }
    tree.use(index)
    return [content]
  }

  private func add(_ mark: Mark) {
    guard score.parts[part].bars[barIndex].marks.count < 1000 else {
      return add("more than 1000 marks", "the others are left out")
    }
    score.parts[part].bars[barIndex].marks.append(mark)
  }

  /// The tempo of a metronome mark in thousandths of a quarter note per minute, and its unit. Nil if it is no single unit with a number.
  private func takeMetronome(_ tree: inout XMLTree, _ index: XMLTree.Index) -> (tempo: Int, beat: NoteValue)? {
    let children = tree.children(index)
    guard children.count(where: { tree.name($0) == .beatUnit }) == 1,
      let unit = tree.text(index, .beatUnit), let halvings = Self.halvings(unit),
      let beat = NoteValue(halvings: halvings, dots: min(children.count { tree.name($0) == .beatUnitDot }, 4)),
      let text = tree.text(index, .perMinute)
    else { return nil }
    tree.use(index)
    for child in children where tree.name(child) == .beatUnitDot { tree.use(child) }
    // `ca. 96` and `96-100` have a first number.
    let digits = text.drop { !$0.isNumber }.prefix { $0.isNumber || $0 == "." }
    guard let number = decimal(digits.utf8), let tempo = try? number * beat.length else { return nil }
    return (Int(tempo.rounded(times: 1000)), beat)
  }

  private func tempo(_ tree: XMLTree, _ index: XMLTree.Index) -> Int? {
    tree.number(index, attribute: .tempo).map { Int(clamping: $0.rounded(times: 1000)) }
  }

  /// The attributes of an element `sound`: jumps and the tempo.
  func takeSound(_ tree: XMLTree, _ index: XMLTree.Index, at offset: Fraction, text: String, isTempo: Bool = true) {
    if tree.has(index, .dacapo, "yes") { mark(jump: .daCapo) }
    if let label = tree.attribute(index, .dalsegno) { mark(jump: .dalSegno(clean(label))) }
    if let label = tree.attribute(index, .segno) { mark(segno: clean(label)) }
    if let label = tree.attribute(index, .coda) { mark(coda: clean(label)) }
    if let label = tree.attribute(index, .tocoda) { mark(toCoda: clean(label)) }
    if let value = tree.attribute(index, .fine), value != "no" { bars[barIndex].bar.isFine = true }
    if isTempo, let tempo = tempo(tree, index) { addTempo(.tempo(tempo), at: offset, "", nil) }
  }

  /// Interprets the words of a direction, with the tempo that stands beside them.
  private func takeWords(
    _ text: String, at offset: Fraction, _ staff: UInt8, _ tempo: Int?, _ metronome: (tempo: Int, beat: NoteValue)?
  ) {
    let meaning = Words.meaning(of: text)
    switch meaning {
    case .ritardando, .accelerando:
      addTempo(meaning == .ritardando ? .ritardando : .accelerando, at: offset, text, nil)
      if tempo != nil { add("a tempo beside \(text.printable())", "the words decide") }
      return
    case .daCapo: if bars[barIndex].bar.jump == nil { mark(jump: .daCapo) }
    case .dalSegno: if bars[barIndex].bar.jump == nil { mark(jump: .dalSegno("segno")) }
    case .toCoda: if bars[barIndex].bar.toCoda == nil { mark(toCoda: "coda") }
    case .fine: bars[barIndex].bar.isFine = true
    default: break
    }
    if let tempo = tempo ?? metronome?.tempo {
      return addTempo(.tempo(tempo), at: offset, text, metronome?.beat)
    }
    switch meaning {
    case .aTempo: addTempo(.aTempo, at: offset, text, nil)
    case .tempoPrimo: addTempo(.tempoPrimo, at: offset, text, nil)
    case .tempo(let tempo): addTempo(.tempo(tempo * 1000), at: offset, text, nil)
    case .daCapo, .dalSegno, .toCoda, .fine: break
    default: if !text.isEmpty { add(Mark(offset: offset, staff: staff, .words(text))) }
    }
  }

  private func addTempo(_ content: TempoMark.Content, at offset: Fraction, _ text: String, _ beat: NoteValue?) {
    if case .tempo(let tempo) = content, !TempoMark.range.contains(tempo) {
      return add("a tempo of \(tempo / 1000) quarter notes per minute", "it is left out")
    }
    guard score.tempoMarks.count < 50_000 else { return add("more than 50000 tempo marks", "the others are left out") }
    score.tempoMarks.append(TempoMark(bar: barIndex, offset: offset, content, text: text, beat: beat))
  }

  private func mark(jump: Bar.Jump) { bars[barIndex].bar.jump = jump }
  private func mark(toCoda label: String) { bars[barIndex].bar.toCoda = label }
  func mark(segno label: String) {
    if bars[barIndex].bar.segno == nil || label != "segno" { bars[barIndex].bar.segno = label }
  }
  func mark(coda label: String) {
    if bars[barIndex].bar.coda == nil || label != "coda" { bars[barIndex].bar.coda = label }
  }

  func takeHarmony(_ tree: inout XMLTree) throws(ScoreFault) {
    tree.use(0)
    let offset = offset(&tree)
    _ = tree.child(0, .staff)
    guard let root = tree.child(0, .root), let kind = tree.child(0, .kind) else {
      return add("a chord symbol without a root", "it is left out")
    }
    let text = tree.text(kind)
    guard let letter = Self.root(&tree, root, .rootStep, .rootAlter) else {
      return add("a chord symbol without a root", "it is left out")
    }
    let known = ChordSymbol.Kind.allCases.first { $0.name == text }
    if known == nil { add("a chord symbol of kind \(text.printable())", "it is kept without its notes") }
    var symbol = ChordSymbol(offset: offset, root: letter, kind: known ?? .other)
    if let bass = tree.child(0, .bass) { symbol.bass = Self.root(&tree, bass, .bassStep, .bassAlter) }
    for child in tree.children(0) where tree.name(child) == .degree && symbol.degrees.count < 16 {
      guard let number = tree.integer(child, .degreeValue), (1...13).contains(number) else { continue }
      tree.use(child)
      let effect = tree.text(child, .degreeType) ?? "add"
      let alteration = tree.integer(child, .degreeAlter) ?? 0
      symbol.degrees.append(
        .init(
          number: UInt8(number), alteration: Int8(min(max(alteration, -3), 3)),
          effect: effect == "alter" ? .alter : effect == "subtract" ? .subtract : .add))
    }
    guard score.parts[part].bars[barIndex].symbols.count < 1000 else {
      return add("more than 1000 chord symbols", "the others are left out")
    }
    score.parts[part].bars[barIndex].symbols.append(symbol)
  }

  private static func root(
    _ tree: inout XMLTree, _ index: XMLTree.Index, _ step: XMLName, _ alter: XMLName
  ) -> ChordSymbol.Root? {
    let letters = "CDEFGAB"
    guard let letter = tree.text(index, step)?.first, let place = letters.firstIndex(of: letter) else { return nil }
    let alteration = tree.number(index, alter)?.rounded(times: 1) ?? 0
    return ChordSymbol.Root(
      step: letters.distance(from: letters.startIndex, to: place), alteration: Int(clamping: alteration))
  }
}

import Scores

/// What is printed at a note: articulations, ornaments, slurs, tuplets and syllables.
extension MusicXMLReader {
  /// The signs by the numbers of their names.
  private static let signs: [UInt16: Chord.Signs] = Dictionary(
    uniqueKeysWithValues: Chord.Signs.names.enumerated().map {
      (NameTable.start.known($1), Chord.Signs(rawValue: 1 << UInt64($0)))
    })

  func takeNotations(
    _ tree: inout XMLTree, _ index: XMLTree.Index, _ startsTied: inout Bool, _ stopsTied: inout Bool,
    _ chord: inout Chord
  ) {
    var next = tree.firstChild(index)
    while let child = next {
      next = tree.next(child)
      switch tree.name(child) {
      case .tied:
        tree.use(child)
        if tree.has(child, .type, "start") { startsTied = true }
        if tree.has(child, .type, "stop") { stopsTied = true }
      case .slur: takeSpan(&tree, child, &chord.slurs)
      case .tuplet: takeSpan(&tree, child, &chord.tuplets)
      case .fermata, .arpeggiate, .nonArpeggiate: takeSign(&tree, child, &chord)
      case .articulations, .technical:
        tree.use(child)
        for sign in tree.children(child) { takeSign(&tree, sign, &chord) }
      case .ornaments:
        tree.use(child)
        for sign in tree.children(child) {
          if tree.name(sign) == .tremolo {
            guard !tree.has(sign, .type, "start"), !tree.has(sign, .type, "stop") else { continue }
            tree.use(sign)
            chord.tremolo = UInt8(min(max(tree.number(sign)?.floor(times: 1) ?? 3, 0), 8))
          } else {
            takeSign(&tree, sign, &chord)
          }
        }
      case .dynamics:
        tree.use(child)
        for sign in tree.children(child) {
          guard let dynamic = dynamic(&tree, sign) else { continue }
          chord.dynamic = chord.dynamic ?? dynamic
        }
      default: break
      }
    }
  }

  /// The dynamic that an element names, which becomes used.
  func dynamic(_ tree: inout XMLTree, _ index: XMLTree.Index) -> Dynamic? {
    guard let dynamic = Self.dynamics[tree.nodes[Int(index)].name] else { return nil }
    tree.use(index)
    return dynamic
  }

  /// The dynamics by the numbers of their names.
  private static let dynamics: [UInt16: Dynamic] = Dictionary(
    uniqueKeysWithValues: Dynamic.allCases.map { (NameTable.start.known($0.name), $0) })

  private func takeSign(_ tree: inout XMLTree, _ index: XMLTree.Index, _ chord: inout Chord) {
    guard let sign = Self.signs[tree.nodes[Int(index)].name] else { return }
    tree.use(index)
    chord.signs.formUnion(sign)
  }

  private func takeSpan(_ tree: inout XMLTree, _ index: XMLTree.Index, _ marks: inout [SpanMark]) {
    let isStart = tree.has(index, .type, "start")
    tree.use(index)
    guard isStart || tree.has(index, .type, "stop"), marks.count < 32 else { return }
    let number = tree.number(index, attribute: .number)?.floor(times: 1) ?? 1
    guard (1...Int64(SpanMark.maximumNumber)).contains(number) else {
      return add("a line with number \(number)", "it is left out")
    }
    let mark = SpanMark(number: UInt8(number), isStart: isStart)
    if !marks.contains(mark) { marks.append(mark) }
  }

  func takeLyric(_ tree: inout XMLTree, _ index: XMLTree.Index, _ chord: inout Chord) {
    var lyric = Lyric(verse: 1, position: .single, text: "", isExtended: false)
    if let number = tree.number(index, attribute: .number)?.floor(times: 1) {
      lyric.verse = UInt8(min(max(number, 1), Int64(Lyric.maximumVerse)))
    }
    var text = ""
    var isFirst = true
    for child in tree.children(index) {
      switch tree.name(child) {
      case .text: text += isFirst || text.isEmpty ? tree.text(child) : "\u{203F}" + tree.text(child)
      case .elision: break
      case .extend: lyric.isExtended = true
      case .syllabic:
        let position: Lyric.Position =
          switch tree.text(child) {
          case "begin": .begin
          case "middle": .middle
          case "end": .end
          default: .single
          }
        // Of several syllables under one note, the outer ones decide.
        if isFirst {
          lyric.position = position
        } else {
          let opens = lyric.position == .end || lyric.position == .middle
          let goesOn = position == .begin || position == .middle
          lyric.position = opens ? (goesOn ? .middle : .end) : (goesOn ? .begin : .single)
        }
        isFirst = false
      default: continue
      }
      tree.use(child)
    }
    lyric.text = clean(text)
    guard !lyric.text.isEmpty || lyric.isExtended, chord.lyrics.count < 32 else { return }
    chord.lyrics.append(lyric)
  }

  // MARK: Texts of elements

  static func halvings(_ text: String) -> Int? {
    switch text {
    case "quarter": 2
    case "eighth": 3
    case "16th": 4
    case "half": 1
    case "whole": 0
    case "32nd": 5
    case "64th": 6
    case "128th": 7
    case "256th": 8
    case "512th": 9
    case "1024th": 10
    case "breve": -1
    case "long": -2
    case "maxima": -3
    default: nil
    }
  }

  static let accidentals: [(String, Note.Accidental)] = [
    ("sharp", .sharp), ("flat", .flat), ("natural", .natural), ("double-sharp", .doubleSharp),
    ("sharp-sharp", .doubleSharp), ("flat-flat", .doubleFlat), ("double-flat", .doubleFlat),
    ("natural-sharp", .naturalSharp), ("natural-flat", .naturalFlat), ("quarter-flat", .quarterFlat),
    ("quarter-sharp", .quarterSharp), ("three-quarters-flat", .threeQuartersFlat),
    ("three-quarters-sharp", .threeQuartersSharp), ("triple-sharp", .tripleSharp), ("triple-flat", .tripleFlat),
  ]

  static func accidental(_ text: String) -> Note.Accidental? { accidentals.first { $0.0 == text }?.1 }

  static let heads: [(String, Note.Head)] = [
    ("normal", .normal), ("x", .cross), ("diamond", .diamond), ("triangle", .triangle), ("slash", .slash),
    ("square", .square), ("circle-x", .circleCross), ("none", .none), ("cross", .cross),
  ]

  static func head(_ text: String) -> Note.Head? { heads.first { $0.0 == text }?.1 }

  static let beams: [(String, Beam)] = [
    ("begin", .begin), ("continue", .continue), ("end", .end), ("forward hook", .forwardHook),
    ("backward hook", .backwardHook),
  ]

  static func beam(_ text: String) -> Beam? { beams.first { $0.0 == text }?.1 }
}

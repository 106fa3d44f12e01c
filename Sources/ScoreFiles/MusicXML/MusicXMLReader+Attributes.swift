import Scores
import Text

/// The element `attributes`: divisions, key, metre, staves, clefs and transposition.
extension MusicXMLReader {
  func takeAttributes(_ tree: inout XMLTree) throws(ScoreFault) {
    tree.use(0)
    let offset = cursor.position
    for child in tree.children(0) {
      switch tree.name(child) {
      case .divisions:
        tree.use(child)
        guard let divisions = tree.number(child), divisions > .zero else {
          throw fault(
            "divisions \(tree.text(child).printable(upTo: 20))", "is not a positive number", "export the file again")
        }
        cursor.divisions = divisions
      case .staves:
        tree.use(child)
        let staves = tree.number(child)?.floor(times: 1) ?? 1
        guard (1...Int64(Score.Limits.staves)).contains(staves) else {
          throw fault(
            "part \(score.parts[part].name)", "\(staves) staves", "use 1 to \(Score.Limits.staves) for one part")
        }
        score.parts[part].staves = max(score.parts[part].staves, UInt8(staves))
      case .key: takeKey(&tree, child, offset)
      case .time: takeTime(&tree, child)
      case .clef: takeClef(&tree, child, offset)
      case .transpose:
        tree.use(child)
        let octaves = tree.integer(child, .octaveChange) ?? 0
        let chromatic = (tree.integer(child, .chromatic) ?? 0) + 12 * octaves
        let diatonic = tree.integer(child, .diatonic).map { $0 + 7 * octaves }
        guard
          let interval = diatonic.flatMap({ Interval(steps: $0, semitones: chromatic) })
            ?? Interval(semitones: chromatic)
        else {
          add("transposition by \(chromatic) semitones", "it is left out")
          continue
        }
        add(Change(offset: offset, staff: staff(tree, child), .transposition(interval)))
      default: break
      }
    }
  }

  private func add(_ change: Change) {
    guard score.parts[part].bars[barIndex].changes.count < 1000 else {
      return add("more than 1000 keys and clefs", "the others are left out")
    }
    score.parts[part].bars[barIndex].changes.append(change)
  }

  private func staff(_ tree: XMLTree, _ index: XMLTree.Index) -> UInt8 {
    let number = tree.number(index, attribute: .number)?.floor(times: 1) ?? 0
    return (1...Int64(score.parts[part].staves)).contains(number) ? UInt8(number) : 0
  }

  private func takeKey(_ tree: inout XMLTree, _ index: XMLTree.Index, _ offset: Fraction) {
    tree.use(index)
    guard let fifths = tree.integer(index, .fifths), abs(fifths) <= Int(Key.maximumFifths) else {
      if tree.children(index).contains(where: { tree.name($0) == .fifths }) {
        add("a key that does not exist", "it is left out")
      }
      return
    }
    let text = tree.text(index, .mode) ?? ""
    let mode = Key.Mode.allCases.first { "\($0)" == text } ?? .none
    add(Change(offset: offset, staff: staff(tree, index), .key(Key(fifths: Int8(fifths), mode: mode))))
  }

  private func takeClef(_ tree: inout XMLTree, _ index: XMLTree.Index, _ offset: Fraction) {
    tree.use(index)
    let sign: Clef.Sign =
      switch tree.text(index, .sign) {
      case "G": .g
      case "F": .f
      case "C": .c
      case "percussion": .percussion
      case "TAB": .tab
      default: .none
      }
    let usual: Int =
      switch sign {
      case .g: 2
      case .f: 4
      default: 3
      }
    let line = min(max(tree.integer(index, .line) ?? usual, 1), 9)
    let octaves = min(max(tree.integer(index, .clefOctaveChange) ?? 0, -3), 3)
    add(
      Change(
        offset: offset, staff: max(staff(tree, index), 1), .clef(Clef(sign, line: Int8(line), octaves: Int8(octaves)))))
  }

  /// The metre of the first part that has one in a bar counts.
  private func takeTime(_ tree: inout XMLTree, _ index: XMLTree.Index) {
    tree.use(index)
    var symbol: Metre.Symbol =
      switch tree.attribute(index, .symbol) {
      case "common": .common
      case "cut": .cut
      case "single-number": .single
      default: .numbers
      }
    var groups: [Metre.Group] = []
    var beats: [Int] = []
    for child in tree.children(index) {
      switch tree.name(child) {
      case .beats:
        tree.use(child)
        beats = tree.text(child).split(separator: "+").compactMap {
          decimal($0.utf8.filter { $0 != 0x20 }).map { Int($0.floor(times: 1)) }
        }
      case .beatType:
        tree.use(child)
        groups.append(.init(beats: beats, unit: Int(tree.number(child)?.floor(times: 1) ?? 0)))
      case .senzaMisura:
        tree.use(child)
        symbol = .free
        groups = [.init(beats: [4], unit: 4)]
      default: break
      }
    }
    guard let metre = Metre(groups, symbol: symbol) else {
      return add("a metre that is not supported", "the metre before is kept")
    }
    if let present = bars[barIndex].bar.metre {
      if present.length != metre.length { add("the metre \(metre) beside \(present)", "\(present) is kept") }
    } else {
      bars[barIndex].bar.metre = metre
    }
  }
}

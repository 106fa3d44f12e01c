import Scores
import Text

/// The element `barline`: repeats, endings, segno and coda. The parts of a file repeat the bar lines; the first that has a sign counts.
extension MusicXMLReader {
  func takeBarline(_ tree: inout XMLTree) {
    tree.use(0)
    let isLeft = tree.has(0, .location, "left")
    let isMiddle = tree.has(0, .location, "middle")
    if isMiddle, tree.children(0).contains(where: { tree.name($0) == .repeat || tree.name($0) == .ending }) {
      return takeDivision(&tree)
    }
    for child in tree.children(0) {
      switch tree.name(child) {
      case .repeat:
        tree.use(child)
        takeRepeat(tree, child)
      case .ending:
        tree.use(child)
        takeEnding(tree, child)
      case .segno:
        tree.use(child)
        mark(segno: tree.attribute(0, .segno).map { clean($0) } ?? "segno")
      case .coda:
        tree.use(child)
        mark(coda: tree.attribute(0, .coda).map { clean($0) } ?? "coda")
      case .barStyle:
        // A line inside a bar, or at its beginning, is not the line at its end.
        guard !isLeft, !isMiddle else {
          if isLeft { tree.use(child) }
          continue
        }
        tree.use(child)
        let style = line(tree, child)
        if bars[barIndex].bar.line == .regular { bars[barIndex].bar.line = style }
      default: break
      }
    }
  }

  static let lines: [(String, Bar.Line)] = [
    ("regular", .regular), ("light-light", .double), ("light-heavy", .final), ("dashed", .dashed), ("dotted", .dotted),
    ("heavy", .heavy), ("none", .none), ("heavy-light", .heavyLight), ("heavy-heavy", .heavyHeavy), ("short", .short),
    ("tick", .tick),
  ]

  private func line(_ tree: XMLTree, _ index: XMLTree.Index) -> Bar.Line {
    if let line = Self.lines.first(where: { $0.0 == tree.text(index) })?.1 { return line }
    add("a bar line \(tree.text(index).printable())", "it is printed as a regular line")
    return .regular
  }

  private func takeRepeat(_ tree: XMLTree, _ index: XMLTree.Index) {
    if tree.has(index, .direction, "forward") {
      bars[barIndex].bar.beginsRepeat = true
      return
    }
    guard let end = repeatEnd(tree, index) else { return }
    guard let present = bars[barIndex].bar.repeatEnd else {
      bars[barIndex].bar.repeatEnd = end
      return
    }
    if present.times != end.times {
      add("a repeat \(end.times) times beside \(present.times) times", "\(present.times) is kept")
    }
  }

  private func repeatEnd(_ tree: XMLTree, _ index: XMLTree.Index) -> Bar.Repeat? {
    let times = tree.number(index, attribute: .times)?.floor(times: 1) ?? 2
    guard (2...Int64(Score.Limits.repeats)).contains(times) else {
      add("a repeat \(times) times", "it is left out")
      return nil
    }
    return Bar.Repeat(times: UInt8(times), isTakenAfterJump: tree.has(index, .afterJump, "yes"))
  }

  private func takeEnding(_ tree: XMLTree, _ index: XMLTree.Index) {
    if tree.has(index, .type, "start") {
      guard bars[barIndex].bar.ending.isEmpty else { return }
      bars[barIndex].bar.ending = passes(tree, index)
    } else {
      bars[barIndex].bar.endingEnd = bars[barIndex].bar.endingEnd ?? endingEnd(tree, index)
    }
  }

  private func passes(_ tree: XMLTree, _ index: XMLTree.Index) -> [UInt8] {
    let text = tree.attribute(index, .number) ?? ""
    let numbers = Self.passes(text)
    if !numbers.isEmpty { return numbers }
    add("an ending with the numbers \(text.printable())", "it is read as the next ending")
    return [nextEnding]
  }

  private func endingEnd(_ tree: XMLTree, _ index: XMLTree.Index) -> Bar.EndingEnd {
    tree.has(index, .type, "stop") ? .stop : .discontinue
  }

  /// Takes a bar line inside a bar that repeats or has an ending. It divides the bar.
  private func takeDivision(_ tree: inout XMLTree) {
    var division = BarDivision(position: cursor.position)
    for child in tree.children(0) {
      switch tree.name(child) {
      case .repeat where tree.has(child, .direction, "forward"): division.after.beginsRepeat = true
      case .repeat: division.before.repeatEnd = repeatEnd(tree, child)
      case .ending where tree.has(child, .type, "start"): division.after.ending = passes(tree, child)
      case .ending: division.before.endingEnd = endingEnd(tree, child)
      case .segno: division.after.segno = tree.attribute(0, .segno).map { clean($0) } ?? "segno"
      case .coda: division.after.coda = tree.attribute(0, .coda).map { clean($0) } ?? "coda"
      case .barStyle: division.before.line = line(tree, child)
      default: continue
      }
      tree.use(child)
    }
    if let index = bars[barIndex].divisions.firstIndex(where: { $0.position == division.position }) {
      bars[barIndex].divisions[index].join(division)
    } else if bars[barIndex].divisions.count < BarDivision.maximum {
      bars[barIndex].divisions.append(division)
    } else {
      add("more than \(BarDivision.maximum) repeats inside a bar", "the others are left out")
    }
  }

  /// The number after those of the ending before this bar.
  private var nextEnding: UInt8 {
    let before = bars[..<barIndex].last { !$0.bar.ending.isEmpty }
    guard let last = before?.bar.ending.last, bars[barIndex - 1].bar.endingEnd != nil else { return 1 }
    return min(last + 1, UInt8(Score.Limits.repeats))
  }

  /// The numbers in `1, 2` or `1-3`, ascending.
  static func passes(_ text: String) -> [UInt8] {
    var numbers: Set<UInt8> = []
    for item in text.prefix(200).split(whereSeparator: { $0 == "," || $0 == " " }) {
      let ends = item.split(separator: "-").compactMap { UInt8($0.filter(\.isNumber)) }
      guard let first = ends.first, let last = ends.last, first >= 1, first <= last, Int(last) <= Score.Limits.repeats
      else {
        continue
      }
      numbers.formUnion(first...last)
    }
    return numbers.sorted()
  }
}

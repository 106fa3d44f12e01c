import Scores
import Text

/// The element `barline`: repeats, endings, segno and coda. The parts of a file repeat the bar lines; the first that has a sign counts.
extension MusicXMLReader {
  func takeBarline(_ tree: inout XMLTree) {
    tree.use(0)
    let isLeft = tree.has(0, .location, "left")
    let isMiddle = tree.has(0, .location, "middle")
    for child in tree.children(0) {
      switch tree.name(child) {
      case .repeat:
        tree.use(child)
        if isMiddle { add("a repeat inside a bar", "it applies to the whole bar") }
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
        guard let style = Self.lines.first(where: { $0.0 == tree.text(child) })?.1 else {
          add("a bar line \(tree.text(child).printable())", "it is printed as a regular line")
          continue
        }
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

  private func takeRepeat(_ tree: XMLTree, _ index: XMLTree.Index) {
    if tree.has(index, .direction, "forward") {
      bars[barIndex].bar.beginsRepeat = true
      return
    }
    let times = tree.number(index, attribute: .times)?.floor(times: 1) ?? 2
    guard (2...Int64(Score.Limits.repeats)).contains(times) else {
      return add("a repeat \(times) times", "it is left out")
    }
    let isTaken = tree.has(index, .afterJump, "yes")
    guard let present = bars[barIndex].bar.repeatEnd else {
      bars[barIndex].bar.repeatEnd = .init(times: UInt8(times), isTakenAfterJump: isTaken)
      return
    }
    if Int64(present.times) != times {
      add("a repeat \(times) times beside \(present.times) times", "\(present.times) is kept")
    }
  }

  private func takeEnding(_ tree: XMLTree, _ index: XMLTree.Index) {
    if tree.has(index, .type, "start") {
      guard bars[barIndex].bar.ending.isEmpty else { return }
      let text = tree.attribute(index, .number) ?? ""
      let numbers = Self.passes(text)
      if numbers.isEmpty { add("an ending with the numbers \(text.printable())", "it is read as the next ending") }
      bars[barIndex].bar.ending = numbers.isEmpty ? [nextEnding] : numbers
    } else {
      bars[barIndex].bar.endingEnd =
        bars[barIndex].bar.endingEnd ?? (tree.has(index, .type, "stop") ? .stop : .discontinue)
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

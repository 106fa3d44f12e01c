import MusicalTime
import Text
import Yams

extension PatchReader {
  /// A word of the chord line.
  private struct Word {
    var text: String
    /// The index of the first character of the word in the chord line.
    var place: Int
  }

  /// Reads the field `chords`: the chords of each bar, such as `Dm7 | G7 | Cmaj7 / / Am7`. Each word of a bar lasts for an equal
  /// share of the bar. A slash continues the chord before it. If `meter` is nil because of a fault, the reader does not check that each
  /// share is a whole number of steps.
  mutating func chords(_ node: Node, meter: Meter?) -> ChordLine? {
    let remedy = "write the chords of each bar, such as Dm7 | G7 | Cmaj7 / / Am7; | separates bars"
    guard let text = scalar(node, "chords", remedy: remedy) else { return nil }
    let bars = Self.words(of: text)
    guard bars.count <= Patch.maximumBars else {
      fault(at: node.position, "chords", "has \(bars.count) bars", "write at most \(Patch.maximumBars)")
      return nil
    }
    let (earlierFaults, stepsPerBar) = (faults.count, Int(meter?.stepsPerBar ?? 0))
    var changes: [ChordLine.Change] = []
    var unknown: Set<String> = []
    for (bar, words) in bars.enumerated() {
      guard !words.isEmpty else {
        fault(
          at: node.position, "chords", "has no chord in bar \(bar + 1)", "write a chord, or / to continue the last one")
        continue
      }
      guard words.count <= Self.maximumWords else {
        fault(at: node.position, "chords", "has \(words.count) chords in bar \(bar + 1)", "write at most one per step")
        continue
      }
      if meter != nil, stepsPerBar % words.count != 0 {
        let counts = (2...8).filter { stepsPerBar % $0 == 0 }.map { ", \($0)" }.joined()
        fault(
          at: position(ofCharacter: words[0].place, in: node, text), "chords",
          "has \(words.count) entries in bar \(bar + 1), but its \(stepsPerBar) steps cannot be divided by \(words.count)",
          "write one of these numbers of entries: 1\(counts); the entry / continues the chord before it")
        continue
      }
      for (index, word) in words.enumerated() {
        // The position is determined only after a fault, because the search takes time in proportion to the length of the text.
        func position() -> TextPosition { self.position(ofCharacter: word.place, in: node, text) }
        if word.text == "/" {
          if bar == 0, index == 0 { fault(at: position(), "chords", "begins with /", "begin with a chord") }
        } else if let chord = Chord(named: word.text) {
          changes.append(ChordLine.Change(chord: chord, step: bar * stepsPerBar + index * stepsPerBar / words.count))
        } else if unknown.count < Self.maximumUnknownChords, unknown.insert(word.text).inserted {
          fault(
            at: position(), "chords", "has the unknown chord \"\(word.text.printable())\"",
            Chord.correction(of: word.text)
              ?? "write a root from A to G, if needed with # or b, then nothing (major) or one of " + Self.kinds)
        }
      }
    }
    guard faults.count == earlierFaults else { return nil }
    guard changes.count <= ChordProgression.maximumChords else {
      fault(
        at: node.position, "chords", "has \(changes.count) chords", "write at most \(ChordProgression.maximumChords)")
      return nil
    }
    let notation = bars.map { $0.map(\.text).joined(separator: " ") }.joined(separator: " | ")
    return ChordLine(changes: changes, bars: bars.count, text: notation)
  }

  /// The kinds of chords, for the remedy, except the first one: the major chord, whose usual name is empty.
  private static var kinds: String { ChordQuality.all.compactMap(\.names.first).dropFirst().joined(separator: ", ") }

  /// The largest number of words of a bar: the number of steps in a bar of the longest meter, 16/2.
  private static let maximumWords = 128
  /// The largest number of unknown chords that are reported. It is equal to the largest number of faults that are reported for one file
  /// (``PatchError/maximumFaults``).
  private static let maximumUnknownChords = 50

  /// The words of each bar.
  private static func words(of text: String) -> [[Word]] {
    var bars: [[Word]] = [[]]
    var isInWord = false
    for (place, character) in text.enumerated() {
      switch character {
      case "|": bars.append([])
      case " ": break
      case _ where isInWord: bars[bars.count - 1][bars[bars.count - 1].count - 1].text.append(character)
      default: bars[bars.count - 1].append(Word(text: String(character), place: place))
      }
      isInWord = character != "|" && character != " "
    }
    return bars
  }
}

import Scores

/// The contents of a bar: signs and changes at their positions, the voices one after the other, and the bar lines.
extension MusicXMLWriter {
  /// What stands between notes, in the order in which it is written at one position.
  private enum Item {
    case change(Change)
    case tempo(TempoMark)
    case mark(Mark)
    case symbol(ChordSymbol)

    var offset: Fraction {
      switch self {
      case .change(let change): change.offset
      case .tempo(let mark): mark.offset
      case .mark(let mark): mark.offset
      case .symbol(let symbol): symbol.offset
      }
    }
  }

  mutating func writeContent(_ tempoMarks: [TempoMark]) {
    let content = currentPart.bars[bar]
    writeLeftLine()
    writeFirstAttributes(content)
    if isFirstPart { writeJumps() }
    var items =
      content.changes.filter { $0.offset > .zero }.map(Item.change) + tempoMarks.map(Item.tempo)
      + content.marks.map(Item.mark) + content.symbols.map(Item.symbol)
    items.sortStably { $0.offset < $1.offset }
    var waiting = items[...]
    for (index, voice) in content.voices.enumerated() {
      if index > 0 { move(to: .zero) }
      for chord in voice.chords {
        while index == 0, let item = waiting.first, item.offset <= chord.onset {
          write(item)
          waiting.removeFirst()
        }
        move(to: chord.onset)
        write(chord, voice.number)
      }
    }
    for item in waiting { write(item) }
    let end = content.voices.compactMap { $0.chords.last?.end }.max() ?? .zero
    if isFirstPart, end < currentBar.length || content.voices.isEmpty { move(to: currentBar.length) }
    writeRightLine()
  }

  /// The number of units of a length.
  func units(_ length: Fraction) -> Int64 { length.rounded(times: divisions) }

  /// Moves the cursor of the file.
  mutating func move(to position: Fraction) {
    let distance = units(position) - units(cursor)
    guard distance != 0 else { return }
    text.open(distance > 0 ? "forward" : "backup")
    text.element("duration", abs(distance))
    text.close()
    cursor = position
  }

  private mutating func write(_ item: Item) {
    switch item {
    case .change(let change):
      // A change has no offset of its own in the file.
      move(to: change.offset)
      text.open("attributes")
      write([change])
      text.close()
    case .tempo(let mark): write(mark)
    case .mark(let mark): write(mark)
    case .symbol(let symbol): write(symbol)
    }
  }

  private mutating func writeFirstAttributes(_ content: PartBar) {
    let changes = content.changes.filter { $0.offset == .zero }
    guard bar == 0 || currentBar.metre != nil || !changes.isEmpty else { return }
    text.open("attributes")
    if bar == 0 { text.element("divisions", divisions) }
    let first = changes.prefix { $0.isKey }
    write(Array(first))
    if let metre = currentBar.metre { write(metre) }
    if bar == 0, currentPart.staves > 1 { text.element("staves", currentPart.staves) }
    // Changes are written in the order of the score. The schema wants keys, clefs and transpositions in this order, so others get an
    // element `attributes` of their own.
    var rank = 0
    for change in changes.dropFirst(first.count) {
      if change.rank < max(rank, 1) {
        text.close()
        text.open("attributes")
      }
      rank = change.rank
      write([change])
    }
    text.close()
  }

  private mutating func write(_ metre: Metre) {
    switch metre.symbol {
    case .free:
      text.open("time")
      text.empty("senza-misura")
      text.close()
      return
    case .common: text.open("time", ["symbol": "common"])
    case .cut: text.open("time", ["symbol": "cut"])
    case .single: text.open("time", ["symbol": "single-number"])
    case .numbers: text.open("time")
    }
    for group in metre.groups {
      text.element("beats", group.beats.map(String.init).joined(separator: "+"))
      text.element("beat-type", group.unit)
    }
    text.close()
  }

  private mutating func write(_ changes: [Change]) {
    for change in changes {
      let staff: XMLText.Attributes = change.staff == 0 ? [:] : ["number": "\(change.staff)"]
      switch change.content {
      case .key(let key):
        text.open("key", staff)
        text.element("fifths", key.fifths)
        if key.mode != .none { text.element("mode", "\(key.mode)") }
        text.close()
      case .clef(let clef):
        text.open("clef", currentPart.staves > 1 ? ["number": "\(change.staff)"] : [:])
        let sign =
          switch clef.sign {
          case .g: "G"
          case .f: "F"
          case .c: "C"
          case .percussion: "percussion"
          case .tab: "TAB"
          case .none: "none"
          }
        text.element("sign", sign)
        text.element("line", clef.line)
        if clef.octaves != 0 { text.element("clef-octave-change", clef.octaves) }
        text.close()
      case .transposition(let interval):
        text.open("transpose", staff)
        text.element("diatonic", interval.steps)
        text.element("chromatic", interval.semitones)
        text.close()
      }
    }
  }

  private mutating func writeLeftLine() {
    guard currentBar.beginsRepeat || !currentBar.ending.isEmpty else { return }
    text.open("barline", ["location": "left"])
    if !currentBar.ending.isEmpty {
      text.empty("ending", ["number": currentBar.ending.map(String.init).joined(separator: ","), "type": "start"])
    }
    if currentBar.beginsRepeat { text.empty("repeat", ["direction": "forward"]) }
    text.close()
  }

  private mutating func writeRightLine() {
    guard currentBar.line != .regular || currentBar.endingEnd != nil || currentBar.repeatEnd != nil else { return }
    text.open("barline", ["location": "right"])
    if currentBar.line != .regular {
      text.element("bar-style", MusicXMLReader.lines.first { $0.1 == currentBar.line }?.0 ?? "regular")
    }
    if let end = currentBar.endingEnd {
      text.empty("ending", ["number": endingNumbers, "type": end == .stop ? "stop" : "discontinue"])
    }
    if let end = currentBar.repeatEnd {
      switch (end.times, end.isTakenAfterJump) {
      case (2, false): text.empty("repeat", ["direction": "backward"])
      case (2, true): text.empty("repeat", ["direction": "backward", "after-jump": "yes"])
      case (let times, false): text.empty("repeat", ["direction": "backward", "times": "\(times)"])
      case (let times, true): text.empty("repeat", ["direction": "backward", "times": "\(times)", "after-jump": "yes"])
      }
    }
    text.close()
  }

  /// The numbers of the ending that ends with the bar.
  private var endingNumbers: String {
    let begin = bars[...bar].last { !$0.ending.isEmpty }
    return (begin?.ending ?? [1]).map(String.init).joined(separator: ",")
  }
}

extension Change {
  fileprivate var isKey: Bool { if case .key = content { true } else { false } }
  /// The place among the children of `attributes`.
  fileprivate var rank: Int {
    switch content {
    case .key: 0
    case .clef: 1
    case .transposition: 2
    }
  }
}

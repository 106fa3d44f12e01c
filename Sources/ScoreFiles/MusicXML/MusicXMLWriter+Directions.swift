import Scores

/// Words, dynamics, tempo marks, jumps and chord symbols.
extension MusicXMLWriter {
  /// Writes a direction at a position, with the element `offset` if the cursor is elsewhere.
  private mutating func direction(
    at offset: Fraction, staff: UInt8 = 1, sound: XMLText.Attributes? = nil, _ body: (inout XMLText) -> Void
  ) {
    text.open("direction")
    body(&text)
    let shift = units(offset) - units(cursor)
    if shift != 0 { text.element("offset", shift) }
    if currentPart.staves > 1 { text.element("staff", staff) }
    if let sound { text.empty("sound", sound) }
    text.close()
  }

  mutating func write(_ mark: TempoMark) {
    let beat = mark.beat
    let words = mark.text
    let sound: XMLText.Attributes?
    var perMinute = ""
    switch mark.content {
    case .tempo(let tempo):
      sound = ["tempo": decimalText(tempo, per: 1000)]
      if let beat {
        // The number of the printed unit; the attribute has the exact tempo.
        let rate = (try? Fraction(tempo) / beat.length).map { Int($0.rounded(times: 1)) } ?? tempo
        perMinute = decimalText(rate, per: 1000)
      }
    case .ritardando, .accelerando, .aTempo, .tempoPrimo: sound = nil
    }
    direction(at: mark.offset, sound: sound) { text in
      if !words.isEmpty || beat == nil {
        text.open("direction-type")
        text.element("words", words)
        text.close()
      }
      guard let beat, !perMinute.isEmpty else { return }
      text.open("direction-type")
      text.open("metronome")
      text.element("beat-unit", Self.typeText(beat))
      for _ in 0..<beat.dots { text.empty("beat-unit-dot") }
      text.element("per-minute", perMinute)
      text.close()
      text.close()
    }
  }

  mutating func write(_ mark: Mark) {
    direction(at: mark.offset, staff: mark.staff) { text in
      text.open("direction-type")
      switch mark.content {
      case .dynamic(let dynamic):
        text.open("dynamics")
        text.empty(named: dynamic.name)
        text.close()
      case .hairpin(let isCrescendo, let number):
        text.empty("wedge", ["type": isCrescendo ? "crescendo" : "diminuendo", "number": "\(number)"])
      case .hairpinEnd(let number): text.empty("wedge", ["type": "stop", "number": "\(number)"])
      case .words(let words): text.element("words", words)
      case .rehearsal(let label): text.element("rehearsal", label)
      case .pedal(let isDown): text.empty("pedal", ["type": isDown ? "start" : "stop", "line": "yes"])
      case .octaveLine(let octaves):
        text.empty("octave-shift", ["type": octaves > 0 ? "down" : "up", "size": "\(7 * abs(Int(octaves)) + 1)"])
      case .octaveLineEnd: text.empty("octave-shift", ["type": "stop"])
      }
      text.close()
    }
  }

  /// Segno, coda and jumps, at the beginning of the bar. The reader applies jumps to its end.
  mutating func writeJumps() {
    let bar = currentBar
    func words(_ words: String) -> (inout XMLText) -> Void {
      { text in
        text.open("direction-type")
        text.element("words", words)
        text.close()
      }
    }
    func sign(_ name: StaticString) -> (inout XMLText) -> Void {
      { text in
        text.open("direction-type")
        text.empty(name)
        text.close()
      }
    }
    if let label = bar.segno { direction(at: .zero, sound: ["segno": label], sign("segno")) }
    if let label = bar.coda { direction(at: .zero, sound: ["coda": label], sign("coda")) }
    if let label = bar.toCoda { direction(at: .zero, sound: ["tocoda": label], words("To Coda")) }
    switch bar.jump {
    case .daCapo: direction(at: .zero, sound: ["dacapo": "yes"], words("D.C."))
    case .dalSegno(let label): direction(at: .zero, sound: ["dalsegno": label], words("D.S."))
    case nil: break
    }
    if bar.isFine { direction(at: .zero, sound: ["fine": "yes"], words("Fine")) }
  }

  mutating func write(_ symbol: ChordSymbol) {
    text.open("harmony")
    write("root", "root-step", "root-alter", symbol.root)
    text.element("kind", symbol.kind.name)
    if let bass = symbol.bass { write("bass", "bass-step", "bass-alter", bass) }
    for degree in symbol.degrees {
      text.open("degree")
      text.element("degree-value", degree.number)
      text.element("degree-alter", degree.alteration)
      text.element("degree-type", "\(degree.effect)")
      text.close()
    }
    let shift = units(symbol.offset) - units(cursor)
    if shift != 0 { text.element("offset", shift) }
    text.close()
  }

  private mutating func write(
    _ name: StaticString, _ step: StaticString, _ alter: StaticString, _ root: ChordSymbol.Root
  ) {
    text.open(name)
    text.element(step, String(Array("CDEFGAB")[Int(root.step)]))
    if root.alteration != 0 { text.element(alter, root.alteration) }
    text.close()
  }
}

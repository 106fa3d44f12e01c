import Scores

/// Tempo marks, dynamics, words and chord symbols of a bar.
extension NotationReader {
  mutating func readMarks(_ bars: Range<Int>, _ measure: inout NotatedMeasure) {
    let first = notated.marks.count
    let index = notated.measures.count
    let bar = bars.lowerBound
    let base = notated.timebase
    func add(_ content: NotatedMark.Content, _ staff: Int, _ offset: Fraction) {
      notated.marks.append(
        NotatedMark(
          content: content, staff: min(max(staff, 0), notated.staves - 1), measure: index, tick: base.ticks(offset)))
    }
    var tempos: [TempoMark] = []
    for mark in tempoMarks[bar] ?? [] where !mark.text.isEmpty || mark.beat != nil {
      // Several parts of a file may repeat a mark at slightly different positions.
      let isRepeated = tempos.suffix(8).contains {
        $0.content == mark.content && $0.text == mark.text && $0.beat == mark.beat
      }
      if isRepeated { continue }
      tempos.append(mark)
      add(.tempo(mark), 0, mark.offset)
    }
    for symbol in part.bars[bar].symbols { add(.symbol(symbol), 0, symbol.offset) }
    for mark in part.bars[bar].marks {
      let staff = Int(mark.staff) - 1
      switch mark.content {
      case .dynamic(let dynamic): add(.dynamic(dynamic), staff, mark.offset)
      case .words(let text): if !text.isEmpty { add(.words(text), staff, mark.offset) }
      case .rehearsal(let text): if !text.isEmpty { add(.rehearsal(text), 0, mark.offset) }
      case .pedal(let isDown): add(.pedal(isDown: isDown), staff, mark.offset)
      case .hairpin, .hairpinEnd, .octaveLine, .octaveLineEnd: break
      }
    }
    measure.marks = first..<notated.marks.count
  }
}

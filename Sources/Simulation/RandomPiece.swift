import Ensemble
import MusicalTime
import PeerProtocol
import Scores

/// A score of a world: random bars with repeats, endings, changes of the metre and of the tempo. It has one part without notes, because the
/// invariant ``Invariant/score`` concerns positions.
struct RandomPiece {
  let score: Score
  let document: Document

  init(_ random: inout SplitMix) {
    var piece = Score()
    piece.title = "Piece \(random.integer(in: 1...1_000_000))"
    let metres = [(4, 4), (3, 4), (7, 8), (6, 8), (5, 16), (2, 2), (5, 32)].map {
      Metre([.init(beats: [$0.0], unit: $0.1)])!
    }
    var metre = metres[Int(random.integer(in: 0...5))]
    for index in 0..<Int(random.integer(in: 6...24)) {
      var bar = Bar(number: "\(index + 1)", length: .zero)
      if index == 0 || random.integer(in: 0...3) == 0 {
        metre = metres[Int(random.integer(in: 0...6))]
        bar.metre = metre
      }
      bar.length = metre.length
      // Some scores begin with a pick-up of one sixteenth.
      if index == 0, random.integer(in: 0...2) == 0 { bar.length = Fraction(1, 4)! }
      piece.bars.append(bar)
    }
    Self.addRepeats(to: &piece.bars, &random)
    piece.tempoMarks.append(TempoMark(bar: 0, offset: .zero, .tempo(Int(random.integer(in: 70...180)) * 1000)))
    for bar in piece.bars.indices.dropFirst() where random.integer(in: 0...5) == 0 {
      let content: TempoMark.Content =
        switch random.integer(in: 0...3) {
        case 0: .tempo(Int(random.integer(in: 60...200)) * 1000)
        case 1: .ritardando
        case 2: .accelerando
        default: .aTempo
        }
      piece.tempoMarks.append(TempoMark(bar: bar, offset: .zero, content))
    }
    var part = Part(name: "Part", instruments: [.init(name: "Part")])
    part.bars = piece.bars.map { _ in PartBar() }
    piece.parts = [part]
    piece.assignIdentifiers()
    (score, document) = (piece, Document(.score, piece.octets)!)
  }

  /// Adds up to two repeated sections, with or without endings.
  private static func addRepeats(to bars: inout [Bar], _ random: inout SplitMix) {
    for half in [0..<bars.count / 2, bars.count / 2..<bars.count] where half.count > 3 && random.integer(in: 0...2) > 0
    {
      bars[half.lowerBound].beginsRepeat = true
      let last = half.upperBound - 2
      bars[last].repeatEnd = Bar.Repeat()
      guard random.integer(in: 0...1) == 0 else { continue }
      (bars[last].ending, bars[last].endingEnd) = ([1], .stop)
      (bars[last + 1].ending, bars[last + 1].endingEnd) = ([2], .discontinue)
    }
  }
}

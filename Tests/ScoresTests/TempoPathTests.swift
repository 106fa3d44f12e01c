import MusicalTime
import Scores
import Testing
import _TestSupport

@Suite struct TempoPathTests {
  private func path(_ text: String, _ marks: [TempoMark], _ change: (inout Score) -> Void = { _ in }) throws -> (
    Score, Route, TempoPath
  ) {
    var score = bars(text)
    score.tempoMarks = marks
    change(&score)
    try score.validate()
    let route = try Route(score)
    return (score, route, TempoPath(score, along: route))
  }

  private func bpm(_ path: TempoPath) -> [String] {
    path.changes.map { "\($0.tick.index):\(Int(($0.tempo.bpm * 10).rounded()))" }
  }

  @Test func marksSetTheTempo() throws {
    let (_, _, path) = try path(
      "a b c",
      [TempoMark(bar: 0, offset: .zero, .tempo(96_000)), TempoMark(bar: 1, offset: Fraction(2), .tempo(60_000))])
    #expect(bpm(path) == ["0:960", "144:600"])
  }

  @Test func withoutMarksTheTempoIs120() throws { #expect(bpm(try path("a", []).2) == ["0:1200"]) }

  /// A ritardando over two quarter notes falls to 2/3 in four eighth notes, whose tempos are those of their middles.
  @Test func ritardandoFallsPerEighthNote() throws {
    let (_, _, path) = try path(
      "a b",
      [
        TempoMark(bar: 0, offset: .zero, .tempo(120_000)), TempoMark(bar: 0, offset: Fraction(2), .ritardando),
        TempoMark(bar: 1, offset: .zero, .aTempo),
      ])
    #expect(bpm(path) == ["0:1200", "48:1150", "60:1050", "72:950", "84:850", "96:1200"])
  }

  /// A slower tempo after the ritardando is its target.
  @Test func ritardandoLeadsToTheNextTempo() throws {
    let (_, _, path) = try path(
      "a b",
      [
        TempoMark(bar: 0, offset: .zero, .tempo(120_000)), TempoMark(bar: 0, offset: Fraction(3), .ritardando),
        TempoMark(bar: 1, offset: .zero, .tempo(40_000)),
      ])
    #expect(bpm(path) == ["0:1200", "72:1000", "84:600", "96:400"])
  }

  /// Nothing follows: the tempo returns after four bars, or at a double bar line.
  @Test func ritardandoEnds() throws {
    let marks = [TempoMark(bar: 0, offset: .zero, .tempo(120_000)), TempoMark(bar: 1, offset: .zero, .ritardando)]
    let (_, _, four) = try path("a b c d e f g", marks)
    #expect(four.changes.last?.tick.index == 5 * 96 && four.changes.last?.tempo.bpm.rounded() == 120)
    let (_, _, line) = try path("a b c d e", marks) { $0.bars[2].line = .double }
    #expect(line.changes.last?.tick == Tick(3 * 96))
    // At the end of the score, nothing returns.
    let (_, _, end) = try path("a b", marks)
    #expect(try #require(end.changes.last).tempo.bpm < 83)
  }

  @Test func accelerandoAndTempoPrimo() throws {
    let (_, _, path) = try path(
      "a b c",
      [
        TempoMark(bar: 0, offset: .zero, .tempo(90_000)), TempoMark(bar: 1, offset: .zero, .tempo(60_000)),
        TempoMark(bar: 1, offset: Fraction(3), .accelerando), TempoMark(bar: 2, offset: .zero, .tempoPrimo),
      ])
    #expect(bpm(path) == ["0:900", "96:600", "168:650", "180:750", "192:900"])
  }

  /// A fermata doubles the length of its note.
  @Test func fermataHolds() throws {
    let (_, _, path) = try path("a b", [TempoMark(bar: 0, offset: .zero, .tempo(100_000))]) { score in
      var chord = Chord(onset: Fraction(2), length: Fraction(1))
      chord.signs = .fermata
      chord.notes = [Note(.pitch(Pitch(step: 0, octave: 4)!))]
      score.parts[0].bars[0].voices = [Voice(number: 1, chords: [chord])]
    }
    #expect(bpm(path) == ["0:1000", "48:500", "72:1000"])
  }

  /// Repeats take the marks again.
  @Test func marksFollowTheRoute() throws {
    let (_, _, path) = try path(
      "a |:b:|",
      [TempoMark(bar: 0, offset: .zero, .tempo(100_000)), TempoMark(bar: 1, offset: Fraction(2), .tempo(80_000))])
    #expect(bpm(path) == ["0:1000", "144:800"])
    let (_, _, both) = try self.path(
      "|:a b:|", [TempoMark(bar: 0, offset: .zero, .tempo(100_000)), TempoMark(bar: 1, offset: .zero, .tempo(80_000))])
    #expect(bpm(both) == ["0:1000", "96:800", "192:1000", "288:800"])
  }

  /// The timelines are continuous: each begins where the one before is at its tick. A bar of rit. lasts as long as the sum of its eighths.
  @Test func timelinesAreContinuous() throws {
    let (_, route, path) = try path(
      "a b c",
      [
        TempoMark(bar: 0, offset: .zero, .tempo(120_000)), TempoMark(bar: 1, offset: .zero, .ritardando),
        TempoMark(bar: 2, offset: .zero, .aTempo),
      ])
    let timelines = path.timelines(from: Instant(nanoseconds: 1_000))
    for (before, after) in zip(timelines, timelines.dropFirst()) {
      #expect(before.deadline(after.originTick) == after.originInstant)
    }
    let ritardando = timelines[path.index(at: route.tick(ofPlayedBar: 2))].originInstant.nanoseconds
    var expected = 0.0
    for eighth in 0..<8 {
      let bpm = 120.0 - 40.0 * (Double(eighth) + 0.5) / 8.0
      expected += 30e9 / bpm
    }
    #expect(abs(Double(ritardando) - 2e9 - expected) < 1e4)
  }
}

import Scores
import Testing
import _TestSupport

@Suite struct TranspositionTests {
  private func pitch(_ step: Int, _ alteration: Int, _ octave: Int) -> Pitch {
    Pitch(step: step, alteration: 100 * alteration, octave: octave)!
  }

  @Test func intervalsMoveFifths() {
    // C major up a minor third is E flat major; up a fifth G major; down a major second B flat major.
    #expect(Interval(steps: 2, semitones: 3)?.fifths == -3 && Interval(steps: 4, semitones: 7)?.fifths == 1)
    #expect(Interval(steps: -1, semitones: -2)?.fifths == -2 && Interval(steps: 7, semitones: 12)?.fifths == 0)
    #expect(Interval(steps: 3, semitones: 0) == nil && Interval(semitones: 6)?.steps == 3)
  }

  @Test func pitchesKeepTheirSpelling() {
    let third = Interval(steps: 2, semitones: 3)!
    #expect(pitch(0, 0, 4).moved(by: third)?.description == "Eb4")
    #expect(pitch(6, 0, 4).moved(by: third)?.description == "D5")
    #expect(pitch(3, 1, 4).moved(by: third)?.description == "A4")
    // A double sharp moved up would be triple: the next letter is used.
    #expect(pitch(0, 2, 4).moved(by: Interval(steps: 1, semitones: 3)!)?.description == "E#4")
    #expect(pitch(1, 0, 9).moved(by: Interval(steps: 7, semitones: 12)!) == nil)
  }

  private func score(in fifths: Int8) throws -> Score {
    var score = bars("a")
    score.parts[0].bars[0].changes = [Change(offset: .zero, staff: 0, .key(Key(fifths: fifths, mode: .major)))]
    var chord = Chord(onset: .zero, length: Fraction(4))
    chord.notes = [Note(.pitch(pitch(1, 0, 4)))]
    score.parts[0].bars[0].voices = [Voice(number: 1, chords: [chord])]
    score.parts[0].bars[0].symbols = [
      ChordSymbol(
        offset: .zero, root: .init(step: 1, alteration: 0)!, kind: .minor, bass: .init(step: 3, alteration: 0)!)
    ]
    score.assignIdentifiers()
    return score
  }

  @Test func keysSymbolsAndNotesMoveTogether() throws {
    let before = try score(in: 0)
    let after = try before.transposed(by: Interval(steps: 1, semitones: 2)!)
    let bar = after.parts[0].bars[0]
    #expect(bar.changes.first?.content == .key(Key(fifths: 2, mode: .major)) && bar.symbols.first?.text == "Em/G")
    #expect(bar.voices[0].chords[0].notes[0].sound == .pitch(pitch(2, 0, 4)))
    #expect(bar.voices[0].chords[0].notes[0].id == before.parts[0].bars[0].voices[0].chords[0].notes[0].id)
  }

  /// B major up an augmented prime would have 12 sharps: C major results, with its letters.
  @Test func keysStayOnThePage() throws {
    let after = try score(in: 5).transposed(by: Interval(steps: 0, semitones: 1)!)
    let bar = after.parts[0].bars[0]
    #expect(bar.changes.first?.content == .key(Key(fifths: 0, mode: .major)))
    #expect(bar.voices[0].chords[0].notes[0].sound == .pitch(pitch(2, -1, 4)))
  }

  /// Up and down again is the same score, and every key moves by the semitones.
  @Test(arguments: 1...50) func isReversible(seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    let interval = try #require(Interval(semitones: Int.random(in: -12...12, using: &random)))
    var score = try score(in: 0)
    score.parts[0].bars[0].voices[0].chords[0].notes = (0..<8).map { _ in
      Note(
        .pitch(
          pitch(
            Int.random(in: 0...6, using: &random), Int.random(in: -1...1, using: &random),
            Int.random(in: 3...6, using: &random))))
    }
    let moved = try score.transposed(by: interval)
    func keys(_ score: Score) -> [Int] {
      score.parts[0].bars[0].voices[0].chords[0].notes.map {
        if case .pitch(let pitch) = $0.sound { pitch.key } else { 0 }
      }
    }
    #expect(keys(moved) == keys(score).map { $0 + Int(interval.semitones) })
    #expect(keys(try moved.transposed(by: interval.reversed)) == keys(score))
  }

  @Test func transposingPartsAtSoundingPitch() throws {
    var score = try score(in: 2)
    score.parts[0].bars[0].changes.append(
      Change(offset: .zero, staff: 0, .transposition(Interval(steps: -1, semitones: -2)!)))
    let sounding = try score.atSoundingPitch()
    #expect(sounding.parts[0].bars[0].changes.map(\.content) == [.key(Key(fifths: 0, mode: .major))])
    #expect(sounding.parts[0].bars[0].voices[0].chords[0].notes[0].sound == .pitch(pitch(0, 0, 4)))
  }
}

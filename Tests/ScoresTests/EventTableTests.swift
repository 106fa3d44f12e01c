import Scores
import Testing
import _TestSupport

@Suite struct EventTableTests {
  /// A score of one part with one bar for each list of chords.
  private func score(_ contents: [[Chord]], _ change: (inout Score) -> Void = { _ in }) throws -> Score {
    var score = bars(Array(repeating: "a", count: contents.count).joined(separator: " "))
    for (index, chords) in contents.enumerated() {
      score.parts[0].bars[index].voices = [Voice(number: 1, chords: chords)]
    }
    change(&score)
    score.assignIdentifiers()
    try score.validate()
    return score
  }

  private func chord(
    _ onset: Int64, _ length: Int64, per denominator: Int64 = 1, _ keys: [Int], _ signs: Chord.Signs = []
  ) -> Chord {
    var chord = Chord(onset: Fraction(onset, denominator)!, length: Fraction(length, denominator)!)
    chord.signs = signs
    chord.notes = keys.map { key in
      let (step, sharp) = [
        (0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (3, 0), (3, 1), (4, 0), (4, 1), (5, 0), (5, 1), (6, 0),
      ][key % 12]
      return Note(.pitch(Pitch(step: step, alteration: 100 * sharp, octave: key / 12 - 1)!))
    }
    return chord
  }

  private func notes(_ score: Score) throws -> [String] {
    let table = EventTable(score, along: try Route(score))
    #expect(MemoryLayout<ScoreEvent>.stride == 20)
    #expect(table.events.allSatisfy { $0.end.thousandths == $0.position.thousandths + Int64($0.length) })
    return table.events.map { "\($0.position.thousandths)+\($0.length) \($0.key)@\($0.velocity)" }
  }

  @Test func notesBeginAndEnd() throws {
    let score = try score([[chord(0, 1, [60]), chord(1, 1, [60], .staccato), chord(2, 2, [64, 67], .tenuto)]])
    #expect(
      try notes(score) == [
        "0+22500 60@80", "24000+12000 60@80", "48000+48000 64@80", "48000+48000 67@80",
      ])
  }

  /// A quintuplet is at most half a thousandth of a tick from its place.
  @Test func tupletsAreExact() throws {
    let score = try score([(0..<5).map { chord($0, 1, per: 5, [60 + Int($0)]) }])
    let table = EventTable(score, along: try Route(score))
    #expect(table.events.map(\.position.thousandths) == [0, 4800, 9600, 14400, 19200])
    #expect(table.events.map(\.tick) == [0, 4, 9, 14, 19])
  }

  @Test func tiesAreOneNote() throws {
    var first = chord(2, 2, [60])
    first.notes[0].startsTie = true
    var second = chord(0, 4, [60])
    (second.notes[0].continuesTie, second.notes[0].startsTie) = (true, true)
    var third = chord(0, 1, [60])
    third.notes[0].continuesTie = true
    #expect(try notes(try score([[first], [second], [third]])) == ["48000+166500 60@80"])
    // A tie without its first note is a note.
    #expect(try notes(try score([[third]])) == ["0+22500 60@80"])
  }

  /// A tie at the end of a repeated section goes on into the first and the second ending.
  @Test func tiesFollowTheRoute() throws {
    var held = chord(0, 4, [60])
    held.notes[0].startsTie = true
    var end = chord(0, 1, [60])
    end.notes[0].continuesTie = true
    let score = try score([[held], [end], [end]]) { score in
      score.bars[1].ending = [1]
      score.bars[1].repeatEnd = .init()
      score.bars[2].ending = [2]
    }
    #expect(try notes(score) == ["0+118500 60@80", "192000+118500 60@80"])
  }

  @Test func dynamicsBecomeVelocity() throws {
    var loud = chord(2, 1, [60])
    loud.dynamic = .sfz
    let score = try score([
      [chord(0, 1, [60]), chord(1, 1, [60], .accent), loud, chord(3, 1, [60])], [chord(0, 1, [60]), chord(2, 1, [60])],
      [chord(0, 1, [60])],
    ]) { score in
      score.parts[0].bars[0].marks = [Mark(offset: .zero, .dynamic(.p))]
      score.parts[0].bars[1].marks = [
        Mark(offset: .zero, .hairpin(isCrescendo: true, number: 1)), Mark(offset: Fraction(4), .hairpinEnd(number: 1)),
      ]
      score.parts[0].bars[2].marks = [Mark(offset: .zero, .dynamic(.f))]
    }
    let velocities = EventTable(score, along: try Route(score)).events.map(\.velocity)
    // The hairpin is half way between 49 and 96 in the middle of its bar.
    #expect(velocities == [49, 65, 112, 49, 49, 72, 96])
  }

  @Test func graceNotesTakeTimeFromTheMainNote() throws {
    var quick = chord(0, 0, [59])
    quick.grace = Chord.Grace(hasSlash: true)
    var slow = chord(2, 0, [62])
    slow.grace = Chord.Grace(hasSlash: false)
    let score = try score([[quick, chord(0, 2, [60], .tenuto), slow, chord(2, 2, [64], .tenuto)]])
    #expect(
      try notes(score) == [
        "0+3000 59@72", "3000+45000 60@80", "48000+24000 62@72", "72000+24000 64@80",
      ])
  }

  @Test func afterGraceTakesTimeFromTheNoteBefore() throws {
    var grace = chord(4, 0, [62])
    grace.grace = Chord.Grace(hasSlash: true)
    let score = try score([[chord(0, 4, [60], .tenuto), grace]])
    #expect(try notes(score) == ["0+93000 60@80", "93000+3000 62@72"])
  }

  @Test func transposingInstrumentsSoundElsewhere() throws {
    let score = try score([[chord(0, 4, [62], .tenuto)]]) { score in
      score.parts[0].bars[0].changes = [
        Change(offset: .zero, staff: 0, .transposition(Interval(steps: -1, semitones: -2)!))
      ]
    }
    #expect(try notes(score) == ["0+96000 60@80"])
  }

  @Test func cuesAndRestsAreSilent() throws {
    var cue = chord(0, 2, [60])
    cue.isCue = true
    #expect(try notes(try score([[cue, chord(2, 2, [])]])).isEmpty)
  }

  /// Two voices strike one key: it sounds once. A key that is struck while it sounds begins again.
  @Test func keysOfOnePartDoNotOverlap() throws {
    let score = try score([[chord(0, 4, [60], .tenuto)]]) { score in
      score.parts[0].bars[0].voices.append(
        Voice(number: 2, chords: [chord(0, 2, [60], .tenuto), chord(2, 2, [60], .tenuto)]))
    }
    #expect(try notes(score) == ["0+48000 60@80", "48000+48000 60@80"])
  }

  /// The index of a bar is that of its first event.
  @Test func barsHaveTheirFirstEvent() throws {
    let score = try score([[chord(0, 4, [60])], [chord(1, 1, [60])], []])
    let table = EventTable(score, along: try Route(score))
    #expect(table.barIndex == [0, 1, 2, 2])
  }

  @Test func strokesHaveTheKeysOfTheirInstruments() throws {
    let score = try score([[]]) { score in
      score.parts[0].isPercussion = true
      score.parts[0].instruments = [.init(name: "Kick", key: 36), .init(name: "Hat", key: 42)]
      var chord = Chord(onset: .zero, length: Fraction(1))
      chord.notes = [
        Note(.stroke(place: Pitch(step: 3, octave: 4)!, instrument: 0)),
        Note(.stroke(place: Pitch(step: 4, octave: 5)!, instrument: 1)),
      ]
      score.parts[0].bars[0].voices = [Voice(number: 1, chords: [chord])]
    }
    #expect(try notes(score) == ["0+22500 36@80", "0+22500 42@80"])
  }
}

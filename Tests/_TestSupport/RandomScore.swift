public import Scores
import Simulation

/// A random score with everything that the model has.
public struct RandomScore {
  private var random: SplitMix
  public private(set) var score = Score()

  /// - Parameter bars: the numbers of bars from which one is drawn.
  public init(seed: UInt64, bars: ClosedRange<Int> = 1...12) {
    random = SplitMix(seed: seed)
    make(bars)
  }

  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
  private mutating func pick<Element>(_ list: [Element]) -> Element {
    list[Int.random(in: 0..<list.count, using: &random)]
  }
  private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  private mutating func make(_ bars: ClosedRange<Int>) {
    (score.title, score.movement, score.rights) = (
      "Title \(number(1...99))", chance(30) ? "II & <III>" : "", chance(30) ? "© \"us\"" : ""
    )
    if chance(50) { score.creators = [.init(role: "composer", name: "Ada Ö.")] }
    let metres = [
      Metre.common, Metre([.init(beats: [7], unit: 8)])!, Metre([.init(beats: [3, 2], unit: 8)])!,
      Metre([.init(beats: [3], unit: 4)], symbol: .numbers)!,
    ]
    var metre = pick(metres)
    let count = number(bars)
    for index in 0..<count {
      var bar = Bar(number: "\(index + 1)", length: .zero)
      if index == 0 || chance(20) {
        metre = pick(metres)
        bar.metre = metre
      }
      bar.length = metre.length
      bar.isImplicit = chance(5)
      bar.beginsRepeat = chance(10)
      if chance(10) { bar.repeatEnd = .init(times: UInt8(number(2...4)), isTakenAfterJump: chance(30)) }
      if chance(10) { bar.ending = [1, 3] }
      if chance(10) { bar.endingEnd = pick(Bar.EndingEnd.allCases) }
      if chance(8) { bar.segno = pick(["segno", "2"]) }
      if chance(8) { bar.coda = "coda" }
      if chance(8) { bar.jump = chance(50) ? .daCapo : .dalSegno("segno") }
      if chance(8) { bar.toCoda = "coda" }
      bar.isFine = chance(5)
      if chance(20) { bar.line = pick(Bar.Line.allCases) }
      score.bars.append(bar)
    }
    // Two signs without To Coda would be read as To Coda and Coda.
    if !score.bars.contains(where: { $0.toCoda != nil }) {
      for index in score.bars.indices { score.bars[index].coda = nil }
    }
    for _ in 0..<number(1...3) { score.parts.append(part()) }
    for bar in score.bars.indices where chance(20) {
      let contents: [(TempoMark.Content, String)] = [
        (.tempo(number(30...200) * 500), "Lively"), (.tempo(60_125), ""), (.ritardando, "rit."),
        (.accelerando, "accel."), (.aTempo, "a tempo"),
        (.tempoPrimo, "Tempo I"),
      ]
      let (content, text) = pick(contents)
      var mark = TempoMark(bar: bar, offset: chance(50) ? .zero : Fraction(1), content, text: text)
      if case .tempo = content, chance(50) { mark.beat = NoteValue(halvings: 2, dots: number(0...1)) }
      score.tempoMarks.append(mark)
    }
    score.assignIdentifiers()
  }

  private mutating func part() -> Part {
    var part = Part(
      name: "Part \(number(1...9))", abbreviation: chance(50) ? "P." : "",
      instruments: [.init(name: "Flute", program: UInt8(number(0...127)))])
    part.staves = UInt8(number(1...2))
    part.level = UInt8(number(0...127))
    part.isPercussion = chance(20)
    if part.isPercussion { part.instruments = [.init(name: "Kick", key: 36), .init(name: "Snare", key: 38)] }
    for bar in score.bars { part.bars.append(content(bar, part, isFirst: part.bars.isEmpty)) }
    return part
  }

  private mutating func content(_ bar: Bar, _ part: Part, isFirst: Bool) -> PartBar {
    var content = PartBar()
    if isFirst || chance(10) {
      content.changes = [
        Change(offset: .zero, staff: 0, .key(Key(fifths: Int8(number(-7...7)), mode: pick(Key.Mode.allCases)))),
        Change(offset: .zero, staff: 1, .clef(Clef(.g, line: 2, octaves: Int8(number(-1...1))))),
      ]
      if chance(30) {
        content.changes.append(Change(offset: .zero, staff: 0, .transposition(Interval(steps: -1, semitones: -2)!)))
      }
    }
    if chance(10) { content.changes.append(Change(offset: Fraction(1), staff: 1, .clef(Clef(.f, line: 4)))) }
    if chance(30) { content.marks.append(Mark(offset: .zero, .dynamic(pick(Dynamic.allCases)))) }
    if chance(15) { content.marks.append(Mark(offset: Fraction(1, 2)!, .words("dolce"))) }
    if chance(15) {
      content.marks += [
        Mark(offset: Fraction(1), staff: part.staves, .hairpin(isCrescendo: chance(50), number: 1)),
        Mark(offset: Fraction(2), .hairpinEnd(number: 1)),
      ]
    }
    if chance(10) {
      content.marks += [
        Mark(offset: Fraction(2), .pedal(isDown: true)), Mark(offset: Fraction(2), .octaveLine(octaves: -1)),
        Mark(offset: Fraction(2), .rehearsal("B")),
      ]
    }
    if chance(20) {
      content.symbols = [
        ChordSymbol(
          offset: .zero, root: .init(step: number(0...6), alteration: number(-1...1))!,
          kind: pick(ChordSymbol.Kind.allCases),
          bass: chance(30) ? .init(step: 2, alteration: 0) : nil,
          degrees: chance(30) ? [.init(number: 9, alteration: -1, effect: .add)] : [])
      ]
    }
    for voiceNumber in 1...number(1...2) {
      let voice = voice(UInt8(voiceNumber), bar, part)
      if !voice.chords.isEmpty { content.voices.append(voice) }
    }
    return content
  }

  private mutating func voice(_ number: UInt8, _ bar: Bar, _ part: Part) -> Voice {
    var voice = Voice(number: number)
    var onset = Fraction.zero
    let lengths = [Fraction(1), Fraction(1, 2)!, Fraction(3, 2)!, Fraction(1, 3)!, Fraction(2, 5)!, Fraction(1, 4)!]
    while true {
      let length = pick(lengths)
      guard let end = try? onset + length, end <= bar.length else { break }
      if chance(10) {
        onset = end
        continue
      }
      var chord = Chord(onset: onset, length: length)
      chord.value = NoteValue(length: length) ?? (chance(50) ? NoteValue(halvings: 3) : nil)
      if length.denominator == 3 { chord.ratio = TimeModification(actual: 3, normal: 2) }
      decorate(&chord, part)
      if chance(10) {
        var grace = Chord(onset: onset, length: .zero)
        grace.grace = Chord.Grace(hasSlash: chance(50))
        grace.notes = [note(part)]
        voice.chords.append(grace)
      }
      voice.chords.append(chord)
      onset = end
    }
    return voice
  }

  private mutating func note(_ part: Part) -> Note {
    let pitch = Pitch(step: number(0...6), alteration: 50 * number(-4...4), octave: number(1...8))!
    var note = Note(
      part.isPercussion ? .stroke(place: Pitch(step: 1, octave: 5)!, instrument: UInt8(number(0...1))) : .pitch(pitch))
    (note.startsTie, note.continuesTie) = (chance(10), chance(10))
    if chance(20) { note.accidental = pick(Note.Accidental.allCases) }
    if chance(10) { note.head = pick(Note.Head.allCases) }
    return note
  }

  private mutating func decorate(_ chord: inout Chord, _ part: Part) {
    chord.staff = UInt8(number(1...Int(part.staves)))
    chord.isVisible = !chance(5)
    if chance(50) { chord.stem = pick(Chord.Stem.allCases) }
    if chance(20) { return }
    for _ in 0..<number(1...3) { chord.notes.append(note(part)) }
    chord.isCue = chance(5)
    if chance(30) {
      chord.signs = Chord.Signs(rawValue: UInt64.random(in: 0..<1 << UInt64(Chord.Signs.names.count), using: &random))
    }
    if chance(10) { chord.dynamic = pick(Dynamic.allCases) }
    if chance(10) { chord.tremolo = UInt8(number(1...4)) }
    if chance(10) { chord.slurs = [SpanMark(number: 2, isStart: false), SpanMark(number: 1, isStart: true)] }
    if chance(10) { chord.tuplets = [SpanMark(number: 1, isStart: true)] }
    if chance(20) { chord.beams = [.begin, pick(Beam.allCases)] }
    if chance(20) {
      chord.lyrics = [
        Lyric(
          verse: UInt8(number(1...3)), position: pick(Lyric.Position.allCases), text: "lü & <la>",
          isExtended: chance(30))
      ]
    }
  }
}

import Scores
import Testing
import _TestSupport

@Suite struct ScoreOctetsTests {
  @Test(arguments: 1...100) func scoresSurvive(seed: Int) throws {
    let score = RandomScore(seed: UInt64(seed)).score
    try score.validate()
    let octets = score.octets
    let read = try Score(octets: octets)
    #expect(read == score && read.octets == octets)
  }

  @Test func aPlainNoteTakesFewOctets() throws {
    var score = bars(Array(repeating: "a", count: 100).joined(separator: " "))
    for bar in score.parts[0].bars.indices {
      score.parts[0].bars[bar].voices = [
        Voice(
          number: 1,
          chords: (0..<8).map { index in
            var chord = Chord(onset: Fraction(Int64(index), 2)!, length: Fraction(1, 2)!)
            chord.value = NoteValue(halvings: 3)
            chord.notes = [Note(.pitch(Pitch(step: index % 7, octave: 4)!))]
            return chord
          })
      ]
    }
    score.assignIdentifiers()
    #expect(try Score(octets: score.octets) == score)
    #expect(score.octets.count < 800 * 8 + 100 * 24)
  }

  /// Damaged octets are refused or give a valid score whose octets are the same ones.
  @Test(arguments: 1...50) func damageIsRefused(seed: Int) throws {
    let original = RandomScore(seed: UInt64(seed)).score.octets
    var mutator = SplitMix(seed: UInt64(seed))
    for _ in 0..<100 {
      var octets = original
      for _ in 0...Int.random(in: 0..<3, using: &mutator) {
        let place = Int.random(in: 0..<octets.count, using: &mutator)
        switch Int.random(in: 0..<4, using: &mutator) {
        case 0: octets[place] = UInt8.random(in: .min ... .max, using: &mutator)
        case 1: octets[place] ^= 1 << UInt8.random(in: 0..<8, using: &mutator)
        case 2: octets.removeSubrange(place...)
        default: octets.insert(contentsOf: [0xFF, 0xFF, 0xFF, 0xFF, 0x0F], at: place)
        }
        if octets.isEmpty { octets = [0] }
      }
      do throws(ScoreFault) {
        let score = try Score(octets: octets)
        #expect(score.octets == octets)
        let route = try Route(score)
        _ = EventTable(score, along: route)
        _ = TempoPath(score, along: route)
      } catch {
        #expect(!error.reason.isEmpty)
      }
    }
  }

  /// The error names the instrument by its number from 1, which does not fit into an octet here.
  @Test func missingInstrumentIsRefused() throws {
    var score = Score()
    var bar = Bar(number: "1", length: Fraction(4))
    bar.metre = .common
    score.bars = [bar]
    var chord = Chord(onset: .zero, length: Fraction(4))
    let place = try #require(Pitch(step: 0, octave: 4))
    chord.notes = [Note(.stroke(place: place, instrument: .max))]
    var part = Part(name: "Drums", instruments: [Part.Instrument(name: "Snare", key: 38)])
    part.bars = [PartBar()]
    part.bars[0].voices = [Voice(number: 1, chords: [chord])]
    score.parts = [part]
    score.assignIdentifiers()
    let octets = score.octets
    let error = #expect(throws: ScoreFault.self) { try Score(octets: octets) }
    #expect(error.map { "\($0)".contains("instrument 256") } == true)
  }

  @Test func countsAreBoundedByTheOctets() {
    // A header, and a list of 10 000 bars that are not there.
    var octets: [UInt8] = [0xD4, 0xA6, 0x01, 1, 0, 0, 0, 0]
    octets += [0x90, 0x4E]
    #expect(throws: ScoreFault.self) { try Score(octets: octets) }
    #expect(throws: ScoreFault.self) { try Score(octets: []) }
  }
}

import Audio
import Scores
import Testing

@testable import Engine

/// Tests of the notes that are made from the events of a score.
@Suite struct ScoreNoteTests {
  /// The notes of an event with the velocity 100 in the first part of a score.
  private func note(parts: Int, level: UInt8 = 100, isPercussion: Bool = false, velocity: UInt8 = 100) throws
    -> ScoreNote
  {
    var score = Score()
    for _ in 0..<parts {
      var part = Part(name: "A", instruments: [.init(name: "a", program: 40), .init(name: "b", program: 71)])
      (part.level, part.isPercussion) = (level, isPercussion)
      score.parts.append(part)
    }
    let event = ScoreEvent(
      from: ScorePosition(thousandths: 24_250), to: ScorePosition(thousandths: 30_000), part: 0, key: 60,
      velocity: velocity, instrument: 1, note: 5)
    return try #require(ScoreNote.notes(of: [event], in: score).first)
  }

  @Test func noteHasThePlaceAndTheSoundOfItsEvent() throws {
    let note = try note(parts: 1)
    #expect(note.tick == 24 && note.thousandths == 250 && note.position == 24_250 && note.length == 5_750)
    #expect(note.key == 60 && note.velocity == 100 && note.program == 71)
    #expect(try self.note(parts: 1, isPercussion: true).program == SoundEvent.drumKit)
    #expect(MemoryLayout<ScoreNote>.stride == 16)
  }

  /// With 16 parts, each part has a sixteenth of the power: half of the velocity. The level 100 changes nothing.
  @Test func velocityContainsTheLevelAndTheNumberOfParts() throws {
    #expect(try note(parts: 16).velocity == 50)
    #expect(try note(parts: 1, level: 50).velocity == 50)
    #expect(try note(parts: 1, level: 127, velocity: 120).velocity == 127)
    #expect(try note(parts: 64, level: 0).velocity == 1)
  }

  @Test func levelsScaleAndMute() throws {
    let note = try note(parts: 1)
    var levels = ScoreLevels()
    #expect(levels.velocity(of: note) == 100)
    (levels[0], levels[1]) = (50, 0)
    #expect(levels.velocity(of: note) == 50)
    levels[0] = 127
    #expect(levels.velocity(of: note) == 127)
    levels[0] = 1
    #expect(levels.velocity(of: note) == 1)
    levels[0] = 0
    #expect(levels.velocity(of: note) == 0)
  }
}

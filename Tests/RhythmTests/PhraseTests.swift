import MIDI
import MusicalTime
import Rhythm
import Testing

/// Phrases: their limits, recording and variations.
@Suite struct PhraseTests {
  private func note(_ step: UInt8, _ key: UInt8, velocity: UInt8 = 99, length: UInt8 = 1) -> Phrase.Note {
    Phrase.Note(step: step, key: key, velocity: velocity, length: length)
  }

  /// A phrase has 1 to 128 steps and 1 to 26 notes. A note begins within the phrase, lasts 1 to 32 steps, and has a key and a velocity of
  /// at most 127. No key begins twice at a step.
  @Test func impossiblePhraseIsRefused() {
    #expect(Phrase(stepCount: 16, notes: [note(15, 127, length: 32)]) != nil)
    for (stepCount, notes) in [
      (0, [note(0, 60)]), (129, [note(0, 60)]), (16, []), (16, [note(16, 60)]), (16, [note(0, 128)]),
      (16, [note(0, 60, length: 0)]), (16, [note(0, 60, length: 33)]), (16, [note(0, 60, velocity: 128)]),
      (16, [note(0, 60), note(0, 60)]), (128, (0..<27).map { note($0, 60) }),
    ] {
      #expect(Phrase(stepCount: stepCount, notes: notes) == nil, "\(stepCount) \(notes.count)")
    }
  }

  private func on(_ key: UInt7) -> Message { .noteOn(Channel(3)!, key: key, velocity: 99) }
  private func off(_ key: UInt7) -> Message { .noteOff(Channel(3)!, key: key, velocity: 64) }

  /// The phrase has two bars of 4/4, from step 32 (tick 192) on. A step has six ticks, so notes move by at most three ticks.
  @Test func notesMoveToTheNearestStep() throws {
    var recorder = try #require(PhraseRecorder(from: Step(32), stepCount: 32))
    #expect(recorder.end == Tick(384))
    for (message, tick) in [
      (on(50), 180), (off(50), 183),  // before the phrase
      (on(60), 189), (off(60), 200),  // three ticks early: from step 0 to step 1
      (on(62), 200), (off(62), 201),  // at step 1; a note is at least one step long
      (on(64), 205), (on(65), 206), (off(64), 220), (on(64), 221),  // both keys at step 2; key 64 again at step 5
      (on(67), 382),  // belongs to the beginning of the next repetition
      (on(69), 384), (on(71), 390),  // after the phrase
    ] as [(Message, Int64)] { recorder.record(message, at: Tick(tick)) }
    let phrase = recorder.phrase()
    // The keys 64 and 65 are still held at the end, so they end with the phrase, after step 31. Key 67 gets the minimum of one step.
    let expected = [
      note(0, 60), note(0, 67), note(1, 62), note(2, 64, length: 3), note(2, 65, length: 30), note(5, 64, length: 27),
    ]
    #expect(phrase?.stepCount == 32 && phrase?.notes == expected)
  }

  /// Of 30 notes, a phrase has room for 26.
  @Test func recorderOmitsNotesThatDoNotFit() throws {
    var recorder = try #require(PhraseRecorder(from: Step(0), stepCount: 64))
    for step in 0..<30 as Range<Int64> {
      recorder.record(on(60), at: Tick(step * 6))
      recorder.record(off(60), at: Tick(step * 6 + 3))
    }
    let count = recorder.phrase()?.notes.count
    #expect(count == 26 && recorder.omitted == 4)
    var empty = try #require(PhraseRecorder(from: Step(0), stepCount: 16))
    let nothing = empty.phrase()
    #expect(nothing == nil)
    #expect(PhraseRecorder(from: Step(0), stepCount: 129) == nil)
  }

  private let scale: [UInt8] = [60, 62, 64, 65, 67, 69, 71, 72]

  /// A phrase of eight notes, one of each key of the scale.
  private func phrase() throws -> Phrase {
    try #require(Phrase(stepCount: 32, notes: (0..<8).map { note($0 * 4, scale[Int($0)], length: 2) }))
  }

  /// Each variation is in the scale, has the length of the phrase, and is the same each time. Of 40 variations, some are reversed
  /// and some are not, and more than 30 are different.
  @Test func variationsAreInTheScale() throws {
    let phrase = try phrase()
    let variations = (1...40).map { phrase.varied(seed: $0, scale: scale) }
    #expect(variations == (1...40).map { phrase.varied(seed: $0, scale: scale) })
    for varied in variations {
      #expect(varied.stepCount == 32 && varied != phrase && !varied.notes.isEmpty)
      #expect(varied.notes.allSatisfy { scale.contains($0.key) && $0.velocity == 99 && $0.length == 2 })
    }
    #expect(Set(variations).count > 30)
    // Each note begins at a multiple of 4 and lasts two steps. Reversed, it begins two steps before a multiple of 4.
    let isReversed = variations.map { $0.notes.allSatisfy { $0.step % 4 == 2 } }
    #expect(isReversed.contains(true) && isReversed.contains(false))
    let count = variations.map(\.notes.count).reduce(0, +)
    // The 40 variations keep about three quarters of 40 * 8 notes, which are 240.
    #expect((200...280).contains(count), "\(count)")
  }

  /// Without an instrument, the scale is empty. The notes of the phrase in all octaves then serve as the scale.
  @Test func variationWithoutAScaleHasTheNotesOfThePhrase() throws {
    let phrase = try #require(Phrase(stepCount: 16, notes: [note(0, 60), note(4, 64), note(8, 67)]))
    for seed in 1...20 as ClosedRange<UInt32> {
      let keys = phrase.varied(seed: seed, scale: []).notes.map { $0.key % 12 }
      #expect(!keys.isEmpty && keys.allSatisfy { [0, 4, 7].contains($0) })
    }
    // The only note always remains. It cannot move above key 127, so it moves down.
    let high = try #require(Phrase(stepCount: 16, notes: [note(0, 127)]))
    #expect((1...20).allSatisfy { high.varied(seed: $0, scale: []).notes.count == 1 })
  }
}

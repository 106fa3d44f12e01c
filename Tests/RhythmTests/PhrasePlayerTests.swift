import MusicalTime
import Rhythm
import Testing

/// A phrase that is repeated in time with the rhythm.
@Suite struct PhrasePlayerTests {
  /// A phrase of eight steps: key 60 at step 0 for two steps, and `key` at step 6 for four steps. The second note therefore extends two
  /// steps into the next repetition.
  private func table(second key: UInt8 = 64) throws -> PhraseTable {
    let first = Phrase.Note(step: 0, key: 60, velocity: 99, length: 2)
    let second = Phrase.Note(step: 6, key: key, velocity: 99, length: 4)
    return PhraseTable(try #require(Phrase(stepCount: 8, notes: [first, second])))
  }

  private func position(_ step: Int64) -> MusicalPosition { MusicalPosition(Tick(step * 6)) }

  /// The events before the step `end`. Each is an array of its key and its step. The end of a note has a negative key.
  private func events(_ player: inout PhrasePlayer, before end: Int64) -> [[Int64]] {
    var events: [[Int64]] = []
    while let event = player.next(before: position(end)) {
      let step = event.position.milliticks / 6000
      switch event.kind {
      case .noteOn(let key, _): events.append([Int64(key), step])
      case .noteOff(let key): events.append([-Int64(key), step])
      case .program, .brightness: Issue.record("\(event)")
      }
    }
    return events
  }

  @Test func phraseIsRepeatedFromTheFirstDownbeat() throws {
    var player = PhrasePlayer(try table(), at: position(0))
    let expected: [[Int64]] = [
      [60, 0], [-60, 2], [64, 6], [60, 8], [-64, 10], [-60, 10], [64, 14], [60, 16], [-64, 18], [-60, 18],
    ]
    // Two notes that end at the same step may end in any order.
    #expect(Set(events(&player, before: 20)) == Set(expected))
    // Taken step by step, the events are the same, and their steps are in order.
    var other = PhrasePlayer(try table(), at: position(0))
    var parts: [[Int64]] = []
    for step in 1...20 as ClosedRange<Int64> { parts += events(&other, before: step) }
    #expect(Set(parts) == Set(expected) && parts.map { $0[1] } == parts.map { $0[1] }.sorted())
  }

  /// A phrase player that begins late joins in the middle of the phrase, also before tick 0.
  @Test(arguments: [Int64(5), 805, -3]) func phraseIsJoinedInPhase(step: Int64) throws {
    var player = PhrasePlayer(try table(), at: position(step))
    // The next repetition begins at step 8, 808 or 0. Key 64 begins two steps earlier.
    let next = (step + 7) / 8 * 8
    let first = events(&player, before: step + 9).first { $0[0] > 0 }
    #expect(first == [64, next - 2])
  }

  /// A note that extends past the end of the phrase ends before the same key begins again.
  @Test func noKeySoundsTwice() throws {
    var player = PhrasePlayer(try table(second: 60), at: position(0))
    var isSounding = false
    for event in events(&player, before: 200) {
      #expect((event[0] > 0) != isSounding)
      isSounding = event[0] > 0
    }
  }

  @Test func stopEndsNotesAtOnce() throws {
    var player = PhrasePlayer(try table(), at: position(0))
    _ = events(&player, before: 7)
    player.stop()
    let (end, other) = (player.next(before: position(7)), player.next(before: position(100)))
    #expect(end?.kind == .noteOff(key: 64) && end?.isImmediate == true && other == nil)
    #expect(player.isSilent && player.nextPosition == nil)
    // The player joins another phrase at step 13 of the rhythm, which is step 5 of the phrase. Its first note is therefore the second
    // note of the phrase.
    player.change(to: try table(second: 72))
    player.move(to: position(13))
    #expect(events(&player, before: 15) == [[72, 14]])
  }

  @Test func nextPositionIsThatOfTheNextEvent() throws {
    var player = PhrasePlayer(try table(), at: position(0))
    for _ in 0..<100 {
      let next = try #require(player.nextPosition)
      let (early, event) = (player.next(before: next), player.next(before: next + 1))
      #expect(early == nil && event?.position == next)
    }
  }
}

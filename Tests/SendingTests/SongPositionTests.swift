import MIDI
import MusicalTime
import PeerProtocol
import Playback
import Testing

/// The Song Position for a receiver that joins late.
@Suite struct SongPositionTests {
  /// The Song Position of a step of a pattern of `length` steps that counts from `origin`.
  private func position(of step: Int64, length: Int64, origin: Tick = Tick(0)) -> Int {
    var schedule = PlaybackSchedule.silence
    schedule.rhythm = ChangingValue(RhythmLine(nil, from: origin))
    return Int(schedule.songPosition(of: Tick(of: Step(step)), patternLength: length).value)
  }

  /// The pattern has 48 steps, which do not divide 16384, the number of Song Positions. At 120 BPM (8 steps per second), step
  /// 16368 = 341 * 48 is due after 34 minutes: from there on, the position is the step modulo 16368.
  @Test func songPositionAfter34MinutesIsAtTheSameStepOfAPatternOf48Steps() {
    for (step, expected) in [(16_367, 16_367), (16_368, 0), (16_384, 16), (32_735, 16_367), (32_736, 0)] {
      #expect(position(of: Int64(step), length: 48) == expected, "step \(step)")
    }
  }

  /// `length` is the number of steps of the pattern. The stride 7 selects a sample of the steps. The rhythm counts from step 0 or step 28.
  @Test(arguments: [Int64(1), 12, 16, 20, 24, 48, 96, 100, 1000], [Int64(0), 28])
  func songPositionIsAtTheSameStepOfThePattern(length: Int64, first: Int64) {
    let wrong = stride(from: Int64(0), through: 200_000, by: 7).first { step in
      let position = position(of: step, length: length, origin: Tick(of: Step(first)))
      return (Int64(position) - (step - first)) % length != 0 || position >= 16_384
    }
    #expect(wrong == nil)
  }
}

import MIDI
import MusicalTime
import Playback
import Testing

/// The Song Position for a receiver that joins late.
@Suite struct BarsTests {
  /// The pattern has 48 steps, which do not divide 16384, the number of Song Positions. At 120 BPM (8 steps per second), step
  /// 16368 = 341 * 48 is due after 34 minutes: from there on, the position is the step modulo 16368.
  @Test func songPositionAfter34MinutesIsAtTheSameStepOfAPatternOf48Steps() {
    let bars = Bars(stepsPerBar: 16, stepsPerPattern: 48)
    for (step, position) in [(16_367, 16_367), (16_368, 0), (16_384, 16), (32_735, 16_367), (32_736, 0)] {
      #expect(bars.songPosition(of: Step(Int64(step))) == UInt14(clamping: position), "step \(step)")
    }
  }

  /// `length` is the number of steps of the pattern. The stride 7 selects a sample of the steps.
  @Test(arguments: [Int64(1), 12, 16, 20, 24, 48, 96, 100, 1000]) func songPositionIsAtTheSameStepOfThePattern(
    length: Int64
  ) {
    let bars = Bars(stepsPerBar: 4, stepsPerPattern: length)
    let wrong = stride(from: Int64(0), through: 200_000, by: 7).first { step in
      let position = Int64(bars.songPosition(of: Step(step)).value)
      return position % length != step % length || position >= 16_384
    }
    #expect(wrong == nil)
  }
}

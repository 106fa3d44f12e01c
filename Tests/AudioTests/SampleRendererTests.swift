import Testing
import _TestSupport

@testable import Audio

/// Tests of the samples for the web page (``SampleRenderer``).
@Suite struct SampleRendererTests {
  /// A level of 13 bits is a multiple of 8 in 16 bits. The loudest level has the magnitude 32 760, the greatest
  /// multiple of 8 up to 32 767.
  @Test(arguments: [.drum(38), .tone(program: 12, key: 60)] as [SampleRenderer.Sound])
  func levelsHaveThirteenBitsAndFullScale(sound: SampleRenderer.Sound) throws {
    let sample = try #require(try SampleRenderer(.timGM6mb).render(sound, milliseconds: 500))
    #expect(sample.levels.allSatisfy { $0 % 8 == 0 })
    #expect(sample.levels.map { abs(Int($0)) }.max() == 32_760)
  }

  /// The flute plays A4, 440 Hz. A wrong rate would give another pitch.
  @Test func toneHasItsPitchAtHalfTheRateOfADrum() throws {
    let renderer = try SampleRenderer(.timGM6mb)
    let tone = try #require(renderer.render(.tone(program: 73, key: 69), milliseconds: 1000))
    #expect(tone.rate == 24_000 && tone.levels.count <= 24_000)
    // The period of 440 Hz has 24 000 / 440 = 54.5 frames. It is found as the lag, from 35 to 75 frames, at which the middle of the sound
    // is most similar to itself.
    let middle = tone.levels[6_000..<18_000].map(Double.init)
    func similarity(_ lag: Int) -> Double { zip(middle, middle.dropFirst(lag)).reduce(0) { $0 + $1.0 * $1.1 } }
    let period = try #require((35...75).max { similarity($0) < similarity($1) })
    #expect((54...55).contains(period), "\(period) frames")
    #expect(try #require(renderer.render(.drum(38), milliseconds: 1000)).rate == 48_000)
  }

  /// A sound that is longer than the limit fades out within its last 0.2 s.
  @Test func longSoundFadesOut() throws {
    let tone = try #require(try SampleRenderer(.timGM6mb).render(.tone(program: 73, key: 69), milliseconds: 1000))
    /// The greatest level in a range of milliseconds. A millisecond has 24 frames.
    func peak(_ milliseconds: Range<Int>) -> Int {
      tone.levels[
        min(milliseconds.lowerBound * 24, tone.levels.count)..<min(milliseconds.upperBound * 24, tone.levels.count)
      ]
      .map { abs(Int($0)) }.max() ?? 0
    }
    #expect(peak(700..<790) > 16_000 && peak(990..<1000) < 2_000)
  }
}

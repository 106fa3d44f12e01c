import Foundation
import Measurement
import Testing
import _TestSupport

/// Tests of ``OnsetDetector`` on drum-like sounds whose first frames are known. Onsets are frame numbers, at 48 kHz unless a test
/// states another rate.
@Suite struct OnsetDetectorTests {
  /// The onsets that the detector finds.
  private func onsets(_ drums: Drums) -> [Int] { OnsetDetector(rate: drums.rate).onsets(in: drums.rounded()) }

  @Test(arguments: [44_100, 48_000, 96_000]) func onsetAfterSilenceIsExactToTheFrame(rate: Int) {
    for (index, sound) in Drums.Sound.allCases.enumerated() {
      var drums = Drums(seconds: 0.3, rate: rate)
      let frame = rate / 10 + 17 * index
      drums.strike(sound, at: frame, level: index % 2 == 0 ? 0.01 : 0.9)
      #expect(onsets(drums) == [frame], "\(sound) at \(rate)")
    }
  }

  @Test func onsetAtTheFirstFrameIsDetected() {
    var drums = Drums(seconds: 0.2)
    drums.strike(.snare, at: 0)
    #expect(onsets(drums) == [0])
  }

  /// Two bars of a groove with accents and softer hits, up to 40 frames before or after their steps. The detector finds one onset per
  /// step that has hits. Onsets that overlap with the tail of another hit are located within one millisecond (48 frames).
  @Test(arguments: UInt64(1)...6) func onsetsOfAGrooveMatchItsHits(seed: UInt64) {
    var random = SplitMix(seed: seed)
    // Steps from 60 ms (250 BPM) to 167 ms (90 BPM).
    let step = Int(random.integer(in: 2_880...8_000))
    var drums = Drums(seconds: Double(32 * step) / 48_000 + 0.6)
    var expected: [Int] = []
    for index in 0..<32 {
      let frame = 4_800 + index * step + Int(random.integer(in: -40...40))
      var sounds: [(Drums.Sound, Float)] = []
      if index % 2 == 0 { sounds.append((.hat, index % 4 == 0 ? 0.4 : 0.2)) }
      if [0, 7, 10].contains(index % 16) { sounds.append((.kick, 0.8)) }
      if index % 8 == 4 { sounds.append((.snare, 0.5)) }
      if index % 16 >= 13 { sounds.append((.tom, 0.6)) }
      for (sound, level) in sounds { drums.strike(sound, at: frame, level: level) }
      if !sounds.isEmpty { expected.append(frame) }
    }
    let found = onsets(drums)
    // The index of the first onset that is missing, superfluous, or more than 48 frames from its hit.
    let first = (0..<max(found.count, expected.count)).first { index in
      index >= found.count || index >= expected.count || abs(found[index] - expected[index]) > 48
    }
    let (from, hits) = (found.dropFirst(first ?? 0).prefix(3), expected.dropFirst(first ?? 0).prefix(3))
    #expect(first == nil, "seed \(seed): frames from the first difference on: found \(from), expected \(hits)")
  }

  /// Three voices of one step begin within 480 frames (10 ms).
  @Test func voicesOfOneStepAreOneOnset() {
    var drums = Drums(seconds: 0.4)
    drums.strike(.kick, at: 5_000)
    drums.strike(.hat, at: 5_300)
    drums.strike(.snare, at: 5_480)
    #expect(onsets(drums) == [5_000])
  }

  @Test func softHitAfterALoudHitIsDetected() {
    // The soft hit has a tenth of the amplitude (-20 dB) and comes 125 ms later. The detector examines several frequency bands. In
    // one of them, the tail of the loud hit is already softer than the soft hit.
    for sound in [Drums.Sound.kick, .hat, .tom] {
      var drums = Drums(seconds: 0.5)
      drums.strike(sound, at: 4_800, level: 0.8)
      drums.strike(sound, at: 10_800, level: 0.08)
      let found = onsets(drums)
      #expect(found.count == 2 && found.first == 4_800, "\(sound): \(found)")
      if found.count == 2 { #expect(abs(found[1] - 10_800) <= 48, "\(sound)") }
    }
  }

  @Test func softClosingHatIsDetected() {
    // A loud steady noise ends at frame 14 400. From this frame on, a soft noise, like that of a closing hat, swells within 20 ms
    // (960 frames).
    var random = SplitMix(seed: 3)
    var samples = [Float](repeating: 0, count: 28_800)
    for frame in 4_800..<14_400 { samples[frame] = Float.random(in: -0.2...0.2, using: &random) }
    for frame in 14_400..<16_800 {
      let swell = min(1, Float(frame - 14_400) / 960)
      samples[frame] = Float.random(in: -0.02...0.02, using: &random) * (0.1 + swell * swell)
    }
    let found = OnsetDetector(rate: 48_000).onsets(in: samples)
    #expect(found.count == 2 && found.first == 4_800)
    #expect((14_400...15_360).contains(found.last ?? 0))
  }

  @Test func steadyNoiseAndBeatingPartialsHaveNoOnsetAfterTheirBeginning() {
    // White noise, a partial at 61 Hz, and two partials at 540 and 547 Hz, which beat at 7 Hz. All partials decay.
    var random = SplitMix(seed: 11)
    var samples = [Float](repeating: 0, count: 96_000)
    for frame in samples.indices {
      let time = Double(frame) / 48_000
      let partials = sin(2 * .pi * 540 * time) + 0.4 * sin(2 * .pi * 547 * time) + sin(2 * .pi * 61 * time)
      samples[frame] = Float(partials * 0.2 * exp(-time)) + Float.random(in: -0.1...0.1, using: &random)
    }
    #expect(OnsetDetector(rate: 48_000).onsets(in: samples) == [0])
  }

  /// After 81 hits, an open hi-hat rings for 2.5 s: noise, and partials between 14.0 and 14.1 kHz with twice the power of the noise in
  /// their band. The partials beat, so the power of the highest band rises again and again.
  @Test(arguments: UInt64(1)...5) func ringingTailHasNoOnsets(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let (hits, step) = (81, 5_760)
    var drums = Drums(seconds: Double(hits * step) / 48_000 + 2.6)
    for index in 0..<hits {
      drums.strike(index % 4 == 2 ? .snare : .hat, at: 4_800 + index * step, level: 0.4)
      if index % 4 == 0 { drums.strike(.kick, at: 4_800 + index * step, level: 0.5) }
    }
    let partials = (0..<12).map { _ in
      (Double.random(in: 14_000..<14_100, using: &random), Double.random(in: 0..<2 * .pi, using: &random))
    }
    for frame in 0..<120_000 {
      let time = Double(frame) / 48_000
      let value = partials.reduce(0) { $0 + 0.004 * sin(2 * .pi * $1.0 * time + $1.1) }
      let noise = Double.random(in: -0.0158...0.0158, using: &random)
      drums.add(Float(exp(-1.25 * time) * (value + noise)), at: 4_800 + (hits - 1) * step + frame)
    }
    let found = onsets(drums)
    #expect(found.count == hits, "\(found.dropFirst(hits))")
  }

  @Test func stallHasAnOnsetOnlyWhereTheSoundReturns() {
    var drums = Drums(seconds: 1.2)
    for index in 0..<8 { drums.strike(.tom, at: 2_400 + index * 6_000, level: 0.7) }
    var samples = drums.rounded()
    // Silence from 250 to 555 ms. The hits at 300 and 425 ms are lost, and the hit at 550 ms is heard from 555 ms on. The abrupt
    // start of the silence is not an onset.
    for frame in 12_000..<26_640 { samples[frame] = 0 }
    let found = OnsetDetector(rate: 48_000).onsets(in: samples)
    // In milliseconds: the first two hits, the end of the silence, and the last three hits.
    #expect(found.map { ($0 + 24) / 48 } == [50, 175, 555, 675, 800, 925], "\(found)")
  }

  @Test func silenceAndInvalidSamplesHaveNoOnsets() {
    let detector = OnsetDetector(rate: 48_000)
    #expect(detector.onsets(in: []) == [])
    #expect(detector.onsets(in: [Float](repeating: 0, count: 10)) == [])
    #expect(detector.onsets(in: [Float](repeating: 0, count: 48_000)) == [])
    var samples = [Float](repeating: .nan, count: 9_600)
    samples[500] = .infinity
    #expect(detector.onsets(in: samples) == [])
    // The largest samples and an invalid rate cause no trap.
    _ = detector.onsets(in: [Float](repeating: .greatestFiniteMagnitude, count: 4_800))
    _ = OnsetDetector(rate: -1).onsets(in: samples)
    // Noise of one unit of 16 bits, such as rounding causes.
    var random = SplitMix(seed: 5)
    let noise = (0..<48_000).map { _ in Float(random.integer(in: -1...1)) / 32_768 }
    #expect(detector.onsets(in: noise) == [])
  }
}

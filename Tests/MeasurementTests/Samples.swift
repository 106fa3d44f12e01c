import Foundation
import Measurement
import MusicalTime
import _TestSupport

/// The trace header of a peer named `name`. The peer "anna" is the master, and all others are followers.
func header(_ name: String, audio: TraceHeader.Audio? = nil) -> TraceHeader {
  TraceHeader(
    name: name, identity: "00c0ffee12345678", role: name == "anna" ? "master" : "follower", version: "0.1.0",
    kernel: "Linux 6.1.0", processor: "Any CPU", scheduler: "SCHED_FIFO 70 / SCHED_FIFO 65 / SCHED_FIFO 60",
    memoryLocked: true, command: "tutti peer --name \"\(name)\"", patch: "rock", activity: 64, audio: audio)
}

/// A recording of reproducible drum-like sounds. A sound lasts 0.4 s. It is the sum of a decaying sine, whose frequency falls, and of
/// decaying noise, which begins with a click.
struct Drums {
  private(set) var samples: [Float]
  let rate: Int

  enum Sound: CaseIterable { case kick, tom, snare, hat }

  init(seconds: Double, rate: Int = 48_000) {
    self.rate = rate
    samples = [Float](repeating: 0, count: Int(seconds * Double(rate)))
  }

  /// Adds `sound`. Its first sample that is not 0 is at `frame`. The same sound always has the same samples.
  mutating func strike(_ sound: Sound, at frame: Int, level: Float = 0.5) {
    let noise = Self.noises[sound, default: []]
    // The tone in hertz, its share of the amplitude, and the times in seconds in which tone and noise decay by 60 dB.
    let (tone, share, toneDecay, noiseDecay): (Double, Float, Double, Double) =
      switch sound {
      case .kick: (55, 0.9, 0.25, 0.01)
      case .tom: (130, 0.85, 0.4, 0.015)
      case .snare: (190, 0.3, 0.12, 0.2)
      case .hat: (0, 0, 0.1, 0.08)
      }
    let count = min(Int(0.4 * Double(rate)), samples.count - frame)
    var (phase, toneLevel, noiseLevel) = (0.0, share, 1 - share)
    let toneStep = Float(pow(10, -3 / (toneDecay * Double(rate))))
    let noiseStep = Float(pow(10, -3 / (noiseDecay * Double(rate))))
    for index in 0..<max(0, count) {
      let sample = toneLevel * Float(sin(phase)) + noiseLevel * noise[index % noise.count]
      samples[frame + index] += level * sample
      // The frequency falls from three times the tone to the tone, with a time constant of 10 ms.
      phase += 2 * .pi * tone * (1 + 2 * exp(-Double(index) / (0.01 * Double(rate)))) / Double(rate)
      toneLevel *= toneStep
      noiseLevel *= noiseStep
    }
  }

  /// Adds a value to the sample at `frame`, if there is one.
  mutating func add(_ value: Float, at frame: Int) {
    if samples.indices.contains(frame) { samples[frame] += value }
  }

  /// White noise that begins at full scale, so that the first frame of a sound is known.
  private static let noises: [Sound: [Float]] = {
    var random = SplitMix(seed: 7)
    let sounds = Sound.allCases.map { sound in
      (sound, [1] + (1..<19_200).map { _ in Float.random(in: -1...1, using: &random) })
    }
    return Dictionary(uniqueKeysWithValues: sounds)
  }()

  /// Returns the samples rounded to 16 bits, as in a file.
  func rounded() -> [Float] { samples.map { ($0 * 32_768).rounded() / 32_768 } }
}

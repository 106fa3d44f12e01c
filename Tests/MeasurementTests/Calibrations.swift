import Foundation
import Measurement
import MusicalTime
import _TestSupport

/// A simulated room in which a calibration is recorded: a peer and a phone click through loudspeakers, with noise and echoes.
struct CalibrationRoom {
  /// The nominal sample rate of the recording in hertz.
  var rate = 48_000
  /// The delay of the phone in milliseconds.
  var delay = 100.0
  /// The latency of the microphone in milliseconds. The analysis does not know it.
  var latency = 12.0
  /// The rate of the recording clock minus the rate of the peer's clock, in ppm.
  var drift = 0.0
  /// The power of a click of the softer loudspeaker during its first 10 ms, relative to the noise, in decibels; nil for no noise.
  var signalToNoise: Double? = 20
  /// Whether the noise is pink, not white.
  var isPink = false
  /// The amplitudes of the clicks of the peer and of the phone; 0 for no clicks.
  var levels: (peer: Double, phone: Double) = (0.3, 0.3)
  /// The sounds of the peer and of the phone.
  var sounds = (peer: Click.claves, phone: Click.claves)
  /// The echoes: delays in milliseconds and gains.
  var echoes: [(delay: Double, gain: Double)] = []
  /// The indices of the clicks of the phone that are not heard.
  var missed: Set<Int> = []
  /// The onsets of other sounds in seconds since the first frame.
  var others: [Double] = []

  /// The sound of a click: a decaying tone with an exponential attack.
  struct Click {
    /// The time constants of the attack and of the decay in milliseconds, and the frequency of the tone in hertz.
    var attack, decay, frequency: Double
    /// A click like the sound of claves.
    static let claves = Click(attack: 0.25, decay: 8, frequency: 2_500)
    /// A click from a small loudspeaker with a resonance.
    static let bright = Click(attack: 0.1, decay: 3, frequency: 4_200)

    func value(_ milliseconds: Double) -> Double {
      guard milliseconds >= 0 else { return 0 }
      return (1 - exp(-milliseconds / attack)) * exp(-milliseconds / decay)
        * sin(2 * .pi * frequency * milliseconds / 1e3)
    }

    /// The mean power of the first 10 ms, from 480 samples at 48 kHz.
    var power: Double { (0..<480).reduce(0) { $0 + pow(value(Double($1) / 48), 2) } / 480 }
  }

  /// The instant of the first click of the peer.
  static let beginning = Instant(nanoseconds: 7_000_000_000)
  /// The time from the first frame to the first click of the peer in seconds, without the latency.
  static let lead = 0.4
  /// The length of the recording of one calibration in seconds.
  static let length = 6.9

  /// Returns the recording of `count` calibrations, one after another. The first instant of the recording does not allow for
  /// ``latency``, and has no other error.
  func recording(seed: UInt64, count: Int = 1) -> Recording {
    var samples = [Double](repeating: 0, count: Int(Self.length * Double(count) * Double(rate)))
    let paths = [(delay: 0.0, gain: 1.0)] + echoes
    func add(_ sound: Click, _ level: Double, at seconds: Double) {
      for path in paths {
        let start = (seconds + path.delay / 1e3) * (1 + drift / 1e6) * Double(rate)
        for frame in max(Int(start.rounded(.up)), 0)..<max(min(Int(start) + rate / 20, samples.count), 0) {
          samples[frame] += level * path.gain * sound.value((Double(frame) - start) * 1e3 / Double(rate))
        }
      }
    }
    for part in 0..<count {
      let first = Self.lead + latency / 1e3 + Double(part) * Self.length
      let beginning = Instant(nanoseconds: 0)
      for click in ClickPattern.reference.instants(from: beginning) {
        add(sounds.peer, levels.peer, at: first + (click - beginning).seconds)
      }
      for (index, click) in ClickPattern.device.instants(from: beginning).enumerated() where !missed.contains(index) {
        add(sounds.phone, levels.phone, at: first + (click - beginning).seconds + delay / 1e3)
      }
    }
    for onset in others { add(Click(attack: 0.5, decay: 30, frequency: 700), 0.4, at: onset) }
    if let signalToNoise {
      let signals = [(levels.peer, sounds.peer), (levels.phone, sounds.phone)].filter { $0.0 > 0 }.map {
        $0.0 * $0.0 * $0.1.power
      }
      let signal = signals.min() ?? 1e-3
      let noise = noise(samples.count, seed: seed)
      let power = noise.reduce(0) { $0 + $1 * $1 } / Double(noise.count)
      let gain = (signal / pow(10, signalToNoise / 10) / power).squareRoot()
      for frame in samples.indices { samples[frame] += gain * noise[frame] }
    }
    return Recording(
      name: "room", samples: samples.map { Float(max(-1, min(1, ($0 * 32_768).rounded() / 32_768))) }, rate: rate,
      firstInstant: Self.beginning - Nanoseconds(Int64(Self.lead * 1e9)))
  }

  /// Returns white noise, or pink noise that P. Kellet's filter with three poles makes from white noise.
  private func noise(_ count: Int, seed: UInt64) -> [Double] {
    let white = Clocks.gaussian(count, seed: seed)
    guard isPink else { return white }
    var (a, b, c) = (0.0, 0.0, 0.0)
    return white.map { value in
      a = 0.99765 * a + value * 0.0990460
      b = 0.96300 * b + value * 0.2965164
      c = 0.57000 * c + value * 1.0526913
      return a + b + c + value * 0.1848
    }
  }
}

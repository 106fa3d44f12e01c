/// One band of the onset detector's filter bank: its edges and the rises of power that count as an onset in it.
struct OnsetBand {
  /// A length in hops of a millisecond, and the rise of mean power, in decibels, that counts as an onset.
  typealias Window = (hops: Int, rise: Double)

  /// The edges in hertz; nil leaves that side open.
  let low: Double?
  let high: Double?
  let short: Window
  let long: Window
  /// Mean squares below this count as silence, full scale 1.
  let silence: Double
  /// Whether a sound here can be cut off, as a hi-hat is: in low bands a sine's own swing would look like it.
  let canBeCut: Bool

  /// The bank, low to high. Low bands need long windows, for a 60 Hz kick swings 120 times a second, and have a higher
  /// silence, for nobody hears their rumble. The rises are what FluidSynth's General MIDI drums reach between their
  /// onsets once in about 100 s of music.
  static let all = [
    OnsetBand(low: nil, high: 120, short: (10, 5.5), long: (20, 7.7), silence: 2.5e-7, canBeCut: false),
    OnsetBand(low: 120, high: 300, short: (8, 5.5), long: (16, 7.2), silence: 6e-8, canBeCut: false),
    OnsetBand(low: 300, high: 800, short: (5, 5.8), long: (14, 5.6), silence: 1.6e-8, canBeCut: false),
    OnsetBand(low: 800, high: 2_000, short: (4, 3.8), long: (12, 3.4), silence: 4e-9, canBeCut: false),
    OnsetBand(low: 2_000, high: 5_000, short: (4, 3.8), long: (12, 3.5), silence: 4e-9, canBeCut: true),
    OnsetBand(low: 5_000, high: 10_000, short: (3, 2.9), long: (12, 3.2), silence: 4e-9, canBeCut: true),
    OnsetBand(low: 10_000, high: nil, short: (3, 2.5), long: (12, 2.8), silence: 4e-9, canBeCut: true),
  ]

  func filter(rate: Int) -> BandFilter { BandFilter(from: low, to: high, rate: rate) }

  /// The mean square of the band in each whole hop of `hop` frames.
  func energies(of samples: [Float], rate: Int, hop: Int) -> [Double] {
    var filter = filter(rate: rate)
    var energies: [Double] = []
    energies.reserveCapacity(samples.count / hop)
    var (sum, frames) = (0.0, 0)
    for sample in samples {
      let value = filter.next(sample)
      sum += value * value
      frames += 1
      if frames == hop {
        energies.append(sum / Double(hop))
        (sum, frames) = (0, 0)
      }
    }
    return energies
  }
}

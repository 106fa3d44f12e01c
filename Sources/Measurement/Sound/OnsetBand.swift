/// One band of the onset detector's filter bank: its edges, and the thresholds for rises of its power.
struct OnsetBand {
  /// The length of a window in hops of one millisecond, and the rise of mean power in decibels that counts as an onset.
  typealias Window = (hops: Int, rise: Double)

  /// The lower edge in hertz; nil if there is none.
  let low: Double?
  /// The upper edge in hertz; nil if there is none.
  let high: Double?
  /// The short window, which detects attacks.
  let short: Window
  /// The long window, which detects soft hits in noise.
  let long: Window
  /// The mean square that is added to two powers before their ratio is calculated, so that changes in silence give a ratio near 1.
  /// Full scale is 1.
  let silence: Double
  /// Whether the detector looks for sounds that are cut off in this band, such as hi-hats. It does not do so in low bands,
  /// because there the oscillation of the power of a single sine looks like a cut-off.
  let canBeCut: Bool

  /// The filter bank, from low to high. Low bands need long windows, because the power of a 60 Hz kick oscillates 120
  /// times per second. They have a higher silence level, because quiet rumble is inaudible. Each `rise` is chosen so that it
  /// gives about one false onset in 100 s of music, measured with the General MIDI drums of FluidSynth.
  static let all = [
    OnsetBand(low: nil, high: 120, short: (10, 5.5), long: (20, 7.7), silence: 2.5e-7, canBeCut: false),
    OnsetBand(low: 120, high: 300, short: (8, 5.5), long: (16, 7.2), silence: 6e-8, canBeCut: false),
    OnsetBand(low: 300, high: 800, short: (5, 5.8), long: (14, 5.6), silence: 1.6e-8, canBeCut: false),
    OnsetBand(low: 800, high: 2_000, short: (4, 3.8), long: (12, 3.4), silence: 4e-9, canBeCut: false),
    OnsetBand(low: 2_000, high: 5_000, short: (4, 3.8), long: (12, 3.5), silence: 4e-9, canBeCut: true),
    OnsetBand(low: 5_000, high: 10_000, short: (3, 2.9), long: (12, 3.2), silence: 4e-9, canBeCut: true),
    OnsetBand(low: 10_000, high: nil, short: (3, 2.5), long: (12, 2.8), silence: 4e-9, canBeCut: true),
  ]

  /// Returns the filter of the band for `rate` frames per second.
  func filter(rate: Int) -> BandFilter { BandFilter(from: low, to: high, rate: rate) }

  /// Returns the mean square of the band in each complete hop of `hop` frames.
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

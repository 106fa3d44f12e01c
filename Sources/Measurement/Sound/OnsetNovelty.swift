import Foundation

/// The novelty function of a recording: the rise of power relative to the recent past, per band and millisecond. A
/// value of 1 or more indicates an onset.
///
/// In each band, the mean power of the next 3...20 ms is compared with the maximum of this mean in the preceding 20...30
/// ms. Because the comparison is with the maximum and not with the mean, the novelty of sounds that decay, ripple or beat by a few
/// decibels stays below 1, regardless of their level. A beat that falls almost to silence, however, counts as a hit. Each band
/// has two window lengths. The short window detects attacks. The long window detects soft hits in noise, because its mean power
/// fluctuates less. The ratio in decibels is divided by the ratio that noise and ringing alone reach in this band and window
/// (``OnsetBand``). Sources: A. Klapuri, "Sound onset detection by applying psychoacoustic knowledge", ICASSP 1999
/// (power per band on a logarithmic scale); S. Böck and G. Widmer, "Maximum filter vibrato suppression for onset
/// detection", DAFx 2013 (comparison with a local maximum).
///
/// A closing hi-hat ends a loud sound and starts a soft one. To detect the soft sound, the bands above 2 kHz ignore the time
/// before a cut-off: a fall of their total power by 9 dB within 4 ms, which no ringing sound has.
struct OnsetNovelty {
  /// The novelty per band and hop, never negative.
  let bands: [[Float]]
  /// The maximum novelty of all bands, per hop.
  private let greatest: [Float]

  /// The number of past hops with which a window is compared, for short and for long windows.
  private static let past = (short: 30, long: 20)
  /// The conditions for a cut-off: the ratio by which the power falls (9 dB), the number of hops in which it falls, and the
  /// number of preceding hops during which the power must have been higher by this ratio.
  private static let cut = (ratio: 8.0, hops: 4, before: 8)

  /// The number of hops.
  var hops: Int { greatest.count }
  /// The maximum novelty of all bands in `hop`.
  subscript(hop: Int) -> Float { greatest[hop] }

  /// Calculates the novelty.
  ///
  /// - Parameter energies: the mean square per hop, for each band of ``OnsetBand/all``.
  init(energies: [[Double]]) {
    let cuts = Self.lastCuts(in: energies)
    let bands = zip(OnsetBand.all, energies).map { band, energy in
      let cuts = band.canBeCut ? cuts : nil
      let short = Self.rises(of: energy, in: band, window: band.short, past: Self.past.short, cuts: cuts)
      let long = Self.rises(of: energy, in: band, window: band.long, past: Self.past.long, cuts: cuts)
      return zip(short, long).map { max($0, $1) }
    }
    self.bands = bands
    greatest = (bands.first ?? []).indices.map { hop in bands.reduce(0) { max($0, $1[hop]) } }
  }

  /// Returns the novelty per hop, for one window of one band.
  ///
  /// - Parameters:
  ///   - energy: the mean square of the band per hop.
  ///   - band: the band.
  ///   - window: the window.
  ///   - past: the number of past hops to compare with.
  ///   - cuts: for each hop, the last hop at which a loud sound was cut off. Earlier hops are ignored. Nil to ignore cut-offs.
  private static func rises(
    of energy: [Double], in band: OnsetBand, window: OnsetBand.Window, past: Int, cuts: [Int]?
  ) -> [Float] {
    let means = forwardMeans(of: energy, window: window.hops)
    return means.indices.map { hop in
      // The last hop whose window ends before this hop. The time before the recording counts as silence.
      let end = hop - window.hops
      let cut = cuts?[hop] ?? .min
      // Less than one window has passed since the cut-off, so there is no earlier window to compare with.
      if cut > end { return 0 }
      var greatestBefore = 0.0
      var pastHop = max(end - past + 1, cut, 0)
      while pastHop <= end {
        if means[pastHop] > greatestBefore { greatestBefore = means[pastHop] }
        pastHop += 1
      }
      let ratio = (means[hop] + band.silence) / (greatestBefore + band.silence)
      return ratio > 1 ? Float(10 * log10(ratio) / window.rise) : 0
    }
  }

  /// Returns, for each hop, the last hop at or before this hop at which a loud sound was cut off; Int.min if there is none.
  private static func lastCuts(in energies: [[Double]]) -> [Int] {
    var sum = [Double](repeating: 0, count: energies.first?.count ?? 0)
    var silence = 0.0
    for (band, energy) in zip(OnsetBand.all, energies) where band.canBeCut {
      for hop in sum.indices { sum[hop] += energy[hop] }
      silence += band.silence
    }
    let means = forwardMeans(of: sum, window: cut.hops)
    var last = Int.min
    return means.indices.map { hop in
      // The last hop whose window ends before this hop.
      let end = hop - cut.hops
      if end >= cut.before {
        var leastBefore = means[end]
        for pastHop in end - cut.before..<end where means[pastHop] < leastBefore { leastBefore = means[pastHop] }
        if leastBefore > cut.ratio * (means[hop] + silence) { last = hop }
      }
      return last
    }
  }

  /// Returns for each hop the mean of this hop and the next `window - 1` hops. The time after the end counts as
  /// silence.
  private static func forwardMeans(of energy: [Double], window: Int) -> [Double] {
    energy.indices.map { hop in
      var sum = 0.0
      for other in hop..<min(hop + window, energy.count) { sum += energy[other] }
      return sum / Double(window)
    }
  }
}

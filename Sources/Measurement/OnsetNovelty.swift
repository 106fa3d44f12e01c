import Foundation

/// How much each millisecond of a recording outdoes its recent past, band by band: 1 and more is an onset.
///
/// In every band the mean power of the coming 3...20 ms is held against the greatest such power in the 20...30 ms
/// before it. Held against the greatest and not the mean, what decays, ripples or beats by a few decibels stays below
/// one, however loud; partials that beat to near silence are hits to it. Two window lengths look at it: the short one
/// finds attacks, the long one, whose power fluctuates less, finds soft hits in noise. The ratio in decibels is divided
/// by what noise and ringing alone reach in that band and window (``OnsetBand``). (Power per band on a logarithmic
/// scale: A. Klapuri, "Sound onset detection by applying psychoacoustic knowledge", ICASSP 1999; the comparison with a
/// local maximum: S. Böck and G. Widmer, "Maximum filter vibrato suppression for onset detection", DAFx 2013.)
///
/// A hi-hat that closes cuts a loud sound and begins a soft one. So when the power above 2 kHz falls by 9 dB within 4
/// ms, as nothing that rings does, those bands forget what was before.
struct OnsetNovelty {
  /// Novelty per band and hop, never negative.
  let bands: [[Float]]
  /// The greatest novelty of any band, per hop.
  private let greatest: [Float]

  /// Hops of past to compare with: for the short windows and for the long ones.
  private static let past = (short: 30, long: 20)
  /// A cut: how far power must fall, over how many hops, and for how many hops it must have been higher before.
  private static let cut = (ratio: 8.0, hops: 4, before: 8)

  var hops: Int { greatest.count }
  subscript(hop: Int) -> Float { greatest[hop] }

  /// - Parameter energies: mean square per hop, for each of ``OnsetBand/all``.
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

  /// - Parameter cuts: per hop, the last hop at which a loud sound was cut off; nothing before it is looked at.
  private static func rises(
    of energy: [Double], in band: OnsetBand, window: OnsetBand.Window, past: Int, cuts: [Int]?
  ) -> [Float] {
    let means = forwardMeans(of: energy, window: window.hops)
    return means.indices.map { hop in
      // The last hop whose window ends before this one. Silence came before the recording.
      let end = hop - window.hops
      let cut = cuts?[hop] ?? .min
      if cut > end { return 0 }
      var before = 0.0
      var other = max(end - past + 1, cut, 0)
      while other <= end {
        if means[other] > before { before = means[other] }
        other += 1
      }
      let ratio = (means[hop] + band.silence) / (before + band.silence)
      return ratio > 1 ? Float(10 * log10(ratio) / window.rise) : 0
    }
  }

  /// For each hop the last one, itself included, at which a loud sound was cut off; Int.min before the first.
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
      let end = hop - cut.hops
      if end >= cut.before {
        var least = means[end]
        for other in end - cut.before..<end where means[other] < least { least = means[other] }
        if least > cut.ratio * (means[hop] + silence) { last = hop }
      }
      return last
    }
  }

  /// The mean of each hop and the `window - 1` after it; silence follows the end.
  private static func forwardMeans(of energy: [Double], window: Int) -> [Double] {
    energy.indices.map { hop in
      var sum = 0.0
      for other in hop..<min(hop + window, energy.count) { sum += energy[other] }
      return sum / Double(window)
    }
  }
}

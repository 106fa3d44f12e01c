/// Detects the hits of a drum pattern in a recording.
///
/// The detector splits the recording into seven bands, from below 120 Hz to above 10 kHz, and compares the power of
/// each band with its recent past (``OnsetNovelty``). An onset is a rise that decaying, beating or ringing sounds do
/// not have. The greatest novelty within the 20 ms after the first rise determines which bands rose, and the steepest rise
/// of power near it determines the position. The frame of the onset is
/// the first frame whose magnitude exceeds 1.6 times the maximum of the preceding 20 ms, in the recording itself or in
/// one of the bands that rose. A hit after silence is therefore located at its first frame above the rounding noise of
/// 16 bits. Onsets closer than 40 ms count as one: the voices of one step, a flam, or the fluctuation of an attack. A
/// click followed by silence is a sound that breaks off, not an onset. The steps (bands, power, comparison, peak
/// picking, localisation) follow J. P. Bello et al., "A tutorial on onset detection in music signals", IEEE Trans. SAP
/// 13 (5), 2005, and S. Dixon, "Onset detection revisited", DAFx 2006, here in the time domain.
///
/// The detector is designed for General MIDI drums with velocities 50...127 and steps of at least 60 ms. It misses some
/// soft hits during a louder sound, such as a snare ghost note of velocity 50 a sixteenth note after an accent of
/// velocity 120. It finds additional onsets in sounds that consist of several (vibraslap, guiro, cabasa, cuica, long
/// whistle). Measured with FluidSynth on 205 grooves of 93...250 BPM that were not used for tuning (9939 hits in 1791
/// s): 98.5 % found, 16 false detections. It missed 148 of the 1710 hits that are at least 12 dB softer than a hit in
/// the preceding 250 ms, and six of the other 8229.
public struct OnsetDetector: Sendable {
  /// The sample rate of the recordings in frames per second.
  public let rate: Int
  /// The number of frames per hop. A hop, the unit in which the power is measured, is one millisecond.
  let hop: Int

  /// The number of hops from the first rise in which the detector looks for the greatest novelty.
  private static let searchHops = 20
  /// The minimum distance of two onsets in hops.
  private static let minimumSpacing = 40
  /// The maximum magnitude of silence: three units of 16 bits.
  static let silence: Float = 3 / 32_768

  /// Creates a detector for recordings of `rate` frames per second, at least 1000. It is designed for 32 000 and more.
  ///
  /// Real-time: not safe.
  public init(rate: Int) {
    self.rate = max(1_000, rate)
    hop = self.rate / 1_000
  }

  /// Returns the first frames of the hits in `samples` (one channel, full scale 1), in ascending order and at least 40
  /// ms apart. Samples that are not finite count as silence.
  ///
  /// Real-time: not safe.
  public func onsets(in samples: [Float]) -> [Int] {
    let energies = OnsetBand.all.map { $0.energies(of: samples, rate: rate, hop: hop) }
    let novelty = OnsetNovelty(energies: energies)
    var onsets: [Int] = []
    var index = 0
    while index < novelty.hops {
      guard novelty[index] >= 1 else {
        index += 1
        continue
      }
      var peak = index
      for other in index..<min(index + Self.searchHops, novelty.hops) where novelty[other] > novelty[peak] {
        peak = other
      }
      let steepest = steepest(from: index, peak: peak, novelty: novelty, energies: energies)
      // The bands that rose: those with at least half the greatest novelty, but at least 1, at the peak.
      let level = max(1, novelty[peak] / 2)
      let bands = zip(OnsetBand.all, novelty.bands).filter { _, values in values[peak] >= level }.map(\.0)
      let frame = firstFrame(near: steepest, bands: bands, in: samples)
      let spacing = Self.minimumSpacing * hop
      // Not an onset: a sound that breaks off, or a part of the previous onset.
      if isFollowedBySilence(frame, in: samples) || frame - (onsets.last ?? -spacing) < spacing {
        index += 1
        continue
      }
      onsets.append(frame)
      index = max(peak, frame / hop + Self.minimumSpacing) + 1
    }
    return onsets
  }

  /// Returns the hop with the steepest rise of power in the band with the greatest novelty at `peak`. The rise is the
  /// ratio of the power in the short window after the hop to the power in an equally long window before the hop. The
  /// novelty of a hop is computed from a window that begins at the hop, so the peak can lie up to one long window before the
  /// onset.
  ///
  /// - Parameters:
  ///   - first: the first hop whose novelty is at least 1.
  ///   - peak: the hop with the greatest novelty.
  ///   - novelty: the novelty of the recording.
  ///   - energies: the mean square per hop, for each band of ``OnsetBand/all``.
  private func steepest(from first: Int, peak: Int, novelty: OnsetNovelty, energies: [[Double]]) -> Int {
    var dominant = 0
    for index in novelty.bands.indices where novelty.bands[index][peak] > novelty.bands[dominant][peak] {
      dominant = index
    }
    let (band, energy) = (OnsetBand.all[dominant], energies[dominant])
    var (steepest, greatestRise) = (first, 0.0)
    for hop in first...min(peak + band.long.hops, energy.count - 1) {
      let after = energy[hop..<min(hop + band.short.hops, energy.count)].reduce(band.silence, +)
      let before = energy[max(0, hop - band.short.hops)..<hop].reduce(band.silence, +)
      if after > greatestRise * before { (steepest, greatestRise) = (hop, after / before) }
    }
    return steepest
  }

  /// Returns the first frame, from two hops before `rise` to four hops after it, that exceeds 1.6 times the maximum of the
  /// preceding 20 ms, in the recording or in one of `bands`. Returns the first frame of the hop `rise` if there is none.
  /// The filters start 100 ms earlier to settle.
  private func firstFrame(near rise: Int, bands: [OnsetBand], in samples: [Float]) -> Int {
    let from = max(0, (rise - 2) * hop)
    let before = max(0, from - 20 * hop)
    let settling = max(0, before - 100 * hop)
    let end = min(samples.count, (rise + 4) * hop)
    var first = end
    // The first filter passes everything: it stands for the recording itself.
    let filters = [BandFilter(from: nil, to: nil, rate: rate)] + bands.map { $0.filter(rate: rate) }
    for var filter in filters {
      for frame in settling..<before { _ = filter.next(samples[frame]) }
      var greatest = Double(Self.silence)
      for frame in before..<from { greatest = max(greatest, abs(filter.next(samples[frame]))) }
      for frame in from..<first where abs(filter.next(samples[frame])) > 1.6 * greatest {
        first = frame
        break
      }
    }
    return first < end ? first : rise * hop
  }

  /// Whether the recording is silent from 1 ms to 10 ms after `frame`. The click is then a sound that breaks off, for
  /// example because a peer stalls.
  private func isFollowedBySilence(_ frame: Int, in samples: [Float]) -> Bool {
    let after = samples[min(frame + hop, samples.count)..<min(frame + 10 * hop, samples.count)]
    return !after.isEmpty && after.allSatisfy { !$0.isFinite || abs($0) <= Self.silence }
  }
}

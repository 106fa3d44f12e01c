/// Finds the hits of a drum pattern in a recording.
///
/// The recording is split into seven bands, from below 120 Hz to above 10 kHz, and every band's power is compared with
/// its recent past (``OnsetNovelty``). Where a band rises as decaying, beating or ringing sound does not, there is an
/// onset; within the 20 ms after the first such rise the steepest one counts. The onset's frame is then the first whose
/// magnitude leaves what came before it: 1.6 times the greatest of the preceding 20 ms, in the recording itself or in
/// one of the bands that rose. A hit out of silence is so placed on its first frame above the rounding of 16 bits.
/// Onsets closer than 40 ms are one: voices of one step, a flam, the flutter of an attack. A click with nothing
/// behind it is a sound breaking off and no onset. (Bands, power, comparison,
/// peak picking, then localisation is the scheme of J. P. Bello et al., "A tutorial on onset detection in music
/// signals", IEEE Trans. SAP 13 (5), 2005, and S. Dixon, "Onset detection revisited", DAFx 2006, here in the time
/// domain.)
///
/// Made for General MIDI drums, velocities 50...127, steps from 60 ms. What it does not find: some soft hits under a
/// louder one that still sounds, such as a snare ghost at velocity 50 a sixteenth after an accent at 120. What it finds
/// besides: sounds that are several in themselves (vibraslap, guiro, cabasa, cuica, long whistle). Measured with
/// FluidSynth on 205 grooves of 93...250 BPM that were not used for tuning, 9939 hits in 1791 s: 98.5 % found, 16 found
/// that were none. Of the 1710 hits at least 12 dB softer than one in the 250 ms before them 148 were missed, of the
/// other 8229 six.
public struct OnsetDetector: Sendable {
  /// Frames a second of the recordings.
  public let rate: Int
  /// Frames a hop: a millisecond of them.
  let hop: Int

  /// In hops: how far after the first rise the steepest is looked for, and how close two onsets may be.
  private static let reach = 20
  private static let spacing = 40
  /// Samples up to this are silence: three roundings of 16 bits.
  private static let silence: Float = 3 / 32_768

  /// A detector for recordings of `rate` frames a second, at least 1000; made for 32 000 and more.
  ///
  /// Real-time: not safe.
  public init(rate: Int) {
    self.rate = max(1_000, rate)
    hop = self.rate / 1_000
  }

  /// The first frames of the hits in `samples`, full scale 1, one channel. Rising, at least 40 ms apart. Samples that
  /// are not numbers count as silence.
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
      for other in index..<min(index + Self.reach, novelty.hops) where novelty[other] > novelty[peak] { peak = other }
      let step = steepest(from: index, peak: peak, novelty: novelty, energies: energies)
      let level = max(1, novelty[peak] / 2)
      let bands = zip(OnsetBand.all, novelty.bands).filter { $0.1[peak] >= level }.map(\.0)
      let frame = firstFrame(near: step, bands: bands, in: samples)
      if isFollowedBySilence(frame, in: samples) || frame - (onsets.last ?? -Self.spacing * hop) < Self.spacing * hop {
        index += 1
        continue
      }
      onsets.append(frame)
      index = max(peak, frame / hop + Self.spacing) + 1
    }
    return onsets
  }

  /// The hop at which the power of the band that speaks loudest at `peak` rises most, its short window after against
  /// the same before. The long windows see an onset early: it lies at most a long window beyond the peak.
  private func steepest(from crossing: Int, peak: Int, novelty: OnsetNovelty, energies: [[Double]]) -> Int {
    var loudest = 0
    for index in novelty.bands.indices where novelty.bands[index][peak] > novelty.bands[loudest][peak] {
      loudest = index
    }
    let (band, energy) = (OnsetBand.all[loudest], energies[loudest])
    var (step, steepest) = (crossing, 0.0)
    for hop in crossing...min(peak + band.long.hops, energy.count - 1) {
      let after = energy[hop..<min(hop + band.short.hops, energy.count)].reduce(band.silence, +)
      let before = energy[max(0, hop - band.short.hops)..<hop].reduce(band.silence, +)
      if after > steepest * before { (step, steepest) = (hop, after / before) }
    }
    return step
  }

  /// The first frame from two hops before `step` to four after it that leaves what came before, in the recording or in
  /// one of `bands`; the first frame of `step` when none does. The filters settle for 100 ms first.
  private func firstFrame(near step: Int, bands: [OnsetBand], in samples: [Float]) -> Int {
    let from = max(0, (step - 2) * hop)
    let before = max(0, from - 20 * hop)
    let settling = max(0, before - 100 * hop)
    let end = min(samples.count, (step + 4) * hop)
    var first = end
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
    return first < end ? first : step * hop
  }

  /// Whether nothing sounds from 1 ms to 10 ms after `frame`: then the click is a sound breaking off, as when a peer
  /// stalls.
  private func isFollowedBySilence(_ frame: Int, in samples: [Float]) -> Bool {
    let after = samples[min(frame + hop, samples.count)..<min(frame + 10 * hop, samples.count)]
    return !after.isEmpty && after.allSatisfy { !$0.isFinite || abs($0) <= Self.silence }
  }
}

/// Detects the hits of a drum pattern in a recording.
///
/// The detector has three steps:
///
/// 1. The recording is split into seven bands, from below 120 Hz to above 10 kHz. The power of each band is compared with its
///    recent past. The result is the novelty of each millisecond (``OnsetNovelty``). A novelty of 1 or more is a rise that
///    decaying, beating or ringing sounds do not have.
/// 2. The largest novelty in the 20 ms after such a rise determines which bands rose. The steepest rise of power nearby
///    determines the millisecond of the onset.
/// 3. The frame of the onset is the first frame near this millisecond whose magnitude exceeds 1.6 times the maximum of the
///    20 ms before the search range, in the recording itself or in one of the bands that rose. A hit after silence is therefore
///    located at its first frame above the rounding noise of 16 bits.
///
/// Onsets closer than 40 ms count as one: the voices of one step, a flam, or the fluctuation of an attack. A click that is
/// followed by silence is not an onset, but the end of a sound that was cut off. After the last hit, an open hi-hat or a cymbal rings for
/// seconds. Its partials beat, so the power of a band rises by some decibels again and again (``isRinging(from:peak:novelty:energies:)``). Such
/// rises at the end of the recording are not onsets. The method follows J. P. Bello et al., "A
/// tutorial on onset detection in music signals", IEEE Trans. SAP 13 (5), 2005, and S. Dixon, "Onset detection revisited", DAFx
/// 2006. Unlike the methods of these papers, it works in the time domain.
///
/// The detector is designed for General MIDI drums with velocities 50...127 and steps of at least 60 ms. It misses some
/// soft hits during a louder sound, such as a snare ghost note of velocity 50 a sixteenth note after an accent of
/// velocity 120. It finds additional onsets in sounds that consist of several strokes (vibraslap, guiro, cabasa, cuica, long
/// whistle). In a test with FluidSynth on 205 grooves of 93...250 BPM that were not used for tuning (9939 hits in 1791 s),
/// the detector found 98.5 % of the hits and made 16 false detections. It missed 148 of the 1710 hits that are at least 12 dB
/// softer than a hit in the preceding 250 ms, and six of the other 8229.
public struct OnsetDetector: Sendable {
  /// The sample rate of the recordings in frames per second.
  public let rate: Int
  /// The number of frames per hop. A hop is one millisecond. It is the unit of time in which the power is measured.
  let hop: Int

  /// The number of hops, from the first one with a novelty of at least 1, in which the detector looks for the largest novelty.
  private static let searchHops = 20
  /// The conditions for the ringing of an earlier sound, in hops: the time after the peak in which other bands may rise, the window in
  /// which the power is averaged, and the length of the past with which the power is compared.
  private static let tail = (spread: 13, window: 20, past: 500)
  /// The minimum distance of two onsets in hops.
  private static let minimumSpacing = 40
  /// The maximum magnitude of silence: three quantization steps of 16 bits.
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
    // The number of onsets up to the last one that cannot be the ringing of an earlier sound.
    var hits = 0
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
      // The bands that rose: at the peak, their novelty is at least 1 and at least half of the largest novelty.
      let level = max(1, novelty[peak] / 2)
      let bands = zip(OnsetBand.all, novelty.bands).filter { _, values in values[peak] >= level }.map(\.0)
      let frame = firstFrame(near: steepest, bands: bands, in: samples)
      let spacing = Self.minimumSpacing * hop
      // Not an onset: the end of a sound that was cut off, or a part of the previous onset.
      if isFollowedBySilence(frame, in: samples) || frame - (onsets.last ?? -spacing) < spacing {
        index += 1
        continue
      }
      onsets.append(frame)
      if !isRinging(from: index, peak: peak, novelty: novelty, energies: energies) { hits = onsets.count }
      index = max(peak, frame / hop + Self.minimumSpacing) + 1
    }
    return Array(onsets.prefix(hits))
  }

  /// Whether a rise can be the beat of partials in a ringing sound: at most two bands rise, and their power remains below that of the
  /// preceding half second.
  ///
  /// - Parameters:
  ///   - first: the first hop whose novelty is at least 1.
  ///   - peak: the hop with the largest novelty.
  ///   - novelty: the novelty of the recording.
  ///   - energies: the mean square per hop, for each band of ``OnsetBand/all``.
  private func isRinging(from first: Int, peak: Int, novelty: OnsetNovelty, energies: [[Double]]) -> Bool {
    // The bands of one hit need not rise in the same hop, because their windows have different lengths.
    let hops = first..<min(peak + Self.tail.spread, novelty.hops)
    let bands = novelty.bands.indices.filter { band in hops.contains { novelty.bands[band][$0] >= 1 } }
    return bands.count <= 2
      && bands.allSatisfy { band in
        let (energy, length) = (energies[band], Self.tail.window)
        func power(_ hop: Int) -> Double {
          energy[hop..<min(hop + length, energy.count)].reduce(0, +) / Double(length)
        }
        let after = hops.reduce(0) { max($0, power($1)) }
        return stride(from: max(first - Self.tail.past, 0), to: first - length, by: length / 2).contains {
          power($0) > after
        }
      }
  }

  /// Returns the hop with the steepest rise of power in the band with the largest novelty at `peak`. The rise is the
  /// ratio of the power in the short window that begins at the hop to the power in an equally long window before the hop. The
  /// search ends one long window after `peak`: the novelty of a hop is computed from a window that begins at the hop, so the
  /// peak can be earlier than the onset by this time.
  ///
  /// - Parameters:
  ///   - first: the first hop whose novelty is at least 1.
  ///   - peak: the hop with the largest novelty.
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

  /// Returns the first frame of an onset near the hop `rise`.
  ///
  /// The search range extends from two hops before the beginning of the hop to four hops after it. The result is the first frame in
  /// this range whose magnitude exceeds 1.6 times the maximum of the 20 ms before the range, in the recording or in one of `bands`.
  /// If there is no such frame, the result is the first frame of the hop `rise`. The filters start 100 ms before these 20 ms, so that
  /// they have settled.
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

  /// Whether the recording is silent from 1 ms to 10 ms after `frame`. The onset at `frame` is then the click at the end of a sound
  /// that was cut off, for example because a peer stalled.
  private func isFollowedBySilence(_ frame: Int, in samples: [Float]) -> Bool {
    let after = samples[min(frame + hop, samples.count)..<min(frame + 10 * hop, samples.count)]
    return !after.isEmpty && after.allSatisfy { !$0.isFinite || abs($0) <= Self.silence }
  }
}

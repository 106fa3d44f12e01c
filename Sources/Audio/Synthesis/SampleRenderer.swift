import CFluidSynth

/// Renders single sounds of a SoundFont as mono samples, for players without a synthesizer, such as the web page.
///
/// The samples are small, because they travel over a network. The levels are rounded to 13 bits, with a rounding noise 83 dB below the
/// peak. A tone has 24 000 frames per second, and a drum 48 000. The lower rate suffices for tones: in the SoundFont TimGM6mb, the tones
/// of thirteen programs (mallets, kalimba, pianos, guitars, bass, organ, strings, flute) have less than 1/100 000 of their energy above
/// 12 kHz.
///
/// Real-time: not safe.
public final class SampleRenderer {
  /// A single sound.
  public enum Sound: Hashable, Sendable {
    /// A note of the drum kit, 0...127.
    case drum(UInt8)
    /// A key, 0...127, of a General MIDI program, 0...127.
    case tone(program: UInt8, key: UInt8)
  }

  /// A rendered sound.
  public struct Sample: Sendable {
    /// 16-bit samples whose lower three bits are 0; the loudest one has the magnitude 32 760. FLAC stores only the upper 13 bits.
    public var levels: [Int16]
    /// The number of frames per second.
    public var rate: Int64
    /// The factor that gives the samples the loudness of the peer's own sound at velocity 127.
    public var gain: Float
  }

  /// The rate at which sounds are rendered, in frames per second.
  private static let renderRate: Int64 = 48_000
  /// The unit of the levels: each level is a multiple of 8, so its lower three bits are 0.
  private static let step = 8
  private static let blockFrames = 64
  /// The FluidSynth gains, as in ``DrumLanes`` for drums and in ``ChannelSynthesizer`` for tones.
  private static let (drumGain, toneGain) = (1.6, 1.25)

  private let soundFont: SoundFont

  /// Loads a SoundFont.
  ///
  /// - Throws: ``AudioFileError`` if the file cannot be read or is not a SoundFont.
  public init(soundFont path: String) throws(AudioFileError) {
    soundFont = try SoundFont(path, rate: Self.renderRate)
  }

  /// Renders a sound at velocity 127 until it is silent, at most `milliseconds`. A longer sound is cut and fades out at its end.
  ///
  /// - Returns: nil if the SoundFont has no such sound.
  public func render(_ sound: Sound, milliseconds: Int) -> Sample? {
    let frames = Int(Self.renderRate) * milliseconds / 1000
    let isDrum = if case .drum = sound { true } else { false }
    let synthesizers = soundFont.makeSynthesizers(1, polyphony: 16, gain: isDrum ? Self.drumGain : Self.toneGain)
    defer { soundFont.deleteSynthesizers(synthesizers, count: 1) }
    let synthesizer = synthesizers[0]
    switch sound {
    case .drum(let note): fluid_synth_noteon(synthesizer, 9, Int32(note), 127)
    case .tone(let program, let key):
      fluid_synth_program_change(synthesizer, 0, Int32(program))
      fluid_synth_noteon(synthesizer, 0, Int32(key), 127)
    }
    var left = [Float](repeating: 0, count: Self.blockFrames)
    var right = left
    var mono: [Float] = []
    while mono.count < frames, fluid_synth_get_active_voice_count(synthesizer) > 0 {
      fluid_synth_write_float(synthesizer, Int32(Self.blockFrames), &left, 0, 1, &right, 0, 1)
      for frame in 0..<Self.blockFrames { mono.append((left[frame] + right[frame]) / 2) }
    }
    let isCut = mono.count >= frames
    if isCut {
      mono.removeLast(mono.count - frames)
      Self.fadeOut(&mono)
    }
    return isDrum
      ? Self.quantized(mono, rate: Self.renderRate) : Self.quantized(Self.halved(mono), rate: Self.renderRate / 2)
  }

  /// Fades out the last 0.2 s.
  private static func fadeOut(_ samples: inout [Float]) {
    let fade = min(samples.count, Int(renderRate) / 5)
    for frame in 0..<fade { samples[samples.count - 1 - frame] *= Float(frame) / Float(fade) }
  }

  /// Returns the samples at half the rate.
  ///
  /// The half-band filter (-1, 0, 9, 16, 9, 0, -1)/32 attenuates the frequencies that would alias: 12 kHz by 6 dB, 17 kHz by 20 dB. It
  /// attenuates 7 kHz by 0.9 dB. Its coefficients are those of the interpolation by a cubic through four points (G. Deslauriers, S. Dubuc,
  /// "Symmetric iterative interpolation processes", Constructive Approximation 5, 1989).
  private static func halved(_ samples: [Float]) -> [Float] {
    func sample(_ frame: Int) -> Float { samples.indices.contains(frame) ? samples[frame] : 0 }
    return stride(from: 0, to: samples.count, by: 2).map {
      (16 * samples[$0] + 9 * (sample($0 - 1) + sample($0 + 1)) - sample($0 - 3) - sample($0 + 3)) / 32
    }
  }

  /// Scales the samples to their peak, rounds them to 13 bits, and omits the silence at the end. Returns nil if all samples are 0.
  private static func quantized(_ samples: [Float], rate: Int64) -> Sample? {
    let peak = samples.reduce(0) { max($0, abs($1)) }
    guard peak > 0 else { return nil }
    let greatest = Float(Int(Int16.max) / step)
    var levels = samples.map { Int16(($0 / peak * greatest).rounded()) * Int16(step) }
    // Below -66 dB, a sample adds nothing that is audible.
    let last = levels.lastIndex { abs(Int($0)) >= 16 } ?? 0
    levels.removeLast(levels.count - 1 - last)
    return Sample(levels: levels, rate: rate, gain: peak * Float(Int16.max) / (greatest * Float(step)))
  }
}

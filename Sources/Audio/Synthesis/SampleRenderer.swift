import CFluidSynth

/// Renders single sounds of a SoundFont as mono samples, for players without a synthesizer, such as the web page.
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
    /// 16-bit samples; the loudest one has the magnitude 32 767.
    public var levels: [Int16]
    /// The factor that gives the samples the loudness of the peer's own sound at velocity 127.
    public var gain: Float
  }

  /// The sample rate in frames per second.
  public static let rate: Int64 = 48_000
  private static let blockFrames = 64
  /// The FluidSynth gains, as in ``DrumLanes`` for drums and in ``ChannelSynthesizer`` for tones.
  private static let (drumGain, toneGain) = (1.6, 1.25)

  private let soundFont: SoundFont

  /// Loads a SoundFont.
  ///
  /// - Throws: ``AudioFileError`` if the file cannot be read or is not a SoundFont.
  public init(soundFont path: String = DrumLanes.defaultSoundFont) throws(AudioFileError) {
    soundFont = try SoundFont(path, rate: Self.rate)
  }

  /// Renders a sound at velocity 127 until it is silent, at most `frames` frames. A longer sound fades out at its end.
  ///
  /// - Returns: nil if the SoundFont has no such sound.
  public func render(_ sound: Sound, frames: Int) -> Sample? {
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
    if isCut { mono.removeLast(mono.count - frames) }
    return Self.quantized(mono, fades: isCut)
  }

  /// Scales the samples to 16 bits, and omits the silence at the end.
  ///
  /// - Parameter fades: whether the last 0.2 s fade out.
  private static func quantized(_ samples: [Float], fades: Bool) -> Sample? {
    let peak = samples.reduce(0) { max($0, abs($1)) }
    guard peak > 0 else { return nil }
    var levels = samples.map { Int16(($0 / peak * 32_767).rounded()) }
    if fades {
      let fade = min(levels.count, Int(rate) / 5)
      for frame in 0..<fade {
        levels[levels.count - 1 - frame] = Int16(Float(levels[levels.count - 1 - frame]) * Float(frame) / Float(fade))
      }
    }
    // Below -66 dB, a sample adds nothing that is audible.
    let last = levels.lastIndex { abs(Int($0)) > 16 } ?? 0
    levels.removeLast(levels.count - 1 - last)
    return Sample(levels: levels, gain: peak)
  }
}

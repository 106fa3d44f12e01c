import CALSA

/// A sample format of a device, in the byte order of the machine. The formats are in the order of preference.
public enum PCMFormat: Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// ALSA format S32.
  case s32
  /// ALSA format S24: the low three bytes of four.
  case s24
  /// ALSA format S24_3LE: three bytes, always little-endian, because ALSA has no name for this format in the byte order of the
  /// machine.
  case s24Packed
  /// ALSA format S16.
  case s16
  /// ALSA format FLOAT.
  case float

  /// The format in ALSA.
  var alsa: snd_pcm_format_t {
    switch self {
    case .s32: SND_PCM_FORMAT_S32
    case .s24: SND_PCM_FORMAT_S24
    case .s24Packed: SND_PCM_FORMAT_S24_3LE
    case .s16: SND_PCM_FORMAT_S16
    case .float: SND_PCM_FORMAT_FLOAT
    }
  }

  /// Bytes per sample.
  ///
  /// Real-time: safe.
  var size: Int {
    @_noLocks @_noAllocation get {
      switch self {
      case .s32, .s24, .float: 4
      case .s24Packed: 3
      case .s16: 2
      }
    }
  }
}

extension PCMFormat {
  /// Appends the mean of all channels of each frame, full scale 1. A frame with a sample that is not finite counts as silence.
  ///
  /// - Parameters:
  ///   - bytes: interleaved frames in the byte order of the machine, which is little-endian.
  ///   - frames: the number of frames in `bytes`.
  ///   - channels: the number of channels.
  ///   - samples: the samples to which the means are appended.
  func appendMeans(of bytes: [UInt8], frames: Int, channels: Int, to samples: inout [Float]) {
    for frame in 0..<frames {
      var sum: Float = 0
      for channel in 0..<channels { sum += sample(bytes, at: (frame * channels + channel) * size) }
      samples.append(sum.isFinite ? sum / Float(channels) : 0)
    }
  }

  /// Returns the sample that begins at byte `start` of `bytes`.
  private func sample(_ bytes: [UInt8], at start: Int) -> Float {
    /// Returns the `count` bytes from `start` on as the most significant bytes of a 32-bit integer. The integer has the sign of the
    /// sample.
    func integer(_ count: Int) -> Int32 {
      var value: UInt32 = 0
      for index in 0..<count { value |= UInt32(bytes[start + index]) << UInt32(8 * (4 - count + index)) }
      return Int32(bitPattern: value)
    }
    return switch self {
    case .s32: Float(integer(4)) / 2_147_483_648
    case .s24, .s24Packed: Float(integer(3)) / 2_147_483_648
    case .s16: Float(integer(2)) / 2_147_483_648
    case .float: Float(bitPattern: UInt32(bitPattern: integer(4)))
    }
  }
}

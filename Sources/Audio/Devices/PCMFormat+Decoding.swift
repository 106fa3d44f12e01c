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

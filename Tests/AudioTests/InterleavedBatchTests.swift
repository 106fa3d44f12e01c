import Audio
import Testing

/// Tests of the conversion of samples to the format of a device.
@Suite struct InterleavedBatchTests {
  // The last value is half a step of 16 bits, which is rounded away from 0. NaN becomes 0. Values outside -1...1 are clipped.
  private let samples: [Float] = [0, 1, -1, 0.5, -0.5, 0.25, 2, -2, .nan, .infinity, -.infinity, 1e-9, 1 / 65_536]

  /// A block that begins with ``samples`` on the left channel, and with their negations on the right channel.
  private func block() -> StereoBlock {
    var block = StereoBlock()
    for (frame, sample) in samples.enumerated() { (block.left[frame], block.right[frame]) = (sample, -sample) }
    return block
  }

  /// The values of ``samples`` on `channel` of an interleaved buffer, as a device reads them.
  private func levels<Level: BitwiseCopyable>(
    _ format: PCMFormat, channels: Int, channel: Int, as type: Level.Type
  ) -> [Level] {
    var frames = InterleavedBatch(blocks: 1, format: format, channels: channels)
    frames.fill(block(), from: 0)
    return samples.indices.map { frame in
      let bytes = frames.bytes(from: frame)
      return bytes.load(fromByteOffset: channel * MemoryLayout<Level>.size, as: type)
    }
  }

  @Test func samplesAreConvertedTo16Bits() {
    let left = levels(.s16, channels: 2, channel: 0, as: Int16.self)
    #expect(left == [0, 32_767, -32_768, 16_384, -16_384, 8_192, 32_767, -32_768, 0, 32_767, -32_768, 0, 1])
    let right = levels(.s16, channels: 2, channel: 1, as: Int16.self)
    #expect(right == [0, -32_768, 32_767, -16_384, 16_384, -8_192, -32_768, 32_767, 0, -32_768, 32_767, 0, -1])
  }

  @Test func samplesAreConvertedTo32Bits() {
    let left = levels(.s32, channels: 2, channel: 0, as: Int32.self)
    let expected: [Int32] = [
      0, .max, .min, 1 << 30, -1 << 30, 1 << 29, .max, .min, 0, .max, .min, 2, 32_768,
    ]
    #expect(left == expected)
  }

  @Test func samplesAreConvertedTo24BitsInFourBytes() {
    let left = levels(.s24, channels: 2, channel: 0, as: Int32.self)
    let (most, least): (Int32, Int32) = (8_388_607, -8_388_608)
    #expect(left == [0, most, least, 1 << 22, -1 << 22, 1 << 21, most, least, 0, most, least, 0, 128])
    let right = levels(.s24, channels: 2, channel: 1, as: Int32.self)
    #expect(right == [0, least, most, -1 << 22, 1 << 22, -1 << 21, least, most, 0, least, most, 0, -128])
  }

  @Test(arguments: [1, 2, 3, 18]) func samplesAreConvertedTo24BitsInThreeBytes(channels: Int) {
    var frames = InterleavedBatch(blocks: 1, format: .s24Packed, channels: channels)
    frames.fill(block(), from: 0)
    var wide = InterleavedBatch(blocks: 1, format: .s24, channels: channels)
    wide.fill(block(), from: 0)
    // Compares every sample with the same sample in four bytes. The last byte of the last frame is included.
    let (bytes, words) = (frames.bytes(from: 0), wide.bytes(from: 0))
    for index in 0..<64 * channels {
      let low = Int32(
        (0..<3).reduce(0) { $0 | UInt32(bytes.load(fromByteOffset: index * 3 + $1, as: UInt8.self)) << (8 * $1) })
      // Shifting left and right by 8 bits extends the sign from bit 23.
      #expect((low << 8) >> 8 == words.load(fromByteOffset: index * 4, as: Int32.self), "\(index)")
    }
    #expect(frames.bytes(from: 63) == bytes + 63 * 3 * channels)
  }

  @Test(arguments: [1, 2, 5]) func blocksOfABatchFollowEachOther(channels: Int) {
    var batch = InterleavedBatch(blocks: 4, format: .s16, channels: channels)
    var block = StereoBlock()
    for number in 0..<4 {
      for frame in 0..<64 {
        block.left[frame] = Float(64 * number + frame + 1) / 32_768
        block.right[frame] = block.left[frame]
      }
      batch.fill(block, from: 64 * number)
    }
    #expect(batch.length == 256)
    let bytes = batch.bytes(from: 0)
    let left = (0..<256).map { bytes.load(fromByteOffset: $0 * channels * 2, as: Int16.self) }
    #expect(left == Array(1...256))
  }

  @Test func floatSamplesAreClippedToFullScale() {
    let left = levels(.float, channels: 2, channel: 0, as: Float.self)
    #expect(left == [0, 1, -1, 0.5, -0.5, 0.25, 1, -1, 0, 1, -1, 1e-9, 1 / 65_536])
  }

  @Test func extraChannelsAreSilentAndMonoIsTheMean() {
    for channel in 2..<8 {
      #expect(levels(.s16, channels: 8, channel: channel, as: Int16.self).allSatisfy { $0 == 0 })
    }
    // Channel 1 is the right one. It carries the negation of the second sample, 1.
    #expect(levels(.s16, channels: 8, channel: 1, as: Int16.self)[1] == -32_768)
    // The right channel is the negation of the left channel, so the mean is zero.
    #expect(levels(.s32, channels: 1, channel: 0, as: Int32.self).allSatisfy { $0 == 0 })
  }
}

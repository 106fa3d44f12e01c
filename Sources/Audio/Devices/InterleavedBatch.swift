/// The blocks that are written to a device at once, in the layout of the device: interleaved, in its sample format and with
/// its number of channels.
///
/// Channels 1 and 2 carry left and right, the other channels are silent. A single channel carries the mean of both. Samples
/// outside full scale are clipped. Integer formats round samples to the nearest level, halves away from zero.
package struct InterleavedBatch: ~Copyable, @unchecked Sendable {
  /// Frames per batch.
  ///
  /// Real-time: safe.
  package let length: Int64
  private let format: PCMFormat
  private let channels: Int
  // Invariant: allocated in init with `length` frames of `channels` samples of 4 bytes, aligned for each format, and freed
  // in deinit. Initialised to zero and never written beyond the second channel, so the other channels stay silent.
  private let memory: UnsafeMutableRawPointer

  /// Creates a silent batch of `blocks` blocks. `blocks` and `channels` must be 1 or more.
  ///
  /// Real-time: not safe.
  package init(blocks: Int, format: PCMFormat, channels: Int) {
    (self.format, self.channels) = (format, channels)
    length = Int64(blocks) * StereoBlock.length
    let size = Int(length) * channels * 4
    memory = .allocate(byteCount: size, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
  }

  deinit { memory.deallocate() }

  /// The bytes from `frame` on, valid until the next ``fill(_:from:)`` or until this value is destroyed.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  package func bytes(from frame: Int) -> UnsafeRawPointer {
    UnsafeRawPointer(memory + frame &* channels &* format.size)
  }

  /// Converts the samples of `block` and stores them at the frames `start..<start + 64`, which must be within the batch.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  package mutating func fill(_ block: borrowing StereoBlock, from start: Int) {
    var frame = 0
    while frame < Int(StereoBlock.length) {
      let (left, right) = (block.left[frame], block.right[frame])
      let index = (start &+ frame) &* channels
      if channels == 1 {
        put((left + right) / 2, at: index)
      } else {
        put(left, at: index)
        put(right, at: index &+ 1)
      }
      frame &+= 1
    }
  }

  /// Stores `sample` as sample number `index`, in the format of the device.
  @_noLocks @_noAllocation
  private func put(_ sample: Float, at index: Int) {
    switch format {
    case .s32:
      memory.storeBytes(of: Int32(Self.level(sample, scale: 2_147_483_648)), toByteOffset: index &* 4, as: Int32.self)
    case .s24:
      memory.storeBytes(of: Int32(Self.level(sample, scale: 8_388_608)), toByteOffset: index &* 4, as: Int32.self)
    case .s24Packed:
      let level = Int32(Self.level(sample, scale: 8_388_608))
      memory.storeBytes(of: UInt8(truncatingIfNeeded: level), toByteOffset: index &* 3, as: UInt8.self)
      memory.storeBytes(of: UInt8(truncatingIfNeeded: level &>> 8), toByteOffset: index &* 3 &+ 1, as: UInt8.self)
      memory.storeBytes(of: UInt8(truncatingIfNeeded: level &>> 16), toByteOffset: index &* 3 &+ 2, as: UInt8.self)
    case .s16: memory.storeBytes(of: Int16(Self.level(sample, scale: 32_768)), toByteOffset: index &* 2, as: Int16.self)
    case .float:
      // All comparisons with NaN are false, so NaN becomes 0.
      let bounded: Float = sample > 1 ? 1 : sample >= -1 ? sample : sample < -1 ? -1 : 0
      memory.storeBytes(of: bounded, toByteOffset: index &* 4, as: Float.self)
    }
  }

  /// Returns `sample`, where 1 is full scale, as an integer in -scale...scale - 1; 0 for NaN.
  @_noLocks @_noAllocation
  private static func level(_ sample: Float, scale: Double) -> Int64 {
    let value = Double(sample) * scale
    if value >= scale - 1 { return Int64(scale) &- 1 }
    if value <= -scale { return 0 &- Int64(scale) }
    return value == value ? Int64(value < 0 ? value - 0.5 : value + 0.5) : 0
  }
}

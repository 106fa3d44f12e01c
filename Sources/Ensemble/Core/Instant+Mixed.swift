import MusicalTime

extension Instant {
  /// A number of 32 bits that differs for nearly equal instants as a random number does. The product with an odd constant mixes the bits
  /// (Knuth, *The Art of Computer Programming* 3, section 6.4).
  ///
  /// - Parameter salt: makes the numbers of several peers differ.
  func mixed(with salt: UInt64 = 0) -> UInt64 {
    ((UInt64(bitPattern: nanoseconds) ^ salt) &* 0x9E37_79B9_7F4A_7C15) >> 32
  }
}

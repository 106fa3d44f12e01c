import MusicalTime

/// Lengthens intervals by a random part of up to a sixteenth.
///
/// Packets at equal intervals can always leave at the same phase of another periodic process: a clock that counts whole
/// units, the packets of another peer, or the ticks. Averaging does not remove the resulting error of measurement.
/// Intervals that vary by milliseconds cover all phases equally.
///
/// The random numbers are those of SplitMix64 (Steele, Lea and Flood: "Fast splittable pseudorandom number generators",
/// OOPSLA 2014): equal seeds give equal intervals. The numbers are not secret.
package struct Dither: BitwiseCopyable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  /// Returns `interval` plus a random part of up to a sixteenth of it.
  ///
  /// Real-time: not safe.
  package mutating func lengthen(_ interval: Nanoseconds) -> Nanoseconds {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    let limit = UInt64(clamping: interval.count) / 16
    // Scales the random number 0..<2^64 to 0..<limit.
    return interval + Nanoseconds(Int64(mixed.multipliedFullWidth(by: limit).high))
  }
}

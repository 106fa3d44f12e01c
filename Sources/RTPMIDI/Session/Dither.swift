import MusicalTime

/// Lengthens intervals, each by another part of a sixteenth of it.
///
/// What is sent at equal intervals meets a clock that counts whole units, another peer's packets or the ticks at the same
/// phase again and again, and what that phase adds to every reading no averaging takes out. At intervals spread over
/// milliseconds all phases come alike. The numbers are SplitMix64's (Steele, Lea and Flood: "Fast splittable pseudorandom
/// number generators", OOPSLA 2014), so that equal seeds give equal intervals; they are no secret.
struct Dither: BitwiseCopyable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// `interval`, and up to a sixteenth of it.
  mutating func lengthen(_ interval: Nanoseconds) -> Nanoseconds {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    let most = UInt64(clamping: interval.count) / 16
    return interval + Nanoseconds(Int64(mixed.multipliedFullWidth(by: most).high))
  }
}

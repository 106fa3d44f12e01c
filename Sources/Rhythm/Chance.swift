/// Decisions by chance with the same result on every peer.
///
/// A stroke with a chance must sound on all peers or on none. A running random number generator would need the same history on all
/// peers. Instead, the decision is a hash of the seed of the patch and of the position: the bar, the line and the tick in the bar. A
/// peer that joins later, or that plans steps again after a tempo change, decides in the same way.
///
/// The hash applies the finalizer of MurmurHash3 (Appleby 2011, `fmix32`, public domain) to each of the four numbers in
/// turn. It needs only 32-bit arithmetic, so JavaScript computes it with `Math.imul`. <doc:Patches> contains test vectors.
enum Chance {
  /// Returns the hash of a position.
  ///
  /// - Parameters:
  ///   - seed: The seed of the patch.
  ///   - bar: The number of the bar, counted from the first downbeat of the rhythm; the lower 32 bits are used.
  ///   - line: The number of the line, or ``fill``. The number of a line of drums is its index in the ``StepTable``. The lines of the
  ///     pitched parts have the numbers from ``StepTable/maximumLines`` on.
  ///   - tick: The tick in the bar.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  static func hash(seed: UInt32, bar: Int64, line: UInt32, tick: UInt32) -> UInt32 {
    var hash = mix(seed &+ 0x9E37_79B9)
    hash = mix((hash ^ UInt32(truncatingIfNeeded: bar)) &+ 0x9E37_79B9)
    hash = mix((hash ^ line) &+ 0x9E37_79B9)
    return mix((hash ^ tick) &+ 0x9E37_79B9)
  }

  /// The argument `line` of the hash that decides whether the fill sounds in a bar. No line has this number. The argument
  /// `tick` of this hash is 0.
  static var fill: UInt32 { @_noLocks @_noAllocation get { 255 } }

  /// Whether an event with a chance of `percent`, 0...100, takes place.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  static func happens(_ percent: Int, _ hash: UInt32) -> Bool {
    // The hash, scaled to 0..<100.
    (UInt64(hash) * 100) >> 32 < UInt64(percent)
  }

  /// The finalizer of MurmurHash3: each bit of the result depends on each bit of `value`. It maps 0 to 0. Therefore
  /// ``hash(seed:bar:line:tick:)`` adds a constant before each call: 2^32 divided by the golden ratio.
  @_noLocks @_noAllocation
  private static func mix(_ value: UInt32) -> UInt32 {
    var hash = value
    hash ^= hash >> 16
    hash = hash &* 0x85EB_CA6B
    hash ^= hash >> 13
    hash = hash &* 0xC2B2_AE35
    return hash ^ hash >> 16
  }
}

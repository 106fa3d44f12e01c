/// A test vector for the hash that decides whether a stroke with a chance (a probability) sounds: the position of the stroke and its
/// hash. The documentation of patches contains the same vectors.
struct ChanceVector: Encodable {
  /// The seed of the patch.
  var seed: UInt32
  /// The bar, counted from the start of the rhythm.
  var bar: Int64
  /// The index of the line in the patch. Line 255 decides whether a fill sounds.
  var line: UInt32
  /// The tick in the bar.
  var tick: UInt32
  var hash: UInt32

  static let all = [
    ChanceVector(seed: 0, bar: 0, line: 0, tick: 0, hash: 0xA040_DBE3),
    ChanceVector(seed: 0, bar: 0, line: 0, tick: 6, hash: 0xC81D_6929),
    ChanceVector(seed: 0, bar: 1, line: 0, tick: 0, hash: 0xE8A7_E13D),
    ChanceVector(seed: 0, bar: 0, line: 1, tick: 0, hash: 0xD047_6DEB),
    ChanceVector(seed: 1, bar: 0, line: 0, tick: 0, hash: 0xBA01_739F),
    ChanceVector(seed: .max, bar: -1, line: 63, tick: 767, hash: 0xB7AB_6C0D),
    ChanceVector(seed: 7, bar: 1_000_000, line: 255, tick: 0, hash: 0x5571_9FB5),
  ]
}

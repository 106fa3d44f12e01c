/// The loudness of a sound, which changes without clicks.
///
/// A level of p percent has the gain (p / 100)², that is, 40 log10(p / 100) dB, as General MIDI recommends for Channel Volume
/// (CC 7).
struct Fader: Sendable, BitwiseCopyable {
  /// The gain that was applied to the last frame.
  private var gain: Float = 1
  /// The gain that ``apply(to:_:)`` reaches with its last frame.
  private var target: Float = 1

  @_noLocks @_noAllocation
  init() {}

  /// Sets the level in percent, 0...100.
  @_noLocks @_noAllocation
  mutating func set(percent: UInt8) {
    let level = Float(percent) / 100
    target = level * level
  }

  /// Applies the gain to both channels. After a change of the level, the gain moves linearly over these frames to the new value.
  @_noLocks @_noAllocation
  mutating func apply(to left: inout MutableSpan<Float>, _ right: inout MutableSpan<Float>) {
    let count = left.count < right.count ? left.count : right.count
    if count == 0 || gain == 1 && target == 1 { return }
    let slope = (target - gain) / Float(count)
    var frame = 0
    while frame < count {
      gain += slope
      left[frame] *= gain
      right[frame] *= gain
      frame += 1
    }
    gain = target
  }
}

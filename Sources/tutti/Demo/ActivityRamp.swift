/// The activity of the first peer of the demo. It rises from 0 to 127 in the first three quarters of the rhythm, so that all layers of
/// the patch are heard, and then stays at 127.
struct ActivityRamp {
  /// The length of the rhythm in ticks, at least 1.
  let ticks: Int64

  /// The activity at `tick`, 0...127.
  func value(at tick: Int64) -> UInt8 {
    let end = max(1, ticks * 3 / 4)
    return UInt8(min(max(tick, 0), end) * 127 / end)
  }
}

import MusicalTime

/// The number of frames that ``CardLoop`` keeps in the buffer of a device.
///
/// The level rises by one step after an underrun that was not caused by a late thread. It falls by one step after each minute
/// without an underrun, because the cause may have been a temporary stall. It never falls below ``floor``. Underruns of a sound server
/// that fills its own buffer (``StartSeries``) are not recorded here.
///
/// The floor begins at the initial level. Two kinds of underrun show that the device always needs the higher level, and raise the
/// floor to the new level: an underrun shortly after the start, and an underrun within a minute after the level has fallen.
struct FillLevel: Sendable, BitwiseCopyable {
  /// The level in frames.
  private(set) var frames: Int64 = 0
  /// The level below which ``frames`` does not fall, in frames.
  private(set) var floor: Int64 = 0
  /// The frames by which the level rises or falls.
  private var step: Int64 = 0
  /// The size of the device's buffer in frames.
  private var capacity: Int64 = 0
  /// The instant of the last event: an underrun, a fall of the level, or the opening of the device.
  private var lastEvent = Instant(nanoseconds: 0)
  /// When the level last fell; nil if it has not fallen since the device was opened or the level rose.
  private var lastFall: Instant?

  /// The time without an underrun after which the level falls.
  static var patience: Nanoseconds { @_noLocks @_noAllocation get { .seconds(60) } }

  @_noLocks @_noAllocation
  init() {}

  /// Applies the parameters of an opened device: the initial level, the step and the size of the buffer, all in frames. The level
  /// does not fall, unless the buffer is too small for it.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func adopt(initial: Int64, step: Int64, capacity: Int64, at now: Instant) {
    (self.step, self.capacity) = (step, capacity)
    if frames < initial { frames = initial }
    if floor < initial { floor = initial }
    if frames > capacity { frames = capacity }
    if floor > capacity { floor = capacity }
    (lastEvent, lastFall) = (now, nil)
  }

  /// Records an underrun. Raises the level if `raises` is true and the buffer permits it.
  ///
  /// - Parameter isStarting: whether the device has just been started.
  /// - Returns: whether the level has risen.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func recordUnderrun(raises: Bool, isStarting: Bool, at now: Instant) -> Bool {
    lastEvent = now
    guard raises, frames < capacity else { return false }
    var followsFall = false
    if let fall = lastFall { followsFall = now - fall < Self.patience }
    lastFall = nil
    frames = frames &+ step < capacity ? frames &+ step : capacity
    if isStarting || followsFall { floor = frames }
    return true
  }

  /// Lowers the level by a step, but not below ``floor``, if no underrun has occurred and the level has not changed for a minute.
  /// Returns whether the level has fallen.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func fall(at now: Instant) -> Bool {
    guard frames > floor, now - lastEvent >= Self.patience else { return false }
    frames = frames &- step > floor ? frames &- step : floor
    (lastEvent, lastFall) = (now, now)
    return true
  }
}

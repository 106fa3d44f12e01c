public import MIDI

/// The present values of the controls of a player, each 0...127.
///
/// A controller begins at 64, the centre. The force begins at 88, a normal stroke, the activity at 0, and the key at 60,
/// middle C.
public struct PlayerControls: Sendable, BitwiseCopyable {
  /// The force of the last action, 1...127.
  ///
  /// Real-time: safe.
  public private(set) var force: UInt8 = 88
  /// The activity of the player.
  ///
  /// Real-time: safe.
  public private(set) var activity: UInt8 = 0
  /// The last played key.
  ///
  /// Real-time: safe.
  public private(set) var key: UInt8 = 60
  private var controllers = InlineArray<128, UInt8>(repeating: 64)

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init() {}

  /// The value of a control.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func value(of source: ControlSource) -> UInt8 {
    switch source {
    case .controller(let number): controllers[Int(number & 0x7F)]
    case .force: force
    case .activity: activity
    case .key: key
    }
  }

  /// Sets a MIDI controller. Expression (CC 11) also sets the force, because some devices send no notes. Expression 0 sets the force
  /// to 1.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func set(controller: UInt7, to value: UInt7) {
    controllers[Int(controller.value)] = value.value
    if controller.value == 11 { set(force: value.value) }
  }

  /// Sets the activity, 0...127; a larger value counts as 127.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func set(activity: UInt8) { self.activity = activity < 127 ? activity : 127 }

  /// Sets the force and, if the action has one, the key.
  @_noLocks @_noAllocation
  mutating func set(force: UInt8, key: UInt8? = nil) {
    self.force = force < 1 ? 1 : force > 127 ? 127 : force
    if let key { self.key = key < 127 ? key : 127 }
  }
}

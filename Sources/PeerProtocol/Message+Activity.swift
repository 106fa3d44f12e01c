public import MIDI

extension Message {
  /// Whether a Tutti peer reports activity with this message: on channel 1, Expression (controller 11) with the activity of its player,
  /// or Channel Volume (controller 7) with the total activity.
  ///
  /// Real-time: safe.
  public var reportsActivity: Bool {
    @_noLocks @_noAllocation get {
      guard case .controlChange(let channel, let controller, _) = self, channel.wire == 0 else { return false }
      return controller.value == 7 || controller.value == 11
    }
  }
}

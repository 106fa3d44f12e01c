public import MIDI

extension Message {
  /// Whether another player may change the sound of an instrument with this message: a controller that has an effect on
  /// the character of the sound. Only the player of the instrument may send volume (7), pan (10), expression (11),
  /// pedals (64...69), banks, parameters and mode messages. Controllers 32...63, the lower halves (LSB) of 0...31, are excluded too.
  ///
  /// Real-time: safe.
  public var shapesInstrument: Bool {
    @_noLocks @_noAllocation get {
      guard case .controlChange(_, let controller, _) = self else { return false }
      return switch controller.value {
      case 1...5, 8, 9, 12...31, 70...95, 102...119: true
      default: false
      }
    }
  }
}

import MIDI
import MusicalTime

// What the commands of a packet come to.
extension PacketReceiver {
  /// The event of a command of the open packet, nil when it is held back or has not come to its end.
  @_noLocks @_noAllocation
  mutating func event(
    of command: CommandCursor.Command, at instant: Instant, in packet: Span<UInt8>
  ) -> Event? {
    switch command {
    case .message(let message):
      if let latePlace, !isRightInAnyOrder(message, from: latePlace) {
        counts.heldBack &+= 1
        return nil
      }
      switch message {
      case .start, .continue, .stop, .songPosition: transportPlace = window.highest
      default: break
      }
      state.apply(message)
      return .message(message, instant)
    case .systemExclusive(let segment):
      guard latePlace == nil else {
        counts.heldBack &+= 1
        return nil
      }
      switch segment.kind {
      case .whole, .first: state.exclusives &+= 1
      case .middle, .last, .cancel: break
      }
      return assembly.take(segment, in: packet) ? .systemExclusive(instant) : nil
    }
  }

  @_noLocks @_noAllocation
  private func isRightInAnyOrder(_ message: Message, from place: Int64) -> Bool {
    if case .clock = message { return place > transportPlace }
    return message.silencesNote
  }
}

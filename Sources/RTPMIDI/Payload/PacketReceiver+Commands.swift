import MIDI
import MusicalTime

// Delivery of the commands of a packet.
extension PacketReceiver {
  /// The event of a command in the open packet; nil if the command is held back or is not complete.
  @_noLocks @_noAllocation
  mutating func event(
    of command: CommandCursor.Command, at instant: Instant, in packet: Span<UInt8>
  ) -> Event? {
    switch command {
    case .message(let message):
      if let latePlace, !isIndependentOfOrder(message, from: latePlace) {
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
      return assembly.append(segment, in: packet) ? .systemExclusive(instant) : nil
    }
  }

  /// Whether the message of a late packet can still be delivered: a Clock after the last transport command, or a
  /// command that silences notes.
  @_noLocks @_noAllocation
  private func isIndependentOfOrder(_ message: Message, from place: Int64) -> Bool {
    if case .clock = message { return place > transportPlace }
    return message.silencesNote
  }
}

import MIDI
import MusicalTime

// Delivery of the commands of a packet.
extension PacketReceiver {
  /// Applies a command of the open packet to ``state``, and returns its event. Returns nil if the command is held back
  /// because the packet is late, or if a System Exclusive is not complete.
  @_noLocks @_noAllocation
  mutating func event(
    of command: CommandCursor.Command, at instant: Instant, in packet: Span<UInt8>
  ) -> Event? {
    switch command {
    case .message(let message):
      if let latePlace, !isIndependentOfOrder(message, inPacket: latePlace) {
        counts.heldBack &+= 1
        return nil
      }
      switch message {
      // These messages of a late packet were held back above. The open packet is therefore not late: it is the newest
      // packet of the stream.
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

  /// Whether a message of a late packet can still be delivered. A Clock can be delivered if no Start, Continue, Stop or
  /// Song Position has arrived in a later packet. A command that silences a note can always be delivered.
  ///
  /// - Parameter place: the index of the late packet in the stream (``PacketReceiver``).
  @_noLocks @_noAllocation
  private func isIndependentOfOrder(_ message: Message, inPacket place: Int64) -> Bool {
    if case .clock = message { return place > transportPlace }
    return message.silencesNote
  }
}

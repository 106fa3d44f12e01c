import CALSA
public import MIDI

// Sending messages to other programs.
extension Sequencer {
  /// Sends `message` from `port` to all its subscribers, immediately and without a queue. Only one thread may send.
  ///
  /// - Returns: false if a subscriber could not receive the message. The other subscribers receive it in any case.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func send(_ message: Message, from port: Port) -> Bool {
    var event = snd_seq_event_t(message)
    return sequencer_send(handle, Int32(port.number), &event) >= 0
  }

  /// Sends `message` from `port` only to `address`, for example to a late joiner, immediately and without a queue. Only
  /// one thread may send.
  ///
  /// - Returns: false if the port at `address` does not exist or could not receive the message.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func send(_ message: Message, from port: Port, to address: SequencerAddress) -> Bool {
    var event = snd_seq_event_t(message)
    return sequencer_send_to(handle, Int32(port.number), address.raw, &event) >= 0
  }
}

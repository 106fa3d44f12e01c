import CALSA
public import MIDI

extension Sequencer {
  /// Sends `message` from `port` to all that are connected to it, now, without a queue. One thread sends.
  ///
  /// - Returns: false when one of them could not take it; the others have it all the same.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func send(_ message: Message, from port: Port) -> Bool {
    var event = snd_seq_event_t(message)
    return sequencer_send(handle, Int32(port.number), &event) >= 0
  }

  /// Sends `message` from `port` to `address` alone, now, without a queue: to one that joined late. One thread sends.
  ///
  /// - Returns: false when it could not take it, or is not there.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func send(_ message: Message, from port: Port, to address: SequencerAddress) -> Bool {
    var event = snd_seq_event_t(message)
    return sequencer_send_to(handle, Int32(port.number), address.raw, &event) >= 0
  }
}

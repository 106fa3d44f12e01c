import BasicContainers
import MIDI

/// What each message leaves behind: RFC 6295, appendix A.1, which commands are active, and A.2...A.9.
extension CheckpointHistory {
  /// Takes what packet `packet` has said.
  @_noLocks @_noAllocation
  mutating func record(_ message: Message, in packet: UInt16) {
    switch message {
    case .clock: system.sequencer.clock(packet, if: isRecording)
    case .noteOn(let channel, let key, let velocity):
      if velocity.value == 0 {
        recordNoteOff(channel, key, velocity: 64, packet)
      } else {
        recordNoteOn(channel, key, velocity, packet)
      }
    case .noteOff(let channel, let key, let velocity): recordNoteOff(channel, key, velocity: velocity, packet)
    case .polyphonicPressure(let channel, let key, let pressure):
      note(HistoryEntry(.a, channel, key.value, packet: packet, pressure.value))
    case .controlChange(let channel, let controller, let value): record(controller, value, channel, packet)
    case .programChange(let channel, let program): recordProgram(channel, program, packet)
    case .channelPressure(let channel, let pressure): note(HistoryEntry(.t, channel, packet: packet, pressure.value))
    case .pitchBend(let channel, let bend):
      note(HistoryEntry(.w, channel, packet: packet, bend.low.value, bend.high.value))
    case .reset: recordReset(packet)
    default: system.record(message, packet, if: isRecording)
    }
  }

  /// Takes a piece, which packet `packet` has said, of a System Exclusive with the data octets `data`.
  ///
  /// - Parameter isKept: whether a receiver that has lost it is to get it from the journal.
  @_noLocks @_noAllocation
  mutating func record(
    systemExclusive data: borrowing RigidArray<UInt8>, from start: Int, to end: Int, isKept: Bool, in packet: UInt16
  ) {
    let dropped = exclusives.record(data, from: start, to: end, isKept: isKept, packet: packet, if: isRecording)
    addForgotten(dropped)
  }

  @_noLocks @_noAllocation
  private mutating func recordNoteOn(_ channel: Channel, _ key: UInt7, _ velocity: UInt7, _ packet: UInt16) {
    let index = Int(channel.wire) << 7 | Int(key.value)
    let count = references[index] < 127 ? references[index] + 1 : 127
    references[index] = count
    note(HistoryEntry(.n, channel, key.value, packet: packet, velocity.value, count, 1))
  }

  @_noLocks @_noAllocation
  private mutating func recordNoteOff(_ channel: Channel, _ key: UInt7, velocity: UInt7, _ packet: UInt16) {
    let index = Int(channel.wire) << 7 | Int(key.value)
    let count = references[index] > 0 ? references[index] - 1 : 0
    references[index] = count
    note(HistoryEntry(.n, channel, key.value, packet: packet, velocity.value, count, 0))
  }

  /// A program change takes the bank with it: controllers 0 and 32 before it are told by Chapter P.
  @_noLocks @_noAllocation
  private mutating func recordProgram(_ channel: Channel, _ program: UInt7, _ packet: UInt16) {
    var high: UInt8 = 0
    var low: UInt8 = 0
    if let bank = channels[Int(channel.wire)].bank {
      high = 0x80 | bank.high.value
      low = .bit(0x80, if: bank.isBeforeReset) | bank.low.value
    }
    removeAll(HistoryEntry.place(.c, channel), 0)
    removeAll(HistoryEntry.place(.c, channel), 32)
    note(HistoryEntry(.p, channel, packet: packet, program.value, high, low))
  }

  /// Nothing said before a Reset stands.
  @_noLocks @_noAllocation
  private mutating func recordReset(_ packet: UInt16) {
    entries.removeAll()
    exclusives.removeAll()
    parameters.removeAll()
    for channel in 0..<16 { channels[channel].reset() }
    for index in 0..<references.count { references[index] = 0 }
    system.reset(packet, if: isRecording)
  }
}

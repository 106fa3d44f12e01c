import BasicContainers
import MIDI

/// Recording of sent commands: RFC 6295, appendix A.1 (which commands are active) and appendices A.2...A.9.
extension CheckpointHistory {
  /// Records a command of packet `packet`.
  @_noLocks @_noAllocation
  mutating func record(_ message: Message, in packet: UInt16) {
    switch message {
    // Clock is the most frequent command. This case has the same effect as the default case, without its second switch.
    case .clock: system.sequencer.clock(packet, if: isRecording)
    case .noteOn(let channel, let key, let velocity):
      if velocity.value == 0 {
        // A Note On with velocity 0 is a Note Off with velocity 64 (MIDI 1.0).
        recordNoteOff(key, velocity: 64, on: channel, in: packet)
      } else {
        recordNoteOn(key, velocity: velocity, on: channel, in: packet)
      }
    case .noteOff(let channel, let key, let velocity):
      recordNoteOff(key, velocity: velocity, on: channel, in: packet)
    case .polyphonicPressure(let channel, let key, let pressure):
      update(HistoryEntry(.a, channel, number: key.value, packet: packet, first: pressure.value))
    case .controlChange(let channel, let controller, let value):
      recordControlChange(controller, value: value, on: channel, in: packet)
    case .programChange(let channel, let program): recordProgram(program, on: channel, in: packet)
    case .channelPressure(let channel, let pressure):
      update(HistoryEntry(.t, channel, packet: packet, first: pressure.value))
    case .pitchBend(let channel, let bend):
      update(HistoryEntry(.w, channel, packet: packet, first: bend.low.value, second: bend.high.value))
    case .reset: recordReset(in: packet)
    default: system.record(message, packet, if: isRecording)
    }
  }

  /// Records the octets from `start` to `end` of a System Exclusive, which are part of packet `packet`.
  ///
  /// - Parameters:
  ///   - data: all data octets of the System Exclusive.
  ///   - isKept: whether the journal contains the data, so that a receiver that lost the packet can recover them.
  @_noLocks @_noAllocation
  mutating func record(
    systemExclusive data: borrowing RigidArray<UInt8>, from start: Int, to end: Int, isKept: Bool, in packet: UInt16
  ) {
    let dropped = exclusives.record(data, from: start, to: end, isKept: isKept, packet: packet, if: isRecording)
    addDiscarded(dropped)
  }

  @_noLocks @_noAllocation
  private mutating func recordNoteOn(_ key: UInt7, velocity: UInt7, on channel: Channel, in packet: UInt16) {
    let index = Int(channel.wire) << 7 | Int(key.value)
    let count = references[index] < 127 ? references[index] + 1 : 127
    references[index] = count
    // `third` is 1: the newest command of the note is a Note On.
    update(
      HistoryEntry(
        .n, channel, number: key.value, packet: packet, first: velocity.value, second: count, third: 1))
  }

  @_noLocks @_noAllocation
  private mutating func recordNoteOff(_ key: UInt7, velocity: UInt7, on channel: Channel, in packet: UInt16) {
    let index = Int(channel.wire) << 7 | Int(key.value)
    let count = references[index] > 0 ? references[index] - 1 : 0
    references[index] = count
    // `third` is 0: the newest command of the note is a Note Off.
    update(
      HistoryEntry(
        .n, channel, number: key.value, packet: packet, first: velocity.value, second: count, third: 0))
  }

  /// Records a program change. Chapter P contains the bank, so the entries of controllers 0 and 32 are removed.
  @_noLocks @_noAllocation
  private mutating func recordProgram(_ program: UInt7, on channel: Channel, in packet: UInt16) {
    var high: UInt8 = 0
    var low: UInt8 = 0
    if let bank = channels[Int(channel.wire)].bank {
      high = 0x80 | bank.high.value
      low = .bit(0x80, if: bank.isBeforeReset) | bank.low.value
    }
    removeAll(HistoryEntry.chapterID(.c, channel), number: 0)
    removeAll(HistoryEntry.chapterID(.c, channel), number: 32)
    update(HistoryEntry(.p, channel, packet: packet, first: program.value, second: high, third: low))
  }

  /// Records a System Reset, which makes all earlier commands inactive.
  @_noLocks @_noAllocation
  private mutating func recordReset(in packet: UInt16) {
    entries.removeAll()
    exclusives.removeAll()
    parameters.removeAll()
    for channel in 0..<16 { channels[channel].reset() }
    // All notes have ended, so their reference counts are 0.
    for index in 0..<references.count { references[index] = 0 }
    system.reset(packet, if: isRecording)
  }
}

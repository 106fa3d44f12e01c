import BasicContainers

/// The System Exclusive commands that a stream has sent since the checkpoint, for Chapter X. The chapter lists all of
/// them, the oldest first, each with its number and, if there is space, its data.
///
/// A receiver counts the commands that it has received, and derives from the numbers which ones it lacks. Therefore
/// every command has a log, even if its data are not kept: a log without data informs the receiver that it cannot
/// recover the command. There is one exception: a command that is recorded without data replaces the log directly before
/// it, if that log has no data either. The number of the new log then shows that both commands exist. Logs whose data are
/// discarded later are not merged.
struct ExclusiveHistory: ~Copyable {
  private struct Log: BitwiseCopyable {
    /// The number of the command in the stream, modulo 256.
    var number: UInt8
    /// The packet with the newest segment of the command.
    var packet: UInt16
    /// The number of octets of ``data`` that belong to this command.
    var octets: UInt16 = 0
    /// Whether ``data`` contains all octets of the command that were sent so far. If not, it contains none of them.
    var isKept: Bool
    var status = ExclusiveLog.Status.open

    var isOpen: Bool {
      @_noLocks @_noAllocation get {
        if case .open = status { return true }
        return false
      }
    }
  }

  /// The number of commands that the stream has begun, modulo 256.
  private var count: UInt8 = 0
  private var logs: RigidArray<Log>
  /// The data of the logs, in the order of the logs.
  private var data: RigidArray<UInt8>

  /// - Parameters:
  ///   - logs: the maximum number of commands.
  ///   - octets: the maximum number of data octets of all commands together.
  init(logs: Int, octets: Int) {
    self.logs = RigidArray(capacity: logs)
    data = RigidArray(capacity: octets)
  }

  var isEmpty: Bool { @_noLocks @_noAllocation get { logs.isEmpty } }

  /// Removes the commands, and counts from 0 again.
  @_noLocks @_noAllocation
  mutating func restart() {
    count = 0
    removeAll()
  }

  /// Removes the commands, but continues their count.
  @_noLocks @_noAllocation
  mutating func removeAll() {
    logs.removeAll()
    data.removeAll()
  }

  /// Records the octets from `start` to `end` of a command.
  ///
  /// - Parameters:
  ///   - octets: all data octets of the command.
  ///   - isKept: whether the journal contains the data.
  ///   - packet: the sequence number of the packet that contains the octets.
  ///   - isRecording: whether the history is recorded. If not, the command is only counted.
  /// - Returns: how often a command was discarded to make room: its data or its log. A command counts twice if its data
  ///   are discarded first and its log later.
  @_noLocks @_noAllocation
  mutating func record(
    _ octets: borrowing RigidArray<UInt8>, from start: Int, to end: Int, isKept: Bool, packet: UInt16,
    if isRecording: Bool
  ) -> Int {
    if start == 0 { count &+= 1 }
    guard isRecording else { return 0 }
    var dropped = 0
    if start == 0 {
      // A new command ends the previous one.
      if !logs.isEmpty, logs[logs.count - 1].isOpen { logs[logs.count - 1].status = .cancelled }
      // The receiver compares the numbers modulo 256. It would take a command that is 128 or more behind for a new one.
      while !logs.isEmpty, count &- logs[0].number >= 128 {
        dropped += 1
        _ = removeFirst()
      }
      if logs.freeCapacity == 0 {
        // Counted even if the log has no data: without the log, a receiver that lacks the command does not learn of the loss.
        dropped += 1
        _ = removeFirst()
      }
      logs.append(Log(number: count, packet: packet, isKept: isKept))
    } else if logs.isEmpty {
      // The history does not contain the beginning of the command: it was sent before the recording started, or was
      // removed by a Reset or for lack of space. A log without data informs the receiver that it cannot recover the
      // command.
      logs.append(Log(number: count, packet: packet, isKept: false))
    }
    let last = logs.count - 1
    // An open log is always the last one, and is removed only together with all others. As long as this command is open,
    // the last log is therefore its log. The guard fails only if the caller continues a command that has ended, or that
    // another command has cancelled. A receiver drops such a segment, so the segment is not recorded.
    guard logs[last].isOpen else { return dropped }
    logs[last].packet = packet
    if end >= octets.count { logs[last].status = .finished }
    if logs[last].isKept {
      let total = end - start
      while data.freeCapacity < total {
        // The data of the oldest log with kept data are discarded. There is always such a log, because the last log is one. If
        // the last log is chosen, it is counted even if it has no data so far, because its data should have been kept.
        guard let first = firstKeptLog() else { break }
        dropped += 1
        dropData(ofLogAt: first)
        if first == last { break }
      }
      if logs[last].isKept {
        for index in start..<end { data.append(octets[index]) }
        logs[last].octets += UInt16(truncatingIfNeeded: total)
      }
    }
    if !logs[last].isKept { removeLogWithoutData(before: last) }
    return dropped
  }

  /// Removes the commands that ended in packet `packet` or before. Returns how many of them had their data kept.
  @_noLocks @_noAllocation
  mutating func trim(through packet: UInt16) -> Int {
    var count = 0
    while !logs.isEmpty {
      if logs[0].isOpen { break }
      if logs[0].packet.isAfter(packet) { break }
      if logs[0].isKept { count += 1 }
      _ = removeFirst()
    }
    return count
  }

  /// Whether a command with data was sent in packet `checkpoint` or later.
  @_noLocks @_noAllocation
  func hasData(since checkpoint: UInt16) -> Bool {
    for index in 0..<logs.count where logs[index].isKept {
      if !checkpoint.isAfter(logs[index].packet) { return true }
    }
    return false
  }

  /// Whether any command was sent in packet `checkpoint` or later.
  @_noLocks @_noAllocation
  func hasCommands(since checkpoint: UInt16) -> Bool {
    // The last log is the newest, so its packet decides. It may be older than the checkpoint, because `trim(through:)` keeps
    // an open command.
    logs.isEmpty ? false : !checkpoint.isAfter(logs[logs.count - 1].packet)
  }

  /// Whether packet `last` contains a part of a command.
  @_noLocks @_noAllocation
  func isUpdated(by last: UInt16) -> Bool { logs.isEmpty ? false : logs[logs.count - 1].packet == last }

  /// Appends Chapter X. `last` is the sequence number of the packet directly before the one that is being encoded.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>, last: UInt16) throws(JournalOverflow) {
    var start = 0
    let isUpdated = isUpdated(by: last)
    for index in 0..<logs.count {
      let log = logs[index]
      // The S bit of the first log is that of the chapter.
      let header = ExclusiveLog(
        s: index == 0 ? !isUpdated : log.packet != last, count: log.number, isListed: true,
        status: log.status)
      try header.append(data, from: start, count: Int(log.octets), to: &packet)
      start += Int(log.octets)
    }
  }

  /// Returns the index of the oldest log whose data are kept.
  @_noLocks @_noAllocation
  private func firstKeptLog() -> Int? {
    for index in 0..<logs.count where logs[index].isKept { return index }
    return nil
  }

  /// Removes the data of the log at `index`, but keeps the log.
  @_noLocks @_noAllocation
  private mutating func dropData(ofLogAt index: Int) {
    var start = 0
    for before in 0..<index { start += Int(logs[before].octets) }
    data.removeSubrange(start..<start + Int(logs[index].octets))
    logs[index].octets = 0
    logs[index].isKept = false
  }

  /// Removes the first command. Returns the packet of its newest segment; nil if there is no command.
  @_noLocks @_noAllocation
  mutating func removeFirst() -> UInt16? {
    guard !logs.isEmpty else { return nil }
    let packet = logs[0].packet
    data.removeSubrange(0..<Int(logs[0].octets))
    logs.remove(at: 0)
    return packet
  }

  /// Removes the log directly before `index` if it has no data. Called if the log at `index` has no data either.
  @_noLocks @_noAllocation
  private mutating func removeLogWithoutData(before index: Int) {
    guard index > 0 else { return }
    if !logs[index - 1].isKept { logs.remove(at: index - 1) }
  }
}

import BasicContainers

/// The System Exclusive messages that a stream has sent since the checkpoint, for Chapter X: all of them in a list, the
/// oldest first, each with its number and, as long as there is room, its data.
///
/// A receiver counts those it has heard, and by the numbers knows which it has not. So every one has its log, also one
/// whose data are not kept: then number and no data tell the receiver that it cannot have it. Of several such in a row
/// the last stands for all.
struct ExclusiveHistory: ~Copyable {
  private struct Log: BitwiseCopyable {
    var number: UInt8
    /// That of its newest piece.
    var packet: UInt16
    /// How many octets of ``data`` are its own.
    var octets: UInt16
    /// Its data are all there, as far as sent.
    var isKept: Bool
    var status = ExclusiveLog.Status.open

    var isOpen: Bool {
      @_noLocks @_noAllocation get {
        if case .open = status { return true }
        return false
      }
    }

    @_noLocks @_noAllocation
    init(number: UInt8, packet: UInt16, isKept: Bool) {
      (self.number, self.packet, self.isKept) = (number, packet, isKept)
      octets = 0
    }
  }

  /// How many the stream has begun, modulo 256.
  private var count: UInt8 = 0
  private var logs: RigidArray<Log>
  /// Those of the first log first.
  private var data: RigidArray<UInt8>

  init(logs: Int, octets: Int) {
    self.logs = RigidArray(capacity: logs)
    data = RigidArray(capacity: octets)
  }

  var isEmpty: Bool { @_noLocks @_noAllocation get { logs.isEmpty } }

  @_noLocks @_noAllocation
  mutating func restart() {
    count = 0
    removeAll()
  }

  /// Forgets the messages; their count goes on.
  @_noLocks @_noAllocation
  mutating func removeAll() {
    logs.removeAll()
    data.removeAll()
  }

  /// Takes the octets from `start` to `end` of one with the data octets `octets`.
  ///
  /// - Parameter isKept: whether its data are to be repaired.
  /// - Returns: how many messages have lost their data to make room.
  @_noLocks @_noAllocation
  mutating func record(
    _ octets: borrowing RigidArray<UInt8>, from start: Int, to end: Int, isKept: Bool, packet: UInt16,
    if isRecording: Bool
  ) -> Int {
    if start == 0 { count &+= 1 }
    guard isRecording else { return 0 }
    var dropped = 0
    if start == 0 {
      if !logs.isEmpty, logs[logs.count - 1].isOpen { logs[logs.count - 1].status = .cancelled }
      if logs.freeCapacity == 0 {
        dropped += 1
        _ = removeFirst()
      }
      logs.append(Log(number: count, packet: packet, isKept: isKept))
    } else if logs.isEmpty {
      // What it began with is not known any more: the receiver is told that it cannot have all of it.
      logs.append(Log(number: count, packet: packet, isKept: false))
    }
    let last = logs.count - 1
    guard logs[last].isOpen else { return dropped }
    logs[last].packet = packet
    if end >= octets.count { logs[last].status = .finished }
    if logs[last].isKept {
      let total = end - start
      while data.freeCapacity < total {
        // The first with data gives them up: that may be this one itself.
        guard let first = firstKept() else { break }
        dropped += 1
        dropData(of: first)
        if first == last { break }
      }
      if logs[last].isKept {
        for index in start..<end { data.append(octets[index]) }
        logs[last].octets += UInt16(truncatingIfNeeded: total)
      }
    }
    if !logs[last].isKept { merge(last) }
    return dropped
  }

  /// Forgets those that `packet` or one before it ended. Returns how many had data.
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

  /// Whether anything with data is from `checkpoint` or later.
  @_noLocks @_noAllocation
  func hasData(since checkpoint: UInt16) -> Bool {
    for index in 0..<logs.count where logs[index].isKept {
      if !checkpoint.isAfter(logs[index].packet) { return true }
    }
    return false
  }

  /// Whether there is anything to say of the packets from `checkpoint` on.
  @_noLocks @_noAllocation
  func isLive(since checkpoint: UInt16) -> Bool {
    // The one open, which is the last, may be older: all others would have been trimmed.
    logs.isEmpty ? false : !checkpoint.isAfter(logs[logs.count - 1].packet)
  }

  @_noLocks @_noAllocation
  func isFresh(_ last: UInt16) -> Bool { logs.isEmpty ? false : logs[logs.count - 1].packet == last }

  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>, last: UInt16) -> Bool {
    var start = 0
    let isFresh = isFresh(last)
    for index in 0..<logs.count {
      let log = logs[index]
      // The first log's S is the chapter's.
      let header = ExclusiveLog(
        s: index == 0 ? !isFresh : log.packet != last, count: log.number, isListed: true,
        status: log.status)
      guard header.append(data, from: start, count: Int(log.octets), to: &packet) else { return false }
      start += Int(log.octets)
    }
    return true
  }

  @_noLocks @_noAllocation
  private func firstKept() -> Int? {
    for index in 0..<logs.count where logs[index].isKept { return index }
    return nil
  }

  @_noLocks @_noAllocation
  private mutating func dropData(of index: Int) {
    var start = 0
    for before in 0..<index { start += Int(logs[before].octets) }
    data.removeSubrange(start..<start + Int(logs[index].octets))
    logs[index].octets = 0
    logs[index].isKept = false
  }

  /// Forgets the first. Returns the packet of its newest piece, nil when there is none.
  @_noLocks @_noAllocation
  mutating func removeFirst() -> UInt16? {
    guard !logs.isEmpty else { return nil }
    let packet = logs[0].packet
    data.removeSubrange(0..<Int(logs[0].octets))
    logs.remove(at: 0)
    return packet
  }

  /// Leaves out the one before `index` if neither has data.
  @_noLocks @_noAllocation
  private mutating func merge(_ index: Int) {
    guard index > 0 else { return }
    if !logs[index - 1].isKept { logs.remove(at: index - 1) }
  }
}

import BasicContainers

/// Assembles the segments of a System Exclusive in a buffer of fixed size (RFC 6295 section 3.2). A command that is too
/// long or has a missing segment is dropped completely and counted once.
struct SystemExclusiveAssembly: ~Copyable {
  private enum State: BitwiseCopyable {
    /// No command has begun.
    case idle
    /// A command has begun, and all its segments so far are in ``data``.
    case open
    /// A command has begun, but was counted as dropped. Its further segments are ignored.
    case dropping
  }

  /// The data octets so far.
  private(set) var data: RigidArray<UInt8>
  /// The number of dropped commands.
  private(set) var dropped: UInt64 = 0
  private var state = State.idle

  init(capacity: Int) { data = RigidArray(capacity: capacity) }

  /// Discards everything, for another stream.
  @_noLocks @_noAllocation
  mutating func restart() {
    data.removeAll()
    (dropped, state) = (0, .idle)
  }

  /// Adds a segment of `packet`. Returns true if it completes a command, whose data are then in ``data``.
  @_noLocks @_noAllocation
  mutating func append(_ segment: SystemExclusiveSegment, in packet: Span<UInt8>) -> Bool {
    var isLast = false
    switch segment.kind {
    case .whole, .first:
      // A new command drops one that is still open.
      abandon()
      data.removeAll()
      state = .open
      if case .whole = segment.kind { isLast = true }
    case .middle: requireFirstSegment()
    case .last:
      requireFirstSegment()
      isLast = true
    case .cancel:
      cancel()
      return false
    }
    if case .open = state {
      if segment.data.count <= data.freeCapacity {
        for index in segment.data.start..<segment.data.end { data.append(packet[index]) }
        if isLast { state = .idle }
        return isLast
      }
      // The command is longer than the buffer.
      abandon()
    }
    // The command was dropped. Its last segment returns the assembly to the idle state.
    if isLast { state = .idle }
    return false
  }

  /// Whether a command has begun and has not ended.
  var isUnfinished: Bool {
    @_noLocks @_noAllocation get {
      if case .idle = state { false } else { true }
    }
  }

  /// Cancels the unfinished command. It is not counted as dropped.
  @_noLocks @_noAllocation
  mutating func cancel() { state = .idle }

  /// Replaces the unfinished command, or starts a new one, with the data from a recovery journal.
  ///
  /// - Parameters:
  ///   - extent: the data so far, with bit 7 set on the last octet; nil if the journal does not contain them.
  ///   - packet: the packet with the journal.
  ///   - isComplete: whether the command has ended.
  /// - Returns: true if ``data`` contains a complete command.
  @_noLocks @_noAllocation
  mutating func replace(with extent: Extent?, in packet: borrowing Span<UInt8>, isComplete: Bool) -> Bool {
    data.removeAll()
    if let extent, extent.count <= data.capacity {
      for index in extent.start..<extent.end { data.append(packet[index] & 0x7F) }
      state = isComplete ? .idle : .open
      return isComplete
    }
    // In the state `dropping`, the command was already counted.
    if case .dropping = state {} else { dropped &+= 1 }
    state = isComplete ? .idle : .dropping
    return false
  }

  /// Drops the open command, for example after the loss of a packet.
  @_noLocks @_noAllocation
  mutating func abandon() {
    if case .open = state {
      dropped &+= 1
      state = .dropping
    }
  }

  /// Drops the command of a middle or last segment if its first segment is missing.
  @_noLocks @_noAllocation
  private mutating func requireFirstSegment() {
    if case .idle = state {
      dropped &+= 1
      state = .dropping
    }
  }
}

import BasicContainers

/// Puts the segments of a System Exclusive together again, in a buffer of fixed size (RFC 6295 section 3.2). One too
/// long, or with a piece missing, is dropped whole and counted once.
struct SystemExclusiveAssembly: ~Copyable {
  private enum State: BitwiseCopyable {
    case idle, open
    /// What is left of one already counted is passed over.
    case dropping
  }

  private(set) var data: RigidArray<UInt8>
  private(set) var dropped: UInt64 = 0
  private var state = State.idle

  init(capacity: Int) { data = RigidArray(capacity: capacity) }

  /// Takes a segment that lies in `packet`. Returns true when it completes a message, which ``data`` then is.
  @_noLocks @_noAllocation
  mutating func take(_ segment: SystemExclusiveSegment, in packet: Span<UInt8>) -> Bool {
    var isLast = false
    switch segment.kind {
    case .whole, .first:
      abandon()
      data.removeAll()
      state = .open
      if case .whole = segment.kind { isLast = true }
    case .middle: missFirst()
    case .last:
      missFirst()
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
      abandon()
    }
    if isLast { state = .idle }
    return false
  }

  /// Whether one has begun and has not ended.
  var isUnfinished: Bool {
    @_noLocks @_noAllocation get {
      if case .idle = state { false } else { true }
    }
  }

  /// Its sender has taken back what is open.
  @_noLocks @_noAllocation
  mutating func cancel() { state = .idle }

  /// What is open becomes, or is followed by, one of which a recovery journal tells the data so far, the last octet with
  /// its eighth bit set, or cannot tell them. Returns true when ``data`` is a whole message.
  @_noLocks @_noAllocation
  mutating func replace(with extent: Extent?, in packet: borrowing Span<UInt8>, isWhole: Bool) -> Bool {
    data.removeAll()
    if let extent, extent.count <= data.capacity {
      for index in extent.start..<extent.end { data.append(packet[index] & 0x7F) }
      state = isWhole ? .idle : .open
      return isWhole
    }
    if case .dropping = state {} else { dropped &+= 1 }
    state = isWhole ? .idle : .dropping
    return false
  }

  /// A packet is missing: what is open can no longer be completed.
  @_noLocks @_noAllocation
  mutating func abandon() {
    if case .open = state {
      dropped &+= 1
      state = .dropping
    }
  }

  /// A middle or last segment has come: with nothing begun, its first is missing.
  @_noLocks @_noAllocation
  private mutating func missFirst() {
    if case .idle = state {
      dropped &+= 1
      state = .dropping
    }
  }
}

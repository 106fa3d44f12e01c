/// Assigns slots of the table of a ``StreamSender`` to RTP streams. The owner of the sessions allocates an identifier
/// before it opens a stream, and releases the identifier after it has closed the stream.
///
/// The allocator always returns the lowest free slot. A sender with n slots therefore serves n simultaneous streams.
///
/// Real-time: not safe.
public struct StreamIDAllocator: Sendable {
  /// Whether a slot is in use, by slot.
  private var isUsed: [Bool] = []
  /// The number of identifiers that were allocated.
  private var generation: UInt64 = 0

  public init() {}

  /// Returns a new identifier with the lowest free slot.
  public mutating func allocate() -> StreamID {
    generation += 1
    let slot = isUsed.firstIndex(of: false) ?? isUsed.count
    if slot == isUsed.count { isUsed.append(true) } else { isUsed[slot] = true }
    return StreamID(slot: slot, generation: generation)
  }

  /// Makes the slot of `stream` available again.
  public mutating func release(_ stream: StreamID) { isUsed[stream.slot] = false }
}

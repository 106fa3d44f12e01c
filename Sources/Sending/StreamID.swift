/// The identifier of one RTP stream: the stream's slot in the table of a ``StreamSender``, and a generation.
///
/// The slot makes every lookup constant-time. The generation distinguishes the successive streams of one slot. A command
/// for a closed stream therefore never reaches the next stream in the slot.
public struct StreamID: Hashable, Sendable, BitwiseCopyable {
  /// The index in the sender's table.
  public let slot: Int
  /// The number of the stream in the order of allocation, counted from 1.
  let generation: UInt64

  /// Compares the identifiers. Real-time code needs this function, because the `==` that the compiler generates has no
  /// real-time annotation.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func == (a: StreamID, b: StreamID) -> Bool { a.slot == b.slot && a.generation == b.generation }

  @_noLocks @_noAllocation
  init(slot: Int, generation: UInt64) { (self.slot, self.generation) = (slot, generation) }
}

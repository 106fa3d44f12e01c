import BasicContainers

/// Memory for eight sessions of a ``Receiver``, about 80 kB.
public struct SessionBlock: ~Copyable {
  /// The number of slots in a block. A slot is the memory of one session.
  ///
  /// Real-time: safe.
  public static var slots: Int { @_noLocks @_noAllocation get { 8 } }
  /// The maximum number of blocks of a receiver.
  ///
  /// Real-time: safe.
  public static var limit: Int { @_noLocks @_noAllocation get { 256 } }

  /// The place of a slot.
  struct Place: BitwiseCopyable {
    /// The index of the block.
    let block: Int
    /// The index in the block.
    let index: Int

    @_noLocks @_noAllocation
    init(slot: Int) { (block, index) = (slot / SessionBlock.slots, slot % SessionBlock.slots) }
  }

  var sessions = RigidArray<SessionReceiver>(capacity: SessionBlock.slots)

  /// Real-time: not safe.
  public init() { while sessions.count < Self.slots { sessions.append(SessionReceiver()) } }
}

import Synchronization

/// Passes the newest state from one writer thread to one reader thread without locks.
///
/// The writer fills its own slot and exchanges it with the middle slot. The reader exchanges its own slot with the
/// middle slot. The reader may skip intermediate states but never misses the last one. Ableton Link passes its session
/// state to the audio thread in the same way. Like ``SPSCRing``, a triple buffer is a handle whose memory is never
/// freed, because real-time code may not count references.
public struct TripleBuffer<Value: BitwiseCopyable & Sendable>: @unchecked Sendable, BitwiseCopyable {
  @usableFromInline
  struct Owners: ~Copyable {
    /// The number of the middle slot in bits 0 and 1. Bit 2 is set if the reader has not taken this slot yet.
    @usableFromInline let middle = Atomic<Int>(1)
    /// The number of the writer's slot.
    @usableFromInline var back = 0
    /// The number of the reader's slot.
    @usableFromInline var front = 2
  }

  // Invariant: `back`, bits 0 and 1 of `middle`, and `front` are always three different slot numbers. All slots are
  // initialised in init. The memory at `slots` and `owners` is never freed.
  @usableFromInline let slots: UnsafeMutablePointer<Value>
  @usableFromInline let owners: UnsafeMutablePointer<Owners>

  /// Creates a buffer whose ``take()`` returns nil until the first ``publish(_:)``. `initial` only initialises the
  /// slots.
  ///
  /// Real-time: not safe.
  public init(_ initial: Value) {
    slots = .allocate(capacity: 3)
    slots.initialize(repeating: initial, count: 3)
    owners = .allocate(capacity: 1)
    owners.initialize(to: Owners())
  }

  /// Publishes `value` as the newest state. Called by the writer.
  ///
  /// Real-time: safe.
  @inlinable
  public func publish(_ value: Value) {
    slots[owners.pointee.back] = value
    // Bit 2 marks the slot as not taken. The mask 3 removes this bit from the slot number that comes back.
    let back = owners.pointee.back | 4
    owners.pointee.back = owners.pointee.middle.exchange(back, ordering: .acquiringAndReleasing) & 3
  }

  /// Returns the newest state, or nil if it was already taken. Called by the reader.
  ///
  /// Real-time: safe.
  @inlinable
  public func take() -> Value? {
    guard owners.pointee.middle.load(ordering: .relaxed) & 4 != 0 else { return nil }
    let front = owners.pointee.middle.exchange(owners.pointee.front, ordering: .acquiringAndReleasing) & 3
    owners.pointee.front = front
    return slots[front]
  }
}

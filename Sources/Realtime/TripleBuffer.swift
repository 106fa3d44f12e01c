import Synchronization

/// The newest state from one thread to one other, without locks: the writer fills a slot of its own and swaps it for
/// the middle one; the reader swaps the middle one for its own. Intermediate states may be skipped, the last one never
/// is. Ableton Link hands its session state to the audio thread in this way. Like ``SPSCRing`` it is a handle whose
/// memory is never given back.
public struct TripleBuffer<Value: BitwiseCopyable & Sendable>: @unchecked Sendable, BitwiseCopyable {
  @usableFromInline
  struct Owners: ~Copyable {
    /// Slot number in bits 0 and 1; bit 2 says that the reader has not had it yet.
    @usableFromInline let middle = Atomic<Int>(1)
    @usableFromInline var back = 0
    @usableFromInline var front = 2
  }

  // Invariant: the three slots' owners are `back` (writer), the low bits of `middle` (nobody), `front` (reader): always
  // three different numbers. All slots are initialised from the start. Neither block is ever freed.
  @usableFromInline let slots: UnsafeMutablePointer<Value>
  @usableFromInline let owners: UnsafeMutablePointer<Owners>

  /// A buffer that holds nothing new until the first ``publish(_:)``.
  ///
  /// Real-time: not safe.
  public init(_ initial: Value) {
    slots = .allocate(capacity: 3)
    slots.initialize(repeating: initial, count: 3)
    owners = .allocate(capacity: 1)
    owners.initialize(to: Owners())
  }

  /// Makes `value` the newest. The writer's side.
  ///
  /// Real-time: safe.
  @inlinable
  public func publish(_ value: Value) {
    slots[owners.pointee.back] = value
    let back = owners.pointee.back | 4
    owners.pointee.back = owners.pointee.middle.exchange(back, ordering: .acquiringAndReleasing) & 3
  }

  /// The newest value, when there is one that has not been taken yet. The reader's side.
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

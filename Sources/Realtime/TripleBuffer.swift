import Synchronization

/// The newest state from one thread to one other, without locks: the writer fills a slot of its own and swaps it for the middle
/// one; the reader swaps the middle one for its own. Intermediate states may be skipped, the last one never is.
/// Ableton Link hands its session state to the audio thread in this way.
public final class TripleBuffer<Value: BitwiseCopyable & Sendable>: @unchecked Sendable {
  // Invariant: the three slots' owners are `back` (writer), the low bits of `middle` (nobody), `front` (reader): always three
  // different numbers. All slots are initialised from the start.
  @usableFromInline let slots: UnsafeMutablePointer<Value>
  /// Slot number in bits 0 and 1; bit 2 says that the reader has not had it yet.
  @usableFromInline let middle = Atomic<Int>(1)
  @usableFromInline var back = 0
  @usableFromInline var front = 2

  /// A buffer that holds nothing new until the first ``publish(_:)``.
  public init(_ initial: Value) {
    slots = .allocate(capacity: 3)
    slots.initialize(repeating: initial, count: 3)
  }

  deinit { slots.deallocate() }

  /// Makes `value` the newest. The writer's side.
  ///
  /// Real-time: safe.
  @inlinable
  public func publish(_ value: Value) {
    slots[back] = value
    back = middle.exchange(back | 4, ordering: .acquiringAndReleasing) & 3
  }

  /// The newest value, when there is one that has not been taken yet. The reader's side.
  ///
  /// Real-time: safe.
  @inlinable
  public func take() -> Value? {
    guard middle.load(ordering: .relaxed) & 4 != 0 else { return nil }
    front = middle.exchange(front, ordering: .acquiringAndReleasing) & 3
    return slots[front]
  }
}

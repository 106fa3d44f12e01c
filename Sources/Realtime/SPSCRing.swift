import Synchronization

/// A bounded queue from one thread to one other, without locks: Lamport's ring (1977) with acquire and release ordering.
///
/// Exactly one thread pushes and exactly one pops. A push into a full ring is refused and counted: nothing waits.
public final class SPSCRing<Element: BitwiseCopyable & Sendable>: @unchecked Sendable {
  // Invariant: slots head..<tail (modulo capacity) are initialised; the consumer alone moves head and reads them, the
  // producer alone moves tail and writes the others. Bitwise copyable elements need no deinitialisation.
  @usableFromInline let slots: UnsafeMutablePointer<Element>
  @usableFromInline let mask: Int
  @usableFromInline let head = Atomic<Int>(0)
  @usableFromInline let tail = Atomic<Int>(0)
  @usableFromInline let refused = Atomic<Int>(0)

  /// A ring with room for `capacity` elements, rounded up to a power of two.
  public init(capacity: Int) {
    var size = 1
    while size < capacity { size *= 2 }
    slots = .allocate(capacity: size)
    mask = size - 1
  }

  deinit { slots.deallocate() }

  /// How many elements wait.
  ///
  /// Real-time: safe.
  @inlinable
  public var count: Int { tail.load(ordering: .acquiring) &- head.load(ordering: .acquiring) }

  /// How many elements fit.
  @inlinable
  public var capacity: Int { mask + 1 }

  /// How many pushes were refused because the ring was full.
  ///
  /// Real-time: safe.
  @inlinable
  public var dropped: Int { refused.load(ordering: .relaxed) }

  /// Appends `element`; false, and counted, when the ring is full. The producer's side.
  ///
  /// Real-time: safe.
  @inlinable @discardableResult
  public func push(_ element: Element) -> Bool {
    let end = tail.load(ordering: .relaxed)
    guard end &- head.load(ordering: .acquiring) <= mask else {
      refused.wrappingAdd(1, ordering: .relaxed)
      return false
    }
    slots[end & mask] = element
    tail.store(end &+ 1, ordering: .releasing)
    return true
  }

  /// Takes the oldest element, nil when there is none. The consumer's side.
  ///
  /// Real-time: safe.
  @inlinable
  public func pop() -> Element? {
    let start = head.load(ordering: .relaxed)
    guard start != tail.load(ordering: .acquiring) else { return nil }
    let element = slots[start & mask]
    head.store(start &+ 1, ordering: .releasing)
    return element
  }
}

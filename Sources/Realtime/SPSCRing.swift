import Synchronization

/// A bounded queue from one thread to one other, without locks: Lamport's ring (1977) with acquire and release
/// ordering.
///
/// Exactly one thread pushes and exactly one pops. A push into a full ring is refused and counted: nothing waits. A
/// ring is a handle, free to copy and without reference counting, which real-time code may not do; its memory is never
/// given back, so make rings when a peer starts, not while it plays.
public struct SPSCRing<Element: BitwiseCopyable & Sendable>: @unchecked Sendable, BitwiseCopyable {
  @usableFromInline
  struct Ends: ~Copyable {
    @usableFromInline let head = Atomic<Int>(0)
    @usableFromInline let tail = Atomic<Int>(0)
    @usableFromInline let refused = Atomic<Int>(0)
  }

  // Invariant: slots head..<tail (modulo capacity) are initialised; the consumer alone moves head and reads them, the
  // producer alone moves tail and writes the others. Neither block is ever freed, so no copy of the handle dangles.
  @usableFromInline let slots: UnsafeMutablePointer<Element>
  @usableFromInline let ends: UnsafeMutablePointer<Ends>
  @usableFromInline let mask: Int

  /// A ring with room for `capacity` elements, rounded up to a power of two.
  ///
  /// Real-time: not safe.
  public init(capacity: Int) {
    var size = 1
    while size < capacity { size *= 2 }
    slots = .allocate(capacity: size)
    ends = .allocate(capacity: 1)
    ends.initialize(to: Ends())
    mask = size - 1
  }

  /// How many elements wait.
  ///
  /// Real-time: safe.
  @inlinable
  public var count: Int { ends.pointee.tail.load(ordering: .acquiring) &- ends.pointee.head.load(ordering: .acquiring) }

  /// How many elements fit.
  @inlinable
  public var capacity: Int { mask + 1 }

  /// How many pushes were refused because the ring was full.
  ///
  /// Real-time: safe.
  @inlinable
  public var dropped: Int { ends.pointee.refused.load(ordering: .relaxed) }

  /// Appends `element`; false, and counted, when the ring is full. The producer's side.
  ///
  /// Real-time: safe.
  @inlinable @discardableResult
  public func push(_ element: Element) -> Bool {
    let end = ends.pointee.tail.load(ordering: .relaxed)
    guard end &- ends.pointee.head.load(ordering: .acquiring) <= mask else {
      ends.pointee.refused.wrappingAdd(1, ordering: .relaxed)
      return false
    }
    slots[end & mask] = element
    ends.pointee.tail.store(end &+ 1, ordering: .releasing)
    return true
  }

  /// Takes the oldest element, nil when there is none. The consumer's side.
  ///
  /// Real-time: safe.
  @inlinable
  public func pop() -> Element? {
    let start = ends.pointee.head.load(ordering: .relaxed)
    guard start != ends.pointee.tail.load(ordering: .acquiring) else { return nil }
    let element = slots[start & mask]
    ends.pointee.head.store(start &+ 1, ordering: .releasing)
    return element
  }
}

import Synchronization

/// A bounded lock-free queue from one producer thread to one consumer thread: Lamport's ring buffer (1977) with acquire
/// and release ordering.
///
/// Exactly one thread pushes and exactly one thread pops. A push into a full ring fails and is counted; no thread
/// waits. Real-time code may not count references. A ring is therefore a handle that can be copied without reference
/// counting, and its memory is never freed. Create rings when a peer starts, not while it plays.
public struct SPSCRing<Element: BitwiseCopyable & Sendable>: @unchecked Sendable, BitwiseCopyable {
  @usableFromInline
  struct Ends: ~Copyable {
    /// The number of elements popped since the ring was created.
    @usableFromInline let head = Atomic<Int>(0)
    /// The number of elements pushed since the ring was created.
    @usableFromInline let tail = Atomic<Int>(0)
    /// The number of elements dropped because the ring was full.
    @usableFromInline let refused = Atomic<Int>(0)
  }

  // Invariant: the slots head..<tail (modulo capacity) are initialised. Only the consumer advances head and reads these
  // slots. Only the producer advances tail and writes the other slots. The memory at `slots` and `ends` is never freed,
  // so no copy of the handle dangles. `mask` is the capacity, a power of two, minus 1.
  @usableFromInline let slots: UnsafeMutablePointer<Element>
  @usableFromInline let ends: UnsafeMutablePointer<Ends>
  @usableFromInline let mask: Int

  /// Creates a ring for `capacity` elements, rounded up to a power of two.
  ///
  /// Real-time: not safe.
  public init(capacity: Int) {
    var size = 1
    while size < capacity { size *= 2 }
    slots = .allocate(capacity: size)
    // Makes the memory resident, so that no push waits for a page.
    UnsafeMutableRawPointer(slots).initializeMemory(
      as: UInt8.self, repeating: 0, count: size * MemoryLayout<Element>.stride)
    ends = .allocate(capacity: 1)
    ends.initialize(to: Ends())
    mask = size - 1
  }

  /// The number of elements in the ring.
  ///
  /// Real-time: safe.
  @inlinable
  public var count: Int { ends.pointee.tail.load(ordering: .acquiring) &- ends.pointee.head.load(ordering: .acquiring) }

  /// The maximum number of elements.
  ///
  /// Real-time: safe.
  @inlinable
  public var capacity: Int { mask + 1 }

  /// The number of elements dropped because the ring was full.
  ///
  /// Real-time: safe.
  @inlinable
  public var dropped: Int { ends.pointee.refused.load(ordering: .relaxed) }

  /// Appends `element`. Called by the producer.
  ///
  /// - Returns: false if the ring is full. The element is then dropped and counted in ``dropped``.
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

  /// Removes and returns the oldest element, or returns nil if the ring is empty. Called by the consumer.
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

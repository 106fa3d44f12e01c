import Synchronization

/// Passes noncopyable values, one at a time, from one thread to another thread. Such a value can be memory that a
/// real-time thread needs but must not allocate itself. (This type has nothing to do with the handover of the role of
/// master.) Like ``SPSCRing``, a handover is a handle whose memory is never freed, because real-time code may not count
/// references.
public struct Handover<Value: ~Copyable>: @unchecked Sendable, BitwiseCopyable {
  @usableFromInline
  struct Cell: ~Copyable {
    /// Whether ``Handover/value`` is initialised.
    @usableFromInline let isFull = Atomic<Bool>(false)
  }

  // Invariant: `value` is initialised exactly while `isFull` is true. Only the giving thread sets `isFull`, after it has
  // initialised `value`. Only the taking thread clears it, after it has moved `value` out. The memory is never freed.
  @usableFromInline let cell: UnsafeMutablePointer<Cell>
  @usableFromInline let value: UnsafeMutablePointer<Value>

  /// Creates an empty handover.
  ///
  /// Real-time: not safe.
  public init() {
    cell = .allocate(capacity: 1)
    cell.initialize(to: Cell())
    value = .allocate(capacity: 1)
  }

  /// Whether a value waits for the taking thread.
  ///
  /// Real-time: safe.
  @inlinable
  public var isFull: Bool { cell.pointee.isFull.load(ordering: .acquiring) }

  /// Gives `value` to the taking thread. ``isFull`` must be false. Called by the giving thread.
  ///
  /// Real-time: safe.
  @inlinable
  public func give(_ value: consuming Value) {
    self.value.initialize(to: value)
    cell.pointee.isFull.store(true, ordering: .releasing)
  }

  /// Removes and returns the value; nil if there is none. Called by the taking thread.
  ///
  /// Real-time: safe.
  @inlinable
  public func take() -> Value? {
    guard isFull else { return nil }
    let value = self.value.move()
    cell.pointee.isFull.store(false, ordering: .releasing)
    return value
  }
}

/// An immutable table that the control thread makes and a real-time thread reads.
///
/// The table is a handle that can be copied without reference counting, because real-time code may not count references. The thread that
/// made the table frees its memory explicitly, when no thread has a copy that it still uses.
public struct FrozenTable<Element: BitwiseCopyable & Sendable>: @unchecked Sendable, BitwiseCopyable {
  // Invariant: `elements` points to `count` initialised elements from init to ``free()``, and nothing writes to them in between. Nil if the
  // table is empty. After ``free()``, no copy of the handle may be used.
  @usableFromInline let elements: UnsafePointer<Element>?
  /// The number of elements.
  ///
  /// Real-time: safe.
  public let count: Int

  /// Creates an empty table, which needs no memory.
  ///
  /// Real-time: safe.
  @inlinable
  public init() { (elements, count) = (nil, 0) }

  /// Copies `elements` to memory of its own. The copy makes the memory resident, so that no access waits for a page.
  ///
  /// Real-time: not safe.
  public init(_ elements: [Element]) {
    count = elements.count
    guard !elements.isEmpty else {
      self.elements = nil
      return
    }
    let copy = UnsafeMutablePointer<Element>.allocate(capacity: elements.count)
    elements.withUnsafeBufferPointer { copy.initialize(from: $0.baseAddress!, count: $0.count) }
    self.elements = UnsafePointer(copy)
  }

  /// The element at an index, 0..<``count``. Another index ends the program.
  ///
  /// Real-time: safe.
  @inlinable
  public subscript(index: Int) -> Element {
    precondition(index >= 0 && index < count)
    return elements.unsafelyUnwrapped[index]
  }

  /// Frees the memory. Called once by the owner, when no thread uses a copy of the table any more. Without an effect on an empty table.
  ///
  /// Real-time: not safe.
  public func free() { elements?.deallocate() }
}

import MusicalTime

/// A priority queue of at most ``capacity`` events, ordered by instant.
///
/// The queue is a ring with insertion sort from the back. Events arrive nearly in order, so an insertion moves few events.
/// Events with the same instant keep their order of insertion.
public struct EventQueue: ~Copyable {
  /// The maximum number of events.
  ///
  /// Real-time: safe.
  public static var capacity: Int { @_noLocks @_noAllocation get { 1024 } }

  /// The capacity minus 1. The capacity is a power of two, so `index & mask` wraps a slot index around the ring.
  private static var mask: Int { @_noLocks @_noAllocation get { 1023 } }

  private var slots: InlineArray<1024, SoundEvent>
  /// The slot of the earliest event.
  private var head = 0

  /// The number of events in the queue.
  ///
  /// Real-time: safe.
  public private(set) var count: Int = 0

  /// Creates an empty queue.
  ///
  /// Real-time: not safe.
  public init() {
    slots = InlineArray(repeating: SoundEvent(instant: .distantFuture, note: 0, velocity: 0, group: 0))
  }

  /// Inserts `event` in order. Returns false if the queue is full.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func insert(_ event: SoundEvent) -> Bool {
    guard count < Self.capacity else { return false }
    var place = count
    while place > 0 {
      let before = slots[(head &+ place &- 1) & Self.mask]
      guard before.instant > event.instant else { break }
      slots[(head &+ place) & Self.mask] = before
      place -= 1
    }
    slots[(head &+ place) & Self.mask] = event
    count += 1
    return true
  }

  /// Removes all events whose ``SoundEvent/step`` is at `instant` or later. The other events keep their order. The instant of an event
  /// can differ from that of its step, because a hit can be pushed or swung. The function therefore examines the whole queue.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func removeAll(from instant: Instant) {
    var (place, kept) = (0, 0)
    while place < count {
      let event = slots[(head &+ place) & Self.mask]
      if event.step < instant {
        slots[(head &+ kept) & Self.mask] = event
        kept += 1
      }
      place += 1
    }
    count = kept
  }

  /// Moves all events by `delay`, with the ends of notes. The events keep their order.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func move(by delay: Nanoseconds) {
    var place = 0
    while place < count {
      slots[(head &+ place) & Self.mask].move(by: delay)
      place += 1
    }
  }

  /// Removes the notes of a part of a score. The other events keep their order.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func removeNotes(ofScorePart part: UInt8) {
    var (place, kept) = (0, 0)
    while place < count {
      let event = slots[(head &+ place) & Self.mask]
      var isRemoved = false
      if case .scoreNote(_, _, let other, _) = event.kind { isRemoved = other == part }
      if !isRemoved {
        slots[(head &+ kept) & Self.mask] = event
        kept += 1
      }
      place += 1
    }
    count = kept
  }

  /// The earliest event; nil if the queue is empty.
  ///
  /// Real-time: safe.
  public var first: SoundEvent? {
    @_noLocks @_noAllocation get { count > 0 ? slots[head] : nil }
  }

  /// Removes and returns the earliest event; nil if the queue is empty.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation @discardableResult
  public mutating func popFirst() -> SoundEvent? {
    guard count > 0 else { return nil }
    let event = slots[head]
    head = (head &+ 1) & Self.mask
    count -= 1
    return event
  }
}

import MusicalTime

/// Events that wait for their instant, earliest first, at most ``capacity`` of them.
///
/// A ring in which each newcomer sinks from the back to its place. Events arrive nearly in order, so it hardly moves.
/// Events of the same instant keep the order in which they came.
public struct EventQueue: ~Copyable {
  /// How many events can wait.
  public static var capacity: Int { @_noLocks @_noAllocation get { 1024 } }

  /// The capacity is a power of two, so this mask turns a running number into a slot.
  private static var mask: Int { @_noLocks @_noAllocation get { 1023 } }

  private var slots: InlineArray<1024, SoundEvent>
  private var head = 0

  /// How many events wait.
  ///
  /// Real-time: safe.
  public private(set) var count: Int = 0

  public init() {
    slots = InlineArray(repeating: SoundEvent(instant: .distantFuture, note: 0, velocity: 0, group: 0))
  }

  /// Puts `event` in its place; false when the queue is full.
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

  /// Takes out all events from `instant` on.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func removeAll(from instant: Instant) {
    while count > 0, slots[(head &+ count &- 1) & Self.mask].instant >= instant { count -= 1 }
  }

  /// The earliest event, nil when none waits.
  ///
  /// Real-time: safe.
  public var first: SoundEvent? {
    @_noLocks @_noAllocation get { count > 0 ? slots[head] : nil }
  }

  /// Takes the earliest event out, nil when none waits.
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

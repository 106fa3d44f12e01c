/// A value of the rhythm that changes at ticks: the value before ``tick``, and the value from this tick on.
///
/// All peers change such a value at the same tick, because the master announces the change before its tick is due. The total activity
/// and the mix have this type. There is room for one announced change. When its tick has passed, ``settle(at:)`` makes the new value
/// the present one.
///
/// The functions are inlinable and have no real-time annotations, because the compiler checks a generic function where it is specialized.
public struct ChangingValue<Value: Hashable & Sendable & BitwiseCopyable>: Hashable, Sendable, BitwiseCopyable {
  /// The value before ``tick``.
  public let value: Value
  /// The value from ``tick`` on; equal to ``value`` if no change is announced.
  public let next: Value
  /// The first tick of ``next``; `Tick(.max)` if no change is announced.
  public let tick: Tick

  /// Creates a value that does not change.
  ///
  /// Real-time: safe.
  @inlinable
  public init(_ value: Value) { (self.value, next, tick) = (value, value, Tick(.max)) }

  /// Creates a value that changes to `next` at `tick`.
  ///
  /// Real-time: safe.
  @inlinable
  public init(_ value: Value, next: Value, from tick: Tick) { (self.value, self.next, self.tick) = (value, next, tick) }

  /// Whether a change is announced.
  public var isChanging: Bool { tick != Tick(.max) }

  /// The value at a tick.
  ///
  /// Real-time: safe.
  @inlinable
  public subscript(tick: Tick) -> Value { tick >= self.tick ? next : value }

  /// Makes the announced value the present one if its tick is at or before `present`.
  public mutating func settle(at present: Tick) {
    if isChanging, tick <= present { self = ChangingValue(next) }
  }

  /// The first tick at or after `first` at which `other` has a different value. Nil if there is none.
  ///
  /// Real-time: safe.
  @inlinable
  public func tick(differingFrom other: ChangingValue, notBefore first: Tick) -> Tick? {
    if self[first] != other[first] { return first }
    // Each of the two values is constant except at its tick. `Tick(.max)` stands for no change.
    var (sooner, later) = (tick, other.tick)
    if later < sooner { (sooner, later) = (later, sooner) }
    if sooner > first, sooner.index != .max, self[sooner] != other[sooner] { return sooner }
    if later > first, later.index != .max, self[later] != other[later] { return later }
    return nil
  }
}

public import MusicalTime

/// The total activity at each tick, which selects the sounding layers of the rhythm: the present value, and the next value if a
/// change has been announced.
public struct Intensity: Hashable, Sendable, BitwiseCopyable {
  /// The total activity before ``changeTick``, 0...127.
  public var value: UInt8
  /// The total activity from ``changeTick`` on, 0...127.
  public var next: UInt8
  /// The first tick of ``next``. `Tick(.max)` if no change is announced.
  public var changeTick: Tick

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ value: UInt8, next: UInt8? = nil, from changeTick: Tick = Tick(.max)) {
    self.value = value
    if let next { self.next = next } else { self.next = value }
    self.changeTick = changeTick
  }

  /// The total activity at `tick`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func value(at tick: Tick) -> UInt8 { tick >= changeTick ? next : value }

  /// The first tick at or after `first` at which `other` has a different value. Nil if there is none.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func tick(differingFrom other: Intensity, notBefore first: Tick) -> Tick? {
    if value(at: first) != other.value(at: first) { return first }
    // Each of the two intensities is constant except at its change tick. `Tick(.max)` stands for no change.
    var (sooner, later) = (changeTick, other.changeTick)
    if later < sooner { (sooner, later) = (later, sooner) }
    if sooner > first, sooner.index != .max, value(at: sooner) != other.value(at: sooner) { return sooner }
    if later > first, later.index != .max, value(at: later) != other.value(at: later) { return later }
    return nil
  }
}

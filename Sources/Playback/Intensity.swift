public import MusicalTime

/// The total activity that the layers of the rhythm go by, tick by tick: one value, and from a beat on another that has been
/// told already.
public struct Intensity: Hashable, Sendable, BitwiseCopyable {
  /// 0...127.
  public var value: UInt8
  /// From ``changeTick`` on.
  public var next: UInt8
  /// `Tick(.max)` while no change is known.
  public var changeTick: Tick

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ value: UInt8, next: UInt8? = nil, from changeTick: Tick = Tick(.max)) {
    self.value = value
    if let next { self.next = next } else { self.next = value }
    self.changeTick = changeTick
  }

  /// The total that counts at `tick`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func value(at tick: Tick) -> UInt8 { tick >= changeTick ? next : value }

  /// The first tick, not before `first`, at which `other` says something else; nil when there is none.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func tick(differingFrom other: Intensity, notBefore first: Tick) -> Tick? {
    if value(at: first) != other.value(at: first) { return first }
    // Both are constant but for their changes.
    var (sooner, later) = (changeTick, other.changeTick)
    if later < sooner { (sooner, later) = (later, sooner) }
    if sooner > first, sooner.index != .max, value(at: sooner) != other.value(at: sooner) { return sooner }
    if later > first, later.index != .max, value(at: later) != other.value(at: later) { return later }
    return nil
  }
}

/// The bars of a rhythm: their meter, and a tick at which a bar begins.
///
/// The master changes the grid of a rhythm at a bar line of the old meter, and this tick becomes the origin of the new grid. Bars therefore
/// count from the last change of the meter.
public struct BarGrid: Hashable, Sendable, BitwiseCopyable {
  /// The length of a bar and its beats.
  public let meter: Meter
  /// The first tick of a bar.
  public let origin: Tick

  public init(_ meter: Meter, from origin: Tick = Tick(0)) { (self.meter, self.origin) = (meter, origin) }

  /// Whether a bar begins at `tick`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func begins(at tick: Tick) -> Bool { (tick - origin) % meter.ticksPerBar == 0 }

  /// The first bar line at or before `tick`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func line(notAfter tick: Tick) -> Tick { self.tick(notAfter: tick, every: meter.ticksPerBar) }

  /// The last multiple of `distance` ticks, counted from the origin, that is at or before `tick`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func tick(notAfter tick: Tick, every distance: Int64) -> Tick {
    let rest = (tick - origin) % distance
    return tick + -(rest < 0 ? rest + distance : rest)
  }

  /// Returns the bar and the beat that contain `tick`: see ``Meter/position(of:)``. The bar that begins at the origin has the number 1.
  public func position(of tick: Tick) -> (bar: Int64, beat: Int64) { meter.position(of: Tick(tick - origin)) }
}

extension ChangingValue<BarGrid> {
  /// The first bar line at or after `tick`.
  ///
  /// Real-time: safe.
  @inlinable
  public func line(notBefore tick: Tick) -> Tick {
    let line = self[tick].line(notAfter: tick + (self[tick].meter.ticksPerBar - 1))
    // The first tick of the next grid is a bar line, also if the bar before it is incomplete.
    return self.tick >= tick && self.tick < line ? self.tick : line
  }
}

/// The position of a rhythm over time: a timeline, and up to eight changes of its tempo that are announced.
///
/// Each change begins a new timeline, whose origin lies on the one before. Deadlines are computed from the origin of their timeline, so no
/// error accumulates (``Timeline``). A trivial value of fixed size, for the real-time threads.
public struct TempoMap: Sendable, BitwiseCopyable {
  /// The largest number of changes.
  ///
  /// Real-time: safe.
  public static var maximumChanges: Int { @_noLocks @_noAllocation get { 8 } }
  /// The largest distance between two changes in ticks.
  public static var maximumDistance: Int64 { 1 << 24 - 1 }

  /// Tempo and origin before the first change.
  public let first: Timeline
  /// The timelines after the changes. The tick of a change is the origin of its timeline.
  private var later: InlineArray<8, Timeline>
  /// The number of changes.
  public private(set) var changeCount = 0

  public init(_ first: Timeline) { (self.first, later) = (first, InlineArray(repeating: first)) }

  /// Appends the changes up to the first one that ``append(_:)`` refuses.
  public init(_ first: Timeline, changes: [TempoChange]) {
    self.init(first)
    for change in changes where !append(change) { return }
  }

  /// The changes in order.
  public var changes: [TempoChange] {
    (0..<changeCount).map { TempoChange(tempo: later[$0].tempo, tick: later[$0].originTick) }
  }

  /// The tempo after the last change.
  public var last: Tempo { changeCount > 0 ? later[changeCount - 1].tempo : first.tempo }

  /// Adds a change.
  ///
  /// - Returns: false if there is no room, or if the change is not 1 to ``maximumDistance`` ticks after the one before.
  public mutating func append(_ change: TempoChange) -> Bool {
    guard changeCount < Self.maximumChanges else { return false }
    if changeCount > 0 {
      let distance = change.tick - later[changeCount - 1].originTick
      guard (1...Self.maximumDistance).contains(distance) else { return false }
    }
    let before = changeCount > 0 ? later[changeCount - 1] : first
    later[changeCount] = before.changing(to: change.tempo, at: change.tick)
    changeCount += 1
    return true
  }

  /// Removes the changes at `tick` and later.
  public mutating func removeChanges(from tick: Tick) {
    while changeCount > 0, later[changeCount - 1].originTick >= tick { changeCount -= 1 }
  }

  /// Makes the timeline at `present` the first one.
  public mutating func settle(at present: Tick) {
    guard changeCount > 0, later[0].originTick <= present else { return }
    self = TempoMap(timeline(at: present), changes: changes.filter { $0.tick > present })
  }

  /// Tempo and origin at a tick.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func timeline(at tick: Tick) -> Timeline {
    var index = changeCount
    while index > 0 {
      index -= 1
      if tick >= later[index].originTick { return later[index] }
    }
    return first
  }

  /// The tick of the first change after `tick`. `Tick(.max)` if there is none.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func change(after tick: Tick) -> Tick {
    var index = 0
    while index < changeCount {
      if later[index].originTick > tick { return later[index].originTick }
      index += 1
    }
    return Tick(.max)
  }

  /// The instant at which `tick` is due.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func deadline(_ tick: Tick) -> Instant { timeline(at: tick).deadline(tick) }

  /// The last tick due at or before `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func tick(at instant: Instant) -> Tick {
    var tick = first.tick(at: instant)
    var index = 0
    while index < changeCount, tick >= later[index].originTick {
      tick = later[index].tick(at: instant)
      index += 1
    }
    return tick
  }

  /// The tick of the first change at or after `tick` that only one of two maps has. `Tick(.max)` if there is none.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func change(differingFrom other: TempoMap, notBefore tick: Tick) -> Tick {
    let before = Tick(tick.index &- 1)
    var (mine, theirs) = (change(after: before), other.change(after: before))
    while mine == theirs, mine.index != .max {
      if timeline(at: mine).tempo.nanosecondsPerQuarter != other.timeline(at: mine).tempo.nanosecondsPerQuarter {
        return mine
      }
      (mine, theirs) = (change(after: mine), other.change(after: theirs))
    }
    return mine < theirs ? mine : theirs
  }
}

extension TempoMap: Hashable {
  public static func == (a: TempoMap, b: TempoMap) -> Bool { a.first == b.first && a.changes == b.changes }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(first)
    hasher.combine(changes)
  }
}

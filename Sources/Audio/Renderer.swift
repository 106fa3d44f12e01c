public import MusicalTime

/// Turns hits with instants into frames: each is struck on the frame of ``map`` nearest to its instant.
///
/// A hit that comes too late for its frame sounds on the first frame that can still be had (``FrameMap``), and is counted
/// with its lateness; more than a second late it is dropped and counted, as nobody could tell what it belonged to.
/// Without a kit hits are counted all the same.
public struct Renderer: ~Copyable {
  /// How late a hit may sound.
  public static var maximumLateness: Nanoseconds { @_noLocks @_noAllocation get { .seconds(1) } }

  /// Which frame sounds when. A card's may change from period to period.
  ///
  /// Real-time: safe.
  public var map: FrameMap
  /// Real-time: safe.
  public private(set) var counters = SoundCounters()
  private var lanes: DrumLanes?
  private var queue = EventQueue()

  /// A renderer for `lanes`, which must have been loaded for `grid`, by which it goes until it gets another map; nil
  /// renders silence.
  public init(grid: FrameGrid, lanes: consuming DrumLanes?) {
    map = .grid(grid)
    self.lanes = lanes
  }

  /// Keeps `event` until it is due, or forgets those that it takes back.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func add(_ event: SoundEvent) {
    if event.isRecall { return queue.removeAll(from: event.instant) }
    if !queue.insert(event) { counters.dropped += 1 }
  }

  /// Renders the period of `left.count` frames that starts at `frame`. Frames between the last period and this one have
  /// been missed: voices are where they would be, see ``DrumLanes/skip(to:)``.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func render(from frame: Int64, left: inout MutableSpan<Float>, right: inout MutableSpan<Float>) {
    lanes?.skip(to: frame)
    let end = frame &+ Int64(left.count)
    while let event = queue.first {
      let wanted = map.frame(nearest: event.instant)
      let possible = map.firstFrame(for: event, notBefore: frame)
      var place = wanted > possible ? wanted : possible
      if place < frame { place = frame }
      guard place < end else { break }
      queue.popFirst()
      strike(event, at: place, isLate: place > wanted)
    }
    if lanes?.render(left: &left, right: &right) == nil {
      clear(&left)
      clear(&right)
    }
  }

  /// Renders the period that starts at `period.frame`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func render(_ period: inout StereoPeriod) {
    var left = period.left.mutableSpan
    var right = period.right.mutableSpan
    render(from: period.frame, left: &left, right: &right)
  }

  /// Counts an underrun of `frames` frames.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func countUnderrun(frames: Int64) {
    counters.underruns += 1
    countSilence(frames: frames)
  }

  /// Counts `frames` frames of silence that were nobody's fault.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func countSilence(frames: Int64) { counters.silentFrames &+= frames }

  /// Drops the hits whose instant lies before `instant`, as there is nothing to play them on, and counts them.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func drop(before instant: Instant) {
    while let event = queue.first, event.instant < instant {
      queue.popFirst()
      counters.dropped += 1
    }
  }

  @_noLocks @_noAllocation
  private mutating func strike(_ event: SoundEvent, at frame: Int64, isLate: Bool) {
    let lateness = isLate ? map.instant(of: frame) - event.instant : .zero
    // A hostile instant may wrap the difference; a late hit is never early.
    guard lateness >= .zero, lateness <= Self.maximumLateness else {
      counters.dropped += 1
      return
    }
    if lanes?.strike(event.note, velocity: event.velocity, group: event.group, at: frame) == false {
      counters.dropped += 1
      return
    }
    counters.hits += 1
    guard isLate else { return }
    counters.late += 1
    if lateness > counters.maximumLateness { counters.maximumLateness = lateness }
  }

  @_noLocks @_noAllocation
  private func clear(_ frames: inout MutableSpan<Float>) {
    var frame = 0
    while frame < frames.count {
      frames[frame] = 0
      frame += 1
    }
  }
}

public import MusicalTime

/// Turns hits with instants into frames: each is struck on the frame of ``map`` nearest to its instant. Messages sound at
/// once, see ``play(from:to:left:right:)``.
///
/// A hit that comes too late for its frame sounds on the first frame that can still be had (``FrameMap``), and is counted
/// with its lateness; more than a second late it is dropped and counted, as nobody could tell what it belonged to.
/// Without anything to sound with, hits and messages are counted all the same.
public struct Renderer: ~Copyable {
  /// How late a hit may sound.
  public static var maximumLateness: Nanoseconds { @_noLocks @_noAllocation get { .seconds(1) } }

  /// Which frame sounds when. A card's may change from period to period.
  ///
  /// Real-time: safe.
  public var map: FrameMap
  /// Real-time: safe.
  public internal(set) var counters = SoundCounters()
  let rate: Int64
  var module: SoundModule?
  /// Hits alone.
  private var queue = EventQueue()
  /// Messages alone, all of one thread, so that their instants never go back: they leave in the order in which they came.
  var messages = EventQueue()
  /// How many events the ring had refused when it was looked at last.
  var lostInRing = 0

  /// A renderer for `module`, which must have been loaded for `grid`, by which it goes until it gets another map; nil
  /// renders silence.
  public init(grid: FrameGrid, module: consuming SoundModule?) {
    map = .grid(grid)
    rate = grid.rate
    self.module = module
  }

  /// Keeps `event` until it is due, or forgets those that it takes back.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func add(_ event: SoundEvent) {
    switch event.kind {
    case .hit: if !queue.insert(event) { counters.dropped += 1 }
    case .recall: queue.removeAll(from: event.instant)
    case .message: if !messages.insert(event) { loseMessages() }
    }
  }

  /// Renders the period of `left.count` frames that starts at `frame`. Frames between the last period and this one have
  /// been missed: voices are where they would be, see ``DrumLanes/skip(to:)``.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func render(from frame: Int64, left: inout MutableSpan<Float>, right: inout MutableSpan<Float>) {
    module?.lanes.skip(to: frame)
    module?.channels.skip(to: frame)
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
    if module?.lanes.render(left: &left, right: &right) == nil {
      clear(&left)
      clear(&right)
    }
    play(from: frame, to: end, left: &left, right: &right)
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

  /// Drops the hits whose instant lies before `instant`, and the notes of all messages, as there is nothing to play them
  /// on, and counts them.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func drop(before instant: Instant) {
    while let event = queue.first, event.instant < instant {
      queue.popFirst()
      counters.dropped += 1
    }
    dropNotes()
  }

  @_noLocks @_noAllocation
  private mutating func strike(_ event: SoundEvent, at frame: Int64, isLate: Bool) {
    guard case .hit(let note, let velocity, let group) = event.kind else { return }
    let lateness = isLate ? map.instant(of: frame) - event.instant : .zero
    // A hostile instant may wrap the difference; a late hit is never early.
    guard lateness >= .zero, lateness <= Self.maximumLateness else {
      counters.dropped += 1
      return
    }
    if module?.lanes.strike(note, velocity: velocity, group: group, at: frame) == false {
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

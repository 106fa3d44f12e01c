public import MusicalTime
public import Realtime

/// Renders hits and messages into blocks of frames. Each hit is played on the frame of ``map`` nearest to its instant. Messages
/// are played as early as possible, or, if they are timed, at their instants, see ``playMessages(from:to:left:right:)``.
///
/// A hit submitted too late for its frame sounds on the first possible frame (``FrameMap``) and is counted with its
/// lateness. A hit more than a second late is dropped and counted, because its musical context has passed. The sum of all
/// sounds is limited, see ``SoftLimit``. Without a ``SoundModule``, hits and messages are counted but make no sound.
public struct Renderer: ~Copyable {
  /// The maximum lateness of a hit that is still played.
  ///
  /// Real-time: safe.
  public static var maximumLateness: Nanoseconds { @_noLocks @_noAllocation get { .seconds(1) } }

  /// The conversion between frames and instants. For a sound card, it may change with every block.
  ///
  /// Real-time: safe.
  public var map: FrameMap
  /// The counters since the start.
  ///
  /// Real-time: safe.
  public internal(set) var counters = SoundCounters()
  let rate: Int64
  var module: SoundModule?
  /// The loudness of the rhythm and the score.
  private var rhythm = Fader()
  /// The waiting events of the rhythm and the score: hits, notes, and releases.
  private var hits = EventQueue()
  /// The waiting messages that are played as early as possible. One thread submits all messages, so their instants never decrease
  /// and the queue keeps their order.
  var messages = EventQueue()
  /// The waiting timed messages (``SoundEvent/isTimed``).
  var timedMessages = EventQueue()
  /// The ring that gets a report of the first hit of each step; nil if hits are not reported.
  let sounded: SPSCRing<SoundedHit>?
  /// The step of the newest report.
  private var reportedStep = Instant(nanoseconds: .min)
  /// The latency of the last call of ``drain(_:latency:)``: by this time, the waiting events of the rhythm are earlier than submitted.
  var latency = Nanoseconds.zero
  /// The number of messages that were dropped before the last call of ``drain(_:latency:)``.
  var droppedMessages = 0

  /// Creates a renderer. ``map`` is `grid` until it is set.
  ///
  /// - Parameters:
  ///   - grid: The frames for which `module` has been loaded.
  ///   - module: The sound source; nil to render silence.
  ///   - sounded: Gets the first hit of each step; nil for no reports.
  ///
  /// Real-time: not safe.
  public init(grid: FrameGrid, module: consuming SoundModule?, sounded: SPSCRing<SoundedHit>? = nil) {
    map = .grid(grid)
    rate = grid.rate
    self.module = module
    self.sounded = sounded
  }

  /// Adds `event`. A hit, a note, a release or a message waits until it is due. A recall removes waiting events of the rhythm and the
  /// score. A rhythm level takes effect at once.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func add(_ event: SoundEvent) {
    switch event.kind {
    case .note(_, _, _, let program), .scoreNote(_, _, _, let program): module?.lanes.prepare(program)
    default: break
    }
    switch event.kind {
    case .hit, .note, .release, .scoreNote, .releaseScore: if !hits.insert(event) { counters.dropped += 1 }
    case .muteScorePart(let part):
      hits.removeNotes(ofScorePart: part)
      if !hits.insert(event) { counters.dropped += 1 }
    case .recall: hits.removeAll(from: event.instant)
    case .rhythmLevel(let percent): rhythm.set(percent: percent)
    case .message:
      let isInserted = event.isTimed ? timedMessages.insert(event) : messages.insert(event)
      if !isInserted { handleMessageLoss() }
    }
  }

  /// Renders the `left.count` frames that start at `frame`. Voices continue as if the frames missed since the last call had
  /// been played, see ``DrumLanes/skip(to:)``.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func render(from frame: Int64, left: inout MutableSpan<Float>, right: inout MutableSpan<Float>) {
    module?.lanes.skip(to: frame)
    module?.channels.skip(to: frame)
    let end = frame &+ Int64(left.count)
    while let event = hits.first {
      let due = map.frame(nearest: event.instant)
      let earliest = map.firstFrame(for: event, notBefore: frame)
      // The hit starts on the latest of three frames: the frame nearest to its instant, the first frame on which it can sound, and
      // `frame`.
      var start = due > earliest ? due : earliest
      if start < frame { start = frame }
      guard start < end else { break }
      hits.popFirst()
      strike(event, at: start, isLate: start > due)
    }
    // Without a module, the result is nil and the frames are silent.
    if module?.lanes.render(left: &left, right: &right) == nil {
      clear(&left)
      clear(&right)
    }
    rhythm.apply(to: &left, &right)
    playMessages(from: frame, to: end, left: &left, right: &right)
    SoftLimit.apply(to: &left)
    SoftLimit.apply(to: &right)
  }

  /// Renders the block that starts at `block.frame`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func render(_ block: inout StereoBlock) {
    var left = block.left.mutableSpan
    var right = block.right.mutableSpan
    render(from: block.frame, left: &left, right: &right)
  }

  /// Counts an underrun of `frames` frames.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func countUnderrun(frames: Int64) {
    counters.underruns += 1
    countSilence(frames: frames)
  }

  /// Counts `frames` frames of silence without counting an underrun.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func countSilence(frames: Int64) { counters.silentFrames &+= frames }

  /// Drops and counts the hits before `instant` and every waiting Note On, because there is no device to play them on. All
  /// other waiting messages are played.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func drop(before instant: Instant) {
    while let event = hits.first, event.instant < instant {
      hits.popFirst()
      counters.dropped += 1
    }
    dropNotes()
  }

  /// Starts the hit or note `event` on `frame`. Drops the event if it is too late or cannot sound. Counts the event in both cases.
  /// A release only ends its notes.
  ///
  /// - Parameter isLate: Whether `frame` is after the frame at which the hit is due.
  @_noLocks @_noAllocation
  private mutating func strike(_ event: SoundEvent, at frame: Int64, isLate: Bool) {
    switch event.kind {
    case .release(let part):
      module?.lanes.releaseNotes(ofPart: part, at: frame)
      return
    case .releaseScore:
      module?.lanes.releaseScore(at: frame)
      return
    case .muteScorePart(let part):
      module?.lanes.releaseScore(part: part, at: frame)
      return
    case .hit, .note, .scoreNote, .recall, .rhythmLevel, .message: break
    }
    let lateness = isLate ? map.instant(of: frame) - event.instant : .zero
    // For an extreme instant, the difference may overflow. The lateness is then negative.
    guard lateness >= .zero, lateness <= Self.maximumLateness else {
      counters.dropped += 1
      return
    }
    guard start(event, at: frame) else {
      counters.dropped += 1
      return
    }
    counters.hits += 1
    report(event, at: frame)
    guard isLate else { return }
    counters.late += 1
    if lateness > counters.maximumLateness { counters.maximumLateness = lateness }
  }

  /// Reports the hit `event`, which starts on `frame`, if it is the first one of its step. The report contains the instants without the
  /// latency, at which the hit is heard.
  @_noLocks @_noAllocation
  private mutating func report(_ event: SoundEvent, at frame: Int64) {
    guard let sounded else { return }
    var event = event
    event.move(by: latency)
    guard event.step > reportedStep else { return }
    reportedStep = event.step
    sounded.push(SoundedHit(event, firstFrame: map.instant(of: frame) + latency))
  }

  /// Moves the waiting events of the rhythm and the score.
  @_noLocks @_noAllocation
  mutating func moveHits(by delay: Nanoseconds) { hits.move(by: delay) }

  /// Starts a hit or a note on `frame`. Returns false if the event cannot sound. True without a ``SoundModule``.
  @_noLocks @_noAllocation
  private mutating func start(_ event: SoundEvent, at frame: Int64) -> Bool {
    switch event.kind {
    case .hit(let note, let velocity, let group):
      return module?.lanes.strike(note, velocity: velocity, group: group, at: frame) != false
    case .note(let key, let velocity, let part, let program):
      let end = end(of: event, at: frame)
      return module?.lanes.play(key, velocity: velocity, part: part, program: program, at: frame, until: end) != false
    case .scoreNote(let key, let velocity, let part, let program):
      if program == SoundEvent.drumKit {
        return module?.lanes.strikeScore(key, velocity: velocity, at: frame) != false
      }
      let end = end(of: event, at: frame)
      return module?.lanes.play(key, velocity: velocity, scorePart: part, program: program, at: frame, until: end)
        != false
    case .recall, .release, .releaseScore, .muteScorePart, .rhythmLevel, .message: return true
    }
  }

  /// The frame at which a note ends that starts on `frame`. The note keeps its length if it begins late. It has at least one frame.
  @_noLocks @_noAllocation
  private func end(of event: SoundEvent, at frame: Int64) -> Int64 {
    let length = map.frame(nearest: event.end) &- map.frame(nearest: event.instant)
    return frame &+ (length > 1 ? length : 1)
  }

  /// Sets all frames to silence.
  @_noLocks @_noAllocation
  private func clear(_ frames: inout MutableSpan<Float>) {
    var frame = 0
    while frame < frames.count {
      frames[frame] = 0
      frame += 1
    }
  }
}

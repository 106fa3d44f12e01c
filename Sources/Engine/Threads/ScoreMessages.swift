import MIDI
import MusicalTime

/// The notes of the score that MIDI devices play or will play: each begins and ends at its instant, because the devices do not know the
/// local clock. Before the first note of a program, the device gets a Program Change.
struct ScoreMessages: ~Copyable {
  /// The maximum number of notes. Further notes are dropped and counted.
  private static var capacity: Int { @_noLocks @_noAllocation get { 512 } }

  private struct Note: BitwiseCopyable {
    var start = Instant(nanoseconds: 0)
    var end = Instant(nanoseconds: 0)
    /// The instant of the step to which the note belongs.
    var step = Instant(nanoseconds: 0)
    var isSounding = false
    /// The General MIDI program; greater than 127 for drums.
    var program: UInt8 = 0
    /// The index of the route.
    var route = 0
    var key = UInt7(masking: 0)
    var velocity = UInt7(masking: 0)
    var target: ScoreRoutes.Route.Target?
    var channel = Channel(wire: 0)

    @_noLocks @_noAllocation
    init() {}

    /// When the next message of the note is due.
    var due: Instant { @_noLocks @_noAllocation get { isSounding ? end : start } }

    /// Whether the Note Off of the other note would end this note.
    @_noLocks @_noAllocation
    func sharesKey(with other: Note) -> Bool {
      guard key.value == other.key.value, channel.wire == other.channel.wire, let a = target, let b = other.target
      else {
        return false
      }
      return ScoreRoutes.Route.Target.areEqual(a, b)
    }
  }

  // The first `count` elements are used, in no order.
  private var notes = InlineArray<512, Note>(repeating: Note())
  private var count = 0
  private var routes = ScoreRoutes()
  /// For each route, the program of the device; 255: unknown.
  private var programs = InlineArray<16, UInt8>(repeating: 255)
  /// The instant of the next message.
  private(set) var nextDue = Instant.distantFuture
  /// The number of notes that were dropped.
  private(set) var dropped: Int64 = 0

  init() {}

  /// Plays by other routes. The notes of the former ones end.
  @_noLocks @_noAllocation
  mutating func adopt(_ routes: ScoreRoutes, at now: Instant) {
    silence(at: now)
    self.routes = routes
    var route = 0
    while route < 16 {
      programs[route] = 255
      route += 1
    }
  }

  /// Adds a note for each device that plays its part.
  ///
  /// - Parameter step: the instant of the step to which the note belongs.
  @_noLocks @_noAllocation
  mutating func add(_ score: ScoreNote, from start: Instant, until end: Instant, step: Instant) {
    var index = 0
    while index < routes.count {
      if routes[index].part == score.part { add(score, from: start, until: end, step: step, to: index) }
      index += 1
    }
  }

  @_noLocks @_noAllocation
  private mutating func add(_ score: ScoreNote, from start: Instant, until end: Instant, step: Instant, to route: Int) {
    guard count < Self.capacity else {
      dropped += 1
      return
    }
    var note = Note()
    (note.start, note.end, note.step, note.program, note.route) = (start, end, step, score.program, route)
    (note.key, note.velocity) = (UInt7(masking: score.key), UInt7(masking: score.velocity))
    (note.target, note.channel) = (routes[route].target, routes[route].channel)
    notes[count] = note
    count += 1
    if start < nextDue { nextDue = start }
  }

  /// Removes and returns the next message if it is due at `now`, and its instant. At one instant, notes end before others begin. The end of a
  /// note has no message while another note of its key sounds on the same channel of the device.
  @_noLocks @_noAllocation
  mutating func take(at now: Instant) -> (message: Message, instant: Instant, target: ScoreRoutes.Route.Target)? {
    while nextDue <= now, let index = first() {
      let note = notes[index]
      guard let target = note.target else { return nil }
      if !note.isSounding {
        if note.program <= 127, programs[note.route] != note.program {
          programs[note.route] = note.program
          return (.programChange(note.channel, program: UInt7(masking: note.program)), note.start, target)
        }
        notes[index].isSounding = true
        updateDue()
        return (.noteOn(note.channel, key: note.key, velocity: note.velocity), note.start, target)
      }
      remove(index)
      updateDue()
      if !isHeld(note) {
        return (.noteOff(note.channel, key: note.key, velocity: UInt7(masking: 64)), note.end, target)
      }
    }
    return nil
  }

  /// The index of the note whose message is due first.
  @_noLocks @_noAllocation
  private func first() -> Int? {
    var first: Int?
    var index = 0
    while index < count {
      if let other = first {
        let (a, b) = (notes[index].due, notes[other].due)
        if a < b || a == b && notes[index].isSounding && !notes[other].isSounding { first = index }
      } else {
        first = index
      }
      index += 1
    }
    return first
  }

  /// Whether another note of the key of `note` sounds on its channel of its device.
  @_noLocks @_noAllocation
  private func isHeld(_ note: Note) -> Bool {
    var index = 0
    while index < count {
      if notes[index].isSounding, notes[index].sharesKey(with: note) { return true }
      index += 1
    }
    return false
  }

  /// Removes the notes that have not begun and whose steps are at `instant` or later.
  @_noLocks @_noAllocation
  mutating func recall(from instant: Instant) {
    var index = 0
    while index < count {
      if !notes[index].isSounding, notes[index].step >= instant { remove(index) } else { index += 1 }
    }
    updateDue()
  }

  /// Ends all notes at `instant`, unless they end earlier. Notes that begin at this instant or later belong to what follows and stay.
  @_noLocks @_noAllocation
  mutating func release(at instant: Instant) {
    var index = 0
    while index < count {
      if notes[index].start < instant, notes[index].end > instant { notes[index].end = instant }
      index += 1
    }
    updateDue()
  }

  /// Ends all notes at once, and removes those that have not begun.
  @_noLocks @_noAllocation
  mutating func silence(at now: Instant) {
    var index = 0
    while index < count {
      if notes[index].isSounding {
        if notes[index].end > now { notes[index].end = now }
        index += 1
      } else {
        remove(index)
      }
    }
    updateDue()
  }

  @_noLocks @_noAllocation
  private mutating func remove(_ index: Int) {
    count -= 1
    notes[index] = notes[count]
  }

  @_noLocks @_noAllocation
  private mutating func updateDue() {
    nextDue = .distantFuture
    var index = 0
    while index < count {
      if notes[index].due < nextDue { nextDue = notes[index].due }
      index += 1
    }
  }
}

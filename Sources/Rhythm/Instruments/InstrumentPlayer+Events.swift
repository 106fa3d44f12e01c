import MusicalTime

extension InstrumentPlayer {
  /// Returns the next event before `horizon`; nil if there is none. An event that takes effect as early as possible is returned
  /// regardless of the horizon. The horizon must not be before the present. If events have already been returned up to a later position,
  /// this position replaces the horizon.
  ///
  /// The work of one call is bounded: a call examines at most the units of one repetition of the figure and sixteen notes. A unit is one
  /// note or rest of the figure. A caller that was stopped for a long time calls ``move(to:rhythmFrom:)`` first. Otherwise this function
  /// returns all notes of the figure that the caller has missed.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func next(before horizon: MusicalPosition) -> InstrumentEvent? {
    let end = horizon > now ? horizon : now
    if let event = endOfSilencedNote() ?? change() { return event }
    while true {
      let unit = nextNoteOfFigure(before: end)
      // The next event is the end of a sounding note, the beginning of a waiting note, or a note of the figure. The three candidates are
      // checked in this order. `first` is the lowest position so far, and only a candidate with a lower position is chosen instead. At one
      // position, notes therefore end before others begin.
      var first = end
      var (isFigure, isWaiting) = (false, false)
      var ending: Int?
      // The position of a sounding note is its end. The position of a waiting note is its beginning.
      if let index = sounding.earliest(), sounding[index].position < first {
        (ending, first) = (index, sounding[index].position)
      }
      if let index = waiting.earliest() {
        let note = waiting[index]
        // An immediate note is a candidate also at the horizon itself, but only if no note ends before the horizon (`ending` is nil).
        // Otherwise the end of that note comes first.
        if note.position < first || (ending == nil && note.isImmediate && note.position == end) {
          (isWaiting, first) = (true, note.position)
        }
      }
      if unit != nil, positionOfNextUnit < first { (isFigure, first) = (true, positionOfNextUnit) }
      now = first
      // The candidate that was chosen last has the lowest position. The other candidates wait for a later pass or call.
      if isFigure, let unit {
        if let event = playFigure(unit) { return event }
      } else if isWaiting, let index = waiting.earliest() {
        if let event = playWaiting(index) { return event }
      } else {
        guard let ending else { return nil }
        return InstrumentEvent(.noteOff(key: sounding.remove(at: ending).key), at: now)
      }
    }
  }

  /// The earliest position at which ``next(before:)`` can return an event; nil if there will be no event. The caller can sleep until
  /// this position. A control, an action or another call can change the position.
  ///
  /// Real-time: safe.
  public var nextPosition: MusicalPosition? {
    @_noLocks @_noAllocation get {
      if isProgramDue || brightnessChange != nil { return now }
      var next: MusicalPosition?
      if let index = sounding.earliest() { next = sounding[index].position }
      if let index = waiting.earliest() { next = Self.earlier(next, waiting[index].position) }
      if isFigurePlaying { next = Self.earlier(next, positionOfNextUnit) }
      return next
    }
  }

  /// The number of notes that sound, 0...16.
  ///
  /// Real-time: safe.
  public var soundingCount: Int { @_noLocks @_noAllocation get { sounding.count } }

  @_noLocks @_noAllocation
  private static func earlier(_ a: MusicalPosition?, _ b: MusicalPosition) -> MusicalPosition {
    guard let a else { return b }
    return a < b ? a : b
  }

  /// The end of a note that ``silence()`` has ended; nil if there is none. Only ``silence()`` marks sounding notes as immediate.
  @_noLocks @_noAllocation
  private mutating func endOfSilencedNote() -> InstrumentEvent? {
    guard let index = sounding.earliest(), sounding[index].isImmediate else { return nil }
    return InstrumentEvent(.noteOff(key: sounding.remove(at: index).key), at: now, isImmediate: true)
  }

  /// The event of a change of the program or of Brightness; nil if neither has changed.
  @_noLocks @_noAllocation
  private mutating func change() -> InstrumentEvent? {
    if isProgramDue {
      isProgramDue = false
      return InstrumentEvent(.program(table.program), at: now, isImmediate: true)
    }
    guard let brightness = brightnessChange else { return nil }
    sentBrightness = brightness
    return InstrumentEvent(.brightness(brightness), at: now, isImmediate: true)
  }

  /// The value of Brightness to return next; nil if the last returned value still applies. After an instrument that sends Brightness, an
  /// instrument that does not send Brightness begins with 64, the centre.
  private var brightnessChange: UInt8? {
    @_noLocks @_noAllocation get {
      let brightness: UInt8
      if let value = table.brightness(controls) {
        brightness = value
      } else {
        guard sentBrightness != nil else { return nil }
        brightness = 64
      }
      // The value is returned unless it is the last returned value.
      guard let sentBrightness, sentBrightness == brightness else { return brightness }
      return nil
    }
  }

  /// Whether the instrument plays a figure in a rhythm.
  private var isFigurePlaying: Bool {
    @_noLocks @_noAllocation get { if case .some = start { table.hasFigure } else { false } }
  }

  /// The position of ``nextUnit``.
  private var positionOfNextUnit: MusicalPosition {
    @_noLocks @_noAllocation get { MusicalPosition(milliticks: nextUnit &* unitLength) }
  }

  /// The index in the figure of the next note before `end`; nil if there is none. Units without a note are skipped.
  @_noLocks @_noAllocation
  private mutating func nextNoteOfFigure(before end: MusicalPosition) -> Int? {
    guard isFigurePlaying else { return nil }
    let count = Int64(table.unitCount)
    while positionOfNextUnit < end {
      let place = nextUnit % count
      let unit = Int(place < 0 ? place &+ count : place)
      if table.sounds(unit, controls) { return unit }
      nextUnit &+= 1
    }
    return nil
  }

  /// Begins the note of the figure at the index `unit` at ``now``. If another note must end first, returns the end of that note, and a
  /// later call begins the note of the figure. Returns nil if a note of the same key has already begun at ``now``.
  @_noLocks @_noAllocation
  private mutating func playFigure(_ unit: Int) -> InstrumentEvent? {
    let (degree, stroke) = (table.units[unit].degree, table.units[unit].velocity)
    let key = table.key(controls, degree: degree, borrowed: pitches.current, in: chord(at: now))
    if !hasBegun(key), let ending = noteToEnd(before: key) {
      return InstrumentEvent(.noteOff(key: ending), at: now)
    }
    nextUnit &+= 1
    pitches.advance()
    return begin(key, velocity: table.velocity(controls, stroke: stroke), isImmediate: false)
  }

  /// Begins the waiting note at `index` at ``now``. If another note must end first, returns the end of that note, and a later call begins
  /// the waiting note. Returns nil if a note of the same key has already begun at ``now``.
  @_noLocks @_noAllocation
  private mutating func playWaiting(_ index: Int) -> InstrumentEvent? {
    let note = waiting[index]
    if !hasBegun(note.key), let ending = noteToEnd(before: note.key) {
      return InstrumentEvent(.noteOff(key: ending), at: now, isImmediate: note.isImmediate)
    }
    waiting.remove(at: index)
    return begin(note.key, velocity: note.velocity, isImmediate: note.isImmediate)
  }

  /// Whether a sounding note of `key` has begun at ``now``.
  @_noLocks @_noAllocation
  private func hasBegun(_ key: UInt8) -> Bool {
    guard let index = sounding.index(of: key) else { return false }
    // The position of a sounding note is its end.
    return sounding[index].position == now + table.noteLength
  }

  /// Removes the sounding note that must end before `key` begins, and returns its key; nil if no note must end. If a note of the same key
  /// sounds, this note must end. Otherwise, if ``InstrumentNotes/capacity`` notes sound, the note that would end first must end.
  @_noLocks @_noAllocation
  private mutating func noteToEnd(before key: UInt8) -> UInt8? {
    if let index = sounding.index(of: key) { return sounding.remove(at: index).key }
    guard sounding.count == InstrumentNotes.capacity, let index = sounding.earliest() else { return nil }
    return sounding.remove(at: index).key
  }

  /// Begins a note at ``now``. Returns nil if a note of the same key has already begun at ``now``.
  @_noLocks @_noAllocation
  private mutating func begin(_ key: UInt8, velocity: UInt8, isImmediate: Bool) -> InstrumentEvent? {
    if hasBegun(key) { return nil }
    var note = InstrumentNotes.Note()
    (note.key, note.velocity, note.position) = (key, velocity, now + table.noteLength)
    sounding.append(note)
    return InstrumentEvent(.noteOn(key: key, velocity: velocity), at: now, isImmediate: isImmediate)
  }
}

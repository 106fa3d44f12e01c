import MIDI
import MusicalTime

/// The mapping of instants to positions in a MIDI recording.
///
/// A tick of the rhythm lasts ``unitsPerTick`` ticks of the file, here called units. While a rhythm plays, the position of an instant
/// between two ticks is interpolated. Otherwise the position advances with time at the last tempo.
///
/// The bar lines of the file are those of the rhythm. Therefore a run of the rhythm begins at the next position that has the same place in
/// a bar as the first tick of the run. The pause before the run becomes longer in the file by less than a bar. If the meter changes at the
/// beginning of the run, the new meter begins at a bar line, and the pause becomes longer by less than two bars. Here, a run and the runs
/// that continue it count as one run (``TickRecord/series``).
struct RecordedTimeline {
  /// The units per quarter note. The number is a multiple of 24, so that each tick is on a unit. At 20 BPM, the slowest tempo, a unit lasts
  /// 0.8 ms, so rounding moves an event by at most 0.4 ms, which cannot be heard. The number is also a multiple of 960, the usual
  /// resolution of sequencer programs, so that these programs convert the positions of ticks without rounding.
  static let resolution = 3840
  /// The units per tick of the rhythm.
  static let unitsPerTick = Int64(resolution) / Tick.perQuarter

  /// A position whose instant is known, and the tempo from there on.
  private struct Anchor {
    var instant: Instant
    var position: Int64
    var tempo: Tempo
  }

  /// The newest tick. Its position is that of ``anchor``.
  private struct NewestTick {
    var tick: Tick
    /// The series of runs to which the tick belongs: ``TickRecord/series``.
    var series: UInt32
  }

  /// The changes of tempo and meter.
  private(set) var changes = RecordedTempoTrack()
  /// The greatest position so far.
  private(set) var end: Int64 = 0
  /// How long the file plays: the time until ``end``, at the tempos of ``changes``.
  var duration: Nanoseconds {
    // The time in microseconds, and the microseconds per quarter note from `position` on.
    var (time, position, tempo): (Double, Int64, Int) = (0, 0, 0)
    func length(to next: Int64) -> Double { Double(next - position) * Double(tempo) / Double(Self.resolution) }
    for event in changes.events where event.tick <= end {
      guard case .meta(let meta) = event.content, let next = meta.microsecondsPerQuarter else { continue }
      time += length(to: event.tick)
      (position, tempo) = (event.tick, next)
    }
    return Nanoseconds(Int64(((time + length(to: end)) * 1000).rounded()))
  }
  /// The position of the last event that is not a tick.
  private var lastEvent: Int64 = 0
  /// The newest tick, or the first event if there was no tick yet; nil before the first event.
  private var anchor: Anchor?
  private var newest: NewestTick?
  private let initialTempo: Tempo
  private var meter: Meter
  /// The position of the last change of meter, which begins a bar.
  private var barOrigin: Int64 = 0

  /// Creates an empty timeline. `tempo` applies until the first tick.
  init(tempo: Tempo, meter: Meter) {
    (initialTempo, self.meter) = (tempo, meter)
    changes.append(tempo, at: 0)
    changes.append(meter, at: 0)
  }

  /// Appends a tick. A tick that is not later than the newest tick of the same series has no effect.
  mutating func append(_ record: TickRecord) {
    if let newest, newest.series == record.series, record.tick <= newest.tick { return }
    let position =
      if let anchor, let units = unitsSinceAnchor(record) { anchor.position + units } else { beginRun(with: record) }
    newest = NewestTick(tick: record.tick, series: record.series)
    if record.grid.meter != meter, record.grid.begins(at: record.tick) { begin(record.grid.meter, at: position) }
    changes.append(record.tempo, at: position)
    anchor = Anchor(instant: record.due, position: position, tempo: record.tempo)
    end = max(end, position)
  }

  /// Returns the position of an event at `instant`. Successive calls return positions that do not decrease.
  ///
  /// - Parameter next: the tick that follows the newest one, if it is known. It is later than `instant`.
  mutating func position(of instant: Instant, before next: TickRecord? = nil) -> Int64 {
    guard let anchor else {
      anchor = Anchor(instant: instant, position: 0, tempo: initialTempo)
      return 0
    }
    var position = extrapolated(anchor, to: instant)
    if let next, let units = unitsSinceAnchor(next), next.due > anchor.instant {
      let share = Double((instant - anchor.instant).count) / Double((next.due - anchor.instant).count)
      position = anchor.position + Int64((share * Double(units)).rounded())
    }
    lastEvent = max(lastEvent, position)
    end = max(end, lastEvent)
    return lastEvent
  }

  /// The units from the newest tick to `record`; nil if `record` begins a run.
  ///
  /// A tick whose number is higher than the fastest tempo permits begins a run, too. No valid rhythm has such a tick. Without this check,
  /// such a tick would insert an empty passage of arbitrary length into the file. The limit is computed for one second more than has passed
  /// since the newest tick.
  private func unitsSinceAnchor(_ record: TickRecord) -> Int64? {
    guard let newest, let anchor, newest.series == record.series else { return nil }
    let ticks = record.tick.index.subtractingReportingOverflow(newest.tick.index)
    guard !ticks.overflow, ticks.partialValue > 0 else { return nil }
    // The length of a tick at the fastest tempo, in nanoseconds.
    let shortestTick = Tempo.lengths.lowerBound / Tick.perQuarter
    let limit = (record.due - anchor.instant + .seconds(1)).count / shortestTick
    return ticks.partialValue <= limit ? ticks.partialValue * Self.unitsPerTick : nil
  }

  /// The position of `instant` at the tempo of `anchor`.
  private func extrapolated(_ anchor: Anchor, to instant: Instant) -> Int64 {
    let quarters = Double((instant - anchor.instant).count) / Double(anchor.tempo.nanosecondsPerQuarter)
    return anchor.position + Int64((quarters * Double(Self.resolution)).rounded())
  }

  /// Begins a run, and returns the position of its first tick: the first position after all events that has the place of the tick
  /// in a bar.
  private mutating func beginRun(with record: TickRecord) -> Int64 {
    // Events before the run may have been placed up to `end`.
    let earliest = max(end, anchor.map { extrapolated($0, to: record.due) } ?? 0)
    let barLength = meter.ticksPerBar * Self.unitsPerTick
    let offset = (record.tick - record.grid.line(notAfter: record.tick)) * Self.unitsPerTick
    let isOtherMeter = record.grid.meter != meter
    // The first tick must not be before any event. If a new meter begins at the bar line, the bar line must not be before any event
    // either, so that the tempo track stays in order.
    let earliestLine = isOtherMeter ? earliest : earliest - offset
    let bars = earliestLine <= barOrigin ? 0 : (earliestLine - barOrigin + barLength - 1) / barLength
    let line = barOrigin + bars * barLength
    if isOtherMeter { begin(record.grid.meter, at: line) }
    return line + offset
  }

  /// Changes the meter at `position`, which becomes a bar line.
  private mutating func begin(_ meter: Meter, at position: Int64) {
    (self.meter, barOrigin) = (meter, position)
    changes.append(meter, at: position)
  }
}

/// The first track of a MIDI recording: the changes of tempo and meter.
struct RecordedTempoTrack {
  typealias Event = StandardMIDIFile.Event
  typealias MetaEvent = StandardMIDIFile.MetaEvent

  /// The Set Tempo and Time Signature events, in the order of their positions.
  private(set) var events: [Event] = []
  /// The microseconds per quarter note of the last Set Tempo event.
  private var tempo: Int?

  /// Appends a Set Tempo event, unless the last one has the same tempo. The file stores whole microseconds per quarter note. The
  /// rounding changes the tempo by less than 9 ppm at 999 BPM, and by 1 ppm at 120 BPM. It does not change the positions.
  mutating func append(_ tempo: Tempo, at position: Int64) {
    let microseconds = Int((tempo.nanosecondsPerQuarter + 500) / 1000)
    guard microseconds != self.tempo, let event = MetaEvent(microsecondsPerQuarter: microseconds) else { return }
    self.tempo = microseconds
    replace(\.microsecondsPerQuarter, by: event, at: position)
  }

  /// Appends a Time Signature event.
  mutating func append(_ meter: Meter, at position: Int64) {
    guard let signature = StandardMIDIFile.TimeSignature(meter.beats, meter.unit) else { return }
    replace(\.timeSignature, by: MetaEvent(signature), at: position)
  }

  /// Appends `event`, and removes an earlier event of the same kind at the same position.
  ///
  /// - Parameter kind: a property that is not nil for events of this kind only.
  private mutating func replace<Value>(_ kind: KeyPath<MetaEvent, Value?>, by event: MetaEvent, at position: Int64) {
    var index = events.endIndex
    while index > events.startIndex, events[index - 1].tick == position {
      index -= 1
      if case .meta(let meta) = events[index].content, meta[keyPath: kind] != nil { events.remove(at: index) }
    }
    events.append(Event(tick: position, .meta(event)))
  }
}

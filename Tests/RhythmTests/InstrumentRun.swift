import MIDI
import MusicalTime
import Testing

@testable import Rhythm

/// An instrument player, with all events that it has returned, and the checks that hold for every sequence of events.
struct InstrumentRun {
  var player: InstrumentPlayer
  private(set) var events: [InstrumentEvent] = []
  private let instrument: Instrument
  /// The keys that sound.
  private(set) var sounding: Set<UInt8> = []
  private var last: MusicalPosition?
  /// The positions at which each key began.
  private var begun: [UInt8: Set<MusicalPosition>] = [:]

  /// The notes that began.
  var notes: [(key: UInt8, velocity: UInt8, event: InstrumentEvent)] {
    events.compactMap { event in
      if case .noteOn(let key, let velocity) = event.kind { (key, velocity, event) } else { nil }
    }
  }

  init(_ instrument: Instrument, at position: MusicalPosition = MusicalPosition(milliticks: 0)) {
    (self.instrument, player) = (instrument, InstrumentPlayer(InstrumentTable(instrument), at: position))
  }

  /// Collects the events before `horizon`, and checks them.
  mutating func advance(to horizon: MusicalPosition, sourceLocation: SourceLocation = #_sourceLocation) {
    while let event = player.next(before: horizon) {
      events.append(event)
      // The note of an action can move to a line that is before the last horizon. It is then returned after later events. Horizons are
      // at most half a tick ahead of the action, so the note is at most half a tick (500 thousandths) earlier than these events.
      let earliest = last.map { $0 + -500 }
      #expect(earliest.map { $0 <= event.position } ?? true, "out of order", sourceLocation: sourceLocation)
      #expect(event.isImmediate || event.position < horizon, "too early", sourceLocation: sourceLocation)
      last = max(last ?? event.position, event.position)
      switch event.kind {
      case .noteOn(let key, let velocity):
        #expect(sounding.insert(key).inserted, "\(key) sounds already", sourceLocation: sourceLocation)
        #expect(
          instrument.range.contains(key) && instrument.scale.contains(key), "\(key)", sourceLocation: sourceLocation)
        #expect((1...127).contains(velocity), sourceLocation: sourceLocation)
        #expect(
          begun[key, default: []].insert(event.position).inserted, "\(key) sounds twice", sourceLocation: sourceLocation
        )
      case .noteOff(let key): #expect(sounding.remove(key) != nil, "\(key) is silent", sourceLocation: sourceLocation)
      case .program, .brightness: break
      }
    }
  }

  /// Collects the events before a tick, and checks them.
  mutating func advance(toTick tick: Int64, sourceLocation: SourceLocation = #_sourceLocation) {
    advance(to: MusicalPosition(Tick(tick)), sourceLocation: sourceLocation)
  }

  /// Moves to another timeline. Its positions are not comparable with the earlier ones.
  mutating func move(to position: MusicalPosition, rhythmFrom start: Tick?) {
    player.move(to: position, rhythmFrom: start)
    (last, begun) = (nil, [:])
  }

  /// The ticks at which notes began.
  var ticks: [Int64] { notes.map(\.event.position.tick.index) }
}

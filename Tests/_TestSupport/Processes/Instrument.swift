public import MIDI
public import MusicalTime
import Realtime
public import Transports

/// Another program, or a device, at the ALSA sequencer: it gives what it is told to, and keeps what it hears.
public final class Instrument {
  public let name: String
  private let sequencer: Sequencer

  public init(_ name: String) throws {
    self.name = name
    sequencer = try Sequencer(name: name, takingClock: false)
  }

  deinit { sequencer.close() }

  /// Where it hears.
  public var address: SequencerAddress { SequencerAddress(client: sequencer.client, port: Sequencer.Port.input.number) }

  /// Connects itself with the port that `text` names, to hear what it gives.
  public func hear(_ text: String) throws {
    try sequencer.subscribe(SequencerLink(.input, sequencer.ports().find(text, sending: true).address))
  }

  /// Connects itself with the port that `text` names, to play into it.
  public func play(into text: String) throws {
    try sequencer.subscribe(SequencerLink(.notes, sequencer.ports().find(text, sending: false).address))
  }

  public func stopHearing(_ text: String) throws {
    try sequencer.unsubscribe(SequencerLink(.input, sequencer.ports().find(text, sending: true).address))
  }

  public func play(_ message: Message) -> Bool { sequencer.send(message, from: .notes) }

  /// Gives the clock from its port "clock": `first`, the ticks at their moments, 20 ms apart, tick 0 at `origin`, and
  /// `last` half a tick after them. Returns when it is done.
  public func keepTime(_ ticks: Range<Int64>, since origin: Instant, first: [Message] = [], last: [Message] = []) {
    for tick in ticks {
      MonotonicClock.sleep(until: Self.moment(of: tick, since: origin))
      if tick == ticks.lowerBound { for message in first { _ = sequencer.send(message, from: .clock) } }
      _ = sequencer.send(.clock, from: .clock)
    }
    MonotonicClock.sleep(until: Self.moment(of: ticks.upperBound, since: origin) - .milliseconds(10))
    for message in last { _ = sequencer.send(message, from: .clock) }
  }

  public static func moment(of tick: Int64, since origin: Instant) -> Instant { origin + .milliseconds(20 * tick) }

  /// What it has heard since it was asked last.
  public func heard() -> [Message] {
    var messages: [Message] = []
    while let arrival = sequencer.receive() {
      if case .message(let message) = arrival.event { messages.append(message) }
    }
    return messages
  }

  /// Throws away what it has heard, and counts it.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func countHeard() -> Int {
    var count = 0
    while let arrival = sequencer.receive() { if case .message = arrival.event { count += 1 } }
    return count
  }
}

public import MIDI
public import MusicalTime
import Realtime
public import Transports

/// A client of the ALSA sequencer that a test controls, in the role of another MIDI program. The client sends messages. The sequencer
/// stores the messages to the client until the test takes them.
public final class MIDIProgram {
  public let name: String
  private let sequencer: Sequencer

  public init(_ name: String) throws {
    self.name = name
    sequencer = try Sequencer(name: name, takingClock: false)
  }

  deinit { sequencer.close() }

  /// The address of the input port.
  public var address: SequencerAddress { SequencerAddress(client: sequencer.client, port: Sequencer.Port.input.number) }

  /// Subscribes to the port that `text` names, to receive the messages of this port.
  public func subscribe(to text: String) throws {
    try sequencer.subscribe(SequencerLink(.input, sequencer.ports().find(text, sending: true).address))
  }

  /// Connects the notes port of this program to the port that `text` names. ``play(_:)`` then sends to this port.
  public func play(into text: String) throws {
    try sequencer.subscribe(SequencerLink(.notes, sequencer.ports().find(text, sending: false).address))
  }

  /// Disconnects the notes port from the port that `text` names.
  public func stopPlaying(into text: String) throws {
    try sequencer.unsubscribe(SequencerLink(.notes, sequencer.ports().find(text, sending: false).address))
  }

  /// Ends the subscription to the port that `text` names.
  public func unsubscribe(from text: String) throws {
    try sequencer.unsubscribe(SequencerLink(.input, sequencer.ports().find(text, sending: true).address))
  }

  /// Sends a message from the notes port. Returns whether the sequencer has accepted the message.
  public func play(_ message: Message) -> Bool { sequencer.send(message, from: .notes) }

  /// Sends MIDI clock from the port "clock": `first` before the first tick, each tick at its due time, and `last` half a tick
  /// after the last tick. The ticks are 20 ms apart, and tick 0 is due at `origin`. Returns after the last message.
  public func sendClock(_ ticks: Range<Int64>, since origin: Instant, first: [Message] = [], last: [Message] = []) {
    for tick in ticks {
      MonotonicClock.sleep(until: Self.dueTime(of: tick, since: origin))
      if tick == ticks.lowerBound { for message in first { _ = sequencer.send(message, from: .clock) } }
      _ = sequencer.send(.clock, from: .clock)
    }
    MonotonicClock.sleep(until: Self.dueTime(of: ticks.upperBound, since: origin) - .milliseconds(10))
    for message in last { _ = sequencer.send(message, from: .clock) }
  }

  /// The due time of `tick`, if tick 0 is due at `origin`.
  public static func dueTime(of tick: Int64, since origin: Instant) -> Instant { origin + .milliseconds(20 * tick) }

  /// Removes and returns the messages that have arrived, in the order of arrival.
  public func takeMessages() -> [Message] {
    var messages: [Message] = []
    while let arrival = sequencer.receive() {
      if case .message(let message) = arrival.event { messages.append(message) }
    }
    return messages
  }

  /// Removes the messages that have arrived. Returns their number.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func takeMessageCount() -> Int {
    var count = 0
    while let arrival = sequencer.receive() { if case .message = arrival.event { count += 1 } }
    return count
  }
}

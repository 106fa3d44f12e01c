import CALSA
import MIDI
import MusicalTime
import Realtime
import Testing
import Transports
import _TestSupport

/// Tests that need an ALSA sequencer. They are serialized, because the sequencer announces the connections of each test to all clients.
@Suite(.enabled(if: Lab.hasSequencer, "\(Lab.needsSequencer)"), .serialized)
enum LabTests {}

/// The client of another program, implemented with the ALSA library only.
final class OtherClient {
  private let handle: OpaquePointer
  let address: SequencerAddress

  /// Creates the client `name` with one port, `port`, that sends and receives.
  init(_ name: String, port: String) throws {
    var handle: OpaquePointer?
    try #require(snd_seq_open(&handle, "default", SND_SEQ_OPEN_DUPLEX, SND_SEQ_NONBLOCK) == 0)
    self.handle = try #require(handle)
    snd_seq_set_client_name(handle, name)
    let capability =
      SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ | SND_SEQ_PORT_CAP_WRITE | SND_SEQ_PORT_CAP_SUBS_WRITE
    let number = snd_seq_create_simple_port(
      handle, port, UInt32(capability), UInt32(SND_SEQ_PORT_TYPE_MIDI_GENERIC))
    address = SequencerAddress(client: UInt8(snd_seq_client_id(handle)), port: UInt8(number))
  }

  deinit { snd_seq_close(handle) }

  /// Sends an event with `length` octets of variable data to the subscribers. Returns whether the sequencer has accepted the event.
  func sendVariable(_ type: snd_seq_event_type, length: Int) -> Bool {
    var octets = [UInt8](repeating: 0x55, count: length)
    return octets.withUnsafeMutableBytes { bytes in
      var event = snd_seq_event_t()
      event.type = UInt8(type.rawValue)
      event.flags = UInt8(SND_SEQ_EVENT_LENGTH_VARIABLE)
      event.data.ext.len = UInt32(length)
      event.data.ext.ptr = bytes.baseAddress
      return sequencer_send(handle, Int32(address.port), &event) >= 0
    }
  }

  /// Sends an event of fixed size to `destination`, with the `flags` and the `time` that the event has. Returns whether the sequencer
  /// has accepted the event.
  func send(_ event: snd_seq_event_t, to destination: SequencerAddress) -> Bool {
    var event = event
    let to = snd_seq_addr_t(client: destination.client, port: destination.port)
    return sequencer_send_to(handle, Int32(address.port), to, &event) >= 0
  }
}

extension Sequencer {
  /// Receives all arrivals.
  func receiveAll() -> [SequencerArrival] {
    var arrivals: [SequencerArrival] = []
    while let arrival = receive() { arrivals.append(arrival) }
    return arrivals
  }

  /// Receives all arrivals except announcements, which depend on other programs.
  func receiveMessages() -> [SequencerArrival] {
    var arrivals: [SequencerArrival] = []
    while let arrival = receiveMessage() { arrivals.append(arrival) }
    return arrivals
  }

  /// Receives the oldest arrival that is not an announcement.
  func receiveMessage() -> SequencerArrival? {
    while let arrival = receive() {
      if arrival.message != nil || arrival.isIgnored || arrival.isOverflow { return arrival }
    }
    return nil
  }
}

extension SequencerArrival {
  var message: Message? { if case .message(let message) = event { message } else { nil } }
  var isIgnored: Bool { if case .ignored = event { true } else { false } }
  var isOverflow: Bool { if case .overflow = event { true } else { false } }
}

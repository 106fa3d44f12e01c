import CALSA
internal import MusicalTime
import Realtime

extension Sequencer {
  /// Takes what arrived first, if anything has, never waiting. One thread receives.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func receive() -> SequencerArrival? {
    var event = snd_seq_event_t()
    let isFetched = hasBuffered
    let found = Int(sequencer_receive(handle, &event))
    if found == SEQUENCER_NONE { return nil }
    if found == SEQUENCER_OVERFLOW {
      return SequencerArrival(
        .overflow, at: MonotonicClock.now, on: .input, from: SequencerAddress(client: client, port: 0))
    }
    // On the handle that sends: whoever receives is a real-time thread and lets go of its lock at once.
    if !isFetched { clock.compare(by: handle) }
    let from = SequencerAddress(event.source)
    // A program cannot take another's address: the kernel writes the sender into every event.
    let isAnnouncement = from.client == 0 && from.port == 1
    if isAnnouncement || event.dest.port == Self.announcements {
      guard isAnnouncement, event.dest.port == Self.announcements, let news = announcement(in: event) else {
        return SequencerArrival(.ignored, at: MonotonicClock.now, on: .input, from: from)
      }
      return SequencerArrival(news, at: MonotonicClock.now, on: .input, from: from)
    }
    let port = Port(number: event.dest.port) ?? .input
    guard let message = event.message else {
      return SequencerArrival(.ignored, at: arrival(of: event), on: port, from: from)
    }
    return SequencerArrival(.message(message), at: arrival(of: event), on: port, from: from)
  }

  /// Whether ``receive()`` has something of which the descriptor knows nothing.
  ///
  /// Real-time: safe.
  var hasBuffered: Bool { @_noLocks @_noAllocation get { sequencer_has_buffered(handle) != 0 } }

  /// By our queue's stamp; by the present where the event bears none of it.
  @_noLocks @_noAllocation
  private func arrival(of event: snd_seq_event_t) -> Instant {
    guard Int32(event.queue) == clock.queue, event.flags & 1 != 0 else { return MonotonicClock.now }
    return clock.instant(of: event.time.time)
  }

  /// What System:Announce says to all. Two other things it says are left out: connections of others, and what it tells
  /// a port of its own connections, which it says to all as well when somebody has made or undone them, and does not
  /// when the other port has vanished. So an ``SequencerArrival/Event/unsubscribed(_:)`` is always somebody's wish.
  @_noLocks @_noAllocation
  private func announcement(in event: snd_seq_event_t) -> SequencerArrival.Event? {
    let address = SequencerAddress(event.data.addr)
    switch snd_seq_event_type(UInt32(event.type)) {
    case SND_SEQ_EVENT_PORT_START: return .portStarted(address)
    case SND_SEQ_EVENT_PORT_CHANGE: return .portChanged(address)
    case SND_SEQ_EVENT_PORT_EXIT: return .portExited(address)
    case SND_SEQ_EVENT_CLIENT_CHANGE: return .clientChanged(address.client)
    case SND_SEQ_EVENT_CLIENT_EXIT: return .clientExited(address.client)
    case SND_SEQ_EVENT_PORT_SUBSCRIBED: return link(event.data.connect).map { .subscribed($0) }
    case SND_SEQ_EVENT_PORT_UNSUBSCRIBED: return link(event.data.connect).map { .unsubscribed($0) }
    default: return nil
    }
  }

  /// The connection, when it is one of our ports'; where both ends are ours, the one that sends.
  @_noLocks @_noAllocation
  private func link(_ connection: snd_seq_connect_t) -> SequencerLink? {
    let (sender, receiver) = (connection.sender, connection.dest)
    if sender.client == client, let port = Port(number: sender.port) {
      return SequencerLink(port, SequencerAddress(receiver))
    }
    if receiver.client == client, let port = Port(number: receiver.port) {
      return SequencerLink(port, SequencerAddress(sender))
    }
    return nil
  }
}

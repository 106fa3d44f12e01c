import CALSA
public import MIDI
public import MusicalTime
import Realtime

// Receiving events of other programs and announcements of the kernel.
extension Sequencer {
  /// Receives the oldest arrival without blocking. Only one thread may receive.
  ///
  /// - Returns: nil if there is no arrival.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func receive() -> SequencerArrival? {
    var event = snd_seq_event_t()
    let wasBuffered = hasBuffered
    let result = Int(sequencer_receive(handle, &event))
    if result == SEQUENCER_NONE { return nil }
    if result == SEQUENCER_OVERFLOW {
      return SequencerArrival(
        event: .overflow, at: MonotonicClock.now, port: .input, from: SequencerAddress(client: client, port: 0))
    }
    // If the library's buffer was empty, the library has just fetched events from the kernel. Their stamps are queue times,
    // and queue time can jump at any moment (``QueueClock``). The queue time is therefore compared with CLOCK_MONOTONIC
    // now, as soon as possible after the events have arrived.
    //
    // To read the queue time, the kernel locks the mutex of the client. The only other user of this mutex is the sending
    // thread. Both threads are real-time threads and hold the mutex only briefly, so neither waits for a thread of normal
    // priority. Therefore this function may use the mutex, although the function is marked @_noLocks.
    if !wasBuffered { clock.compare(by: handle) }
    let from = SequencerAddress(event.source)
    // System:Announce is port 1 of client 0. Source addresses cannot be forged: the kernel writes the sender into every
    // event.
    let isAnnouncement = from.client == 0 && from.port == 1
    // Three kinds of events are ignored here: an announcement at another port, to which a user has connected
    // System:Announce; an event of another client at the port for announcements; an announcement that is not used.
    if isAnnouncement || event.dest.port == Self.announcements {
      guard isAnnouncement, event.dest.port == Self.announcements, let announcement = announcement(in: event) else {
        return SequencerArrival(event: .ignored, at: MonotonicClock.now, port: .input, from: from)
      }
      return SequencerArrival(event: announcement, at: MonotonicClock.now, port: .input, from: from)
    }
    let port = Port(number: event.dest.port) ?? .input
    guard let message = event.message else {
      return SequencerArrival(event: .ignored, at: arrival(of: event), port: port, from: from)
    }
    return SequencerArrival(event: .message(message), at: arrival(of: event), port: port, from: from)
  }

  /// Whether the library's buffer contains arrivals. These do not make the descriptor readable.
  ///
  /// Real-time: safe.
  public var hasBuffered: Bool { @_noLocks @_noAllocation get { sequencer_has_buffered(handle) != 0 } }

  /// Returns the arrival instant of `event` by the queue's time stamp, or the current time if the event has none.
  @_noLocks @_noAllocation
  private func arrival(of event: snd_seq_event_t) -> Instant {
    // Bit 0 of the flags is SND_SEQ_TIME_STAMP_REAL: the stamp is a time and not a number of ticks.
    guard Int32(event.queue) == clock.queue, event.flags & 1 != 0 else { return MonotonicClock.now }
    return clock.instant(of: event.time.time)
  }

  /// Converts an event of System:Announce. Returns nil for an event that is not used, such as a connection between other
  /// clients.
  ///
  /// The kernel reports a new or removed connection of a local port in two ways. System:Announce broadcasts it, but only if a
  /// program makes or removes the connection. The kernel also sends it to the local port, even if the connection ended because
  /// the other port vanished. Only the broadcast is used, so that ``SequencerArrival/Event/unsubscribed(_:)`` is always intended.
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

  /// Returns the connection if it belongs to a local port, otherwise nil. If both ports are local, returns the link of
  /// the sending port.
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

  // Sending messages to other programs.

  /// Sends `message` from `port` to all its subscribers, immediately and without a queue. Only one thread may send.
  ///
  /// - Returns: false if a subscriber could not receive the message. The other subscribers receive it in any case.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func send(_ message: Message, from port: Port) -> Bool {
    var event = snd_seq_event_t(message)
    return sequencer_send(handle, Int32(port.number), &event) >= 0
  }

  /// Sends a System Exclusive from `port` to the subscribers of the port, immediately and without a queue. Only one thread may send.
  ///
  /// - Parameter octets: at most 1062 octets, with F0 and F7.
  /// - Returns: false if a subscriber could not receive the message, or if it is too long.
  ///
  /// Real-time: safe. The attribute excludes the function from the check, which mistakes the end of the span's lifetime for a deallocation.
  @_semantics("no_performance_analysis")
  public func send(exclusive octets: Span<UInt8>, from port: Port) -> Bool {
    guard octets.count <= Int(SEQUENCER_EXCLUSIVE_SIZE) else { return false }
    // Invariant: the pointer covers the span and is used only during the call.
    return octets.withUnsafeBufferPointer {
      sequencer_send_exclusive(handle, Int32(port.number), $0.baseAddress, UInt32($0.count)) >= 0
    }
  }

  /// Sends `message` from `port` only to `address`, for example to a late joiner, immediately and without a queue. Only
  /// one thread may send.
  ///
  /// - Returns: false if the port at `address` does not exist or could not receive the message.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func send(_ message: Message, from port: Port, to address: SequencerAddress) -> Bool {
    var event = snd_seq_event_t(message)
    return sequencer_send_to(handle, Int32(port.number), address.raw, &event) >= 0
  }
}

/// An event that arrived at a local port. It is a trivial value, so that it can pass through a ring.
public struct SequencerArrival: Sendable, BitwiseCopyable {
  /// The kind of arrival.
  public enum Event: Sendable, BitwiseCopyable {
    /// A MIDI message.
    case message(Message)
    /// An event that is not a ``Message``, such as System Exclusive, a 14-bit controller or a note with a length. It is
    /// only counted.
    case ignored
    /// The kernel's input pool overflowed. The kernel dropped all events in it, including announcements.
    case overflow

    // Events of the port System:Announce.

    /// A port was created.
    case portStarted(SequencerAddress)
    /// The name or the capabilities of a port changed. Linux 6.1 does not announce this; later kernels do.
    case portChanged(SequencerAddress)
    /// A port was removed.
    case portExited(SequencerAddress)
    /// The properties of a client changed, for example its name.
    case clientChanged(UInt8)
    /// A client was removed.
    case clientExited(UInt8)
    /// A local port was connected, by any program including this one.
    case subscribed(SequencerLink)
    /// A local port was disconnected by a program. When the other port vanishes, its connections end without this
    /// event.
    case unsubscribed(SequencerLink)
  }

  /// The event.
  public let event: Event
  /// The arrival instant of a message or an ignored event, by the kernel's time stamp. For an announcement or an overflow, the
  /// instant at which the program read the event.
  public let at: Instant
  /// The local port of a message or an ignored event; ``Sequencer/Port/input`` for an announcement or an overflow.
  public let port: Sequencer.Port
  /// The sender. It has no meaning for an overflow.
  public let from: SequencerAddress

  /// Creates an arrival.
  ///
  /// Real-time: safe.
}

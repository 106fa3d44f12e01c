public import MIDI
public import MusicalTime

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
  @_noLocks @_noAllocation
  public init(_ event: Event, at instant: Instant, on port: Sequencer.Port, from address: SequencerAddress) {
    self.event = event
    at = instant
    self.port = port
    from = address
  }
}

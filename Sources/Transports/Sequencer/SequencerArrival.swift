public import MIDI
public import MusicalTime

/// What came to one of our ports, in a trivial value that travels by ring.
public struct SequencerArrival: Sendable, BitwiseCopyable {
  public enum Event: Sendable, BitwiseCopyable {
    case message(Message)
    /// System Exclusive, 14-bit controllers, notes with a length, and whatever else is no ``Message``: to be counted.
    case ignored
    /// Too much came at once: the kernel threw away all that had not been taken yet, announcements among it.
    case overflow

    // What the System:Announce port says.
    case portStarted(SequencerAddress)
    /// Its name or capabilities are others now. Linux 6.1 does not say so, later kernels do.
    case portChanged(SequencerAddress)
    case portExited(SequencerAddress)
    case clientChanged(UInt8)
    case clientExited(UInt8)
    /// Somebody connected one of our ports, perhaps we.
    case subscribed(SequencerLink)
    /// Somebody disconnected one of our ports. A port that vanishes takes its connections with it without this.
    case unsubscribed(SequencerLink)
  }

  public let event: Event
  /// When it came: for a message the kernel's own stamp.
  public let at: Instant
  /// Where a message came to; ``Sequencer/Port/input`` for all that is no message.
  public let port: Sequencer.Port
  /// Who sent it.
  public let from: SequencerAddress

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ event: Event, at instant: Instant, on port: Sequencer.Port, from address: SequencerAddress) {
    self.event = event
    at = instant
    self.port = port
    from = address
  }
}

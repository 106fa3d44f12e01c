import MIDI
public import MusicalTime
import Playback

extension StreamSender {
  /// A task for the driver, returned by ``StreamSender/poll(at:)``.
  public enum Output: Sendable, BitwiseCopyable {
    /// Send ``StreamSender/packet``: call ``StreamSender/seal(_:sentAt:)``, send the packet, then call
    /// ``StreamSender/finish(_:isAccepted:)``.
    case packet(Transmission)
    /// Report the tick, which is due now, to the local receivers of the clock (ALSA port, trace).
    case tick(Tick)
    /// Pass the step that begins with the tick to the audio threads.
    case step(Tick)
    /// Start the local receivers of the clock at the tick: with Start if it is tick 0, otherwise with Continue. The
    /// tick is due ``StreamSender/prelude`` later.
    case begin(Tick)
    /// Stop the local receivers of the clock.
    case end
    /// Send a tick of the idle clock to the local receivers of the clock. It is no tick of the rhythm.
    case idleTick
    /// Report an event of the clock with this index to the local receivers with its offset (``StreamSender/clock(withOffset:)``).
    case shifted(ClockEvent, clock: Int)
    /// Withdraw from the audio threads all steps that are due at or after the instant. The following outputs report
    /// the still valid steps again, as `.step`.
    case recall(Instant)
  }

  /// An event of a clock, for the local receivers of the clock.
  public enum ClockEvent: Sendable, BitwiseCopyable {
    /// As ``Output/tick(_:)``.
    case tick(Tick)
    /// As ``Output/begin(_:)``.
    case begin(Tick)
    /// As ``Output/end``.
    case end
    /// As ``Output/idleTick``.
    case idleTick
  }

  /// The streams of one kind of receiver.
  enum Receivers: BitwiseCopyable {
    /// All time-stamp receivers.
    case timeStamped
    /// The play-on-arrival receivers of the clock with this index; nil: of all clocks.
    case onArrival(clock: Int?)
  }

  /// A series of due packets: one or more packets to each stream that ``kind`` concerns. Other work begins only after
  /// the last packet of the series.
  struct DueSeries: BitwiseCopyable {
    enum Kind: BitwiseCopyable {
      /// No packets are in progress.
      case none
      /// All unsent ticks up to and including this tick, to the play-on-arrival receivers of a clock.
      case clock(Tick, clock: Int)
      /// Start or Continue at this tick.
      case begin(Tick, to: Receivers)
      /// Stop at this instant. The offset of a time-stamp receiver is added to it.
      case stop(Instant, to: Receivers)
      /// This tick of the idle clock, to the standard devices of a clock that take part in no run.
      case idle(Tick, clock: Int)
    }

    var kind = Kind.none
    /// The next stream, as an index in ``StreamSender/openSlots``.
    var index = 0
    /// Whether Song Position was already sent to the next stream, and Continue was not.
    var isPositionSent = false

    @_noLocks @_noAllocation
    init(_ kind: Kind = .none) { self.kind = kind }
  }

  /// A request to stop every stream that takes part in a run. It also stops the local receivers of the clock, unless the
  /// run goes on under another master.
  struct StopRequest: BitwiseCopyable {
    /// The receivers that are stopped next.
    enum Stage: BitwiseCopyable {
      /// No stop is in progress.
      case none
      /// The local receivers of the clock.
      case local
      /// The play-on-arrival receivers.
      case onArrival
      /// The time-stamp receivers.
      case timeStamped
    }

    var stage = Stage.none
    /// The instant at which Stop takes effect.
    var instant = Instant.distantFuture

    @_noLocks @_noAllocation
    init() {}
  }

  /// The message in progress, for one or several streams. The sender has already sent the message to the streams before
  /// ``index``.
  struct Broadcast: BitwiseCopyable {
    enum Content: BitwiseCopyable {
      /// No message is in progress.
      case none
      /// A MIDI message and the instant at which the message takes effect. If the instant is nil, the message takes effect
      /// when its packet is encoded.
      case message(Message, at: Instant?)
      /// A System Exclusive message with the data in ``StreamSender/exclusive``.
      case exclusive(isJournalled: Bool)
    }

    var content = Content.none
    var receiver = StreamMessage.Receiver.tuttiPeers
    /// The next stream, as an index in ``StreamSender/openSlots``.
    var index = 0

    @_noLocks @_noAllocation
    init(_ content: Content = .none, to receiver: StreamMessage.Receiver = .tuttiPeers) {
      (self.content, self.receiver) = (content, receiver)
    }
  }
}

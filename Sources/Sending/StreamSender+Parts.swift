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
    /// Withdraw from the audio threads all steps that are due at or after the instant. The following outputs report
    /// the still valid steps again, as `.step`.
    case recall(Instant)
  }

  /// A series of due packets: one or more packets to each stream that ``kind`` concerns. Other work begins only after
  /// the last packet of the series.
  struct DueSeries: BitwiseCopyable {
    enum Kind: BitwiseCopyable {
      /// No packets are in progress.
      case none
      /// All unsent ticks up to and including this tick, to the play-on-arrival receivers.
      case clock(Tick)
      /// Start or Continue at this tick, to all time-stamp receivers or to all play-on-arrival receivers.
      case begin(Tick, isTimeStamped: Bool)
      /// Stop at this instant, to all time-stamp receivers or to all play-on-arrival receivers.
      case stop(Instant, isTimeStamped: Bool)
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

import MIDI
public import MusicalTime
import Playback

extension StreamSender {
  /// What the driver has to do.
  public enum Output: Sendable, BitwiseCopyable {
    /// Send ``StreamSender/packet``: call ``StreamSender/seal(_:sentAt:)``, send the packet, then call
    /// ``StreamSender/finish(_:isAccepted:)``.
    case packet(Transmission)
    /// The tick is due.
    case tick(Tick)
    /// The step that begins with the tick is to be passed to the sound.
    case step(Tick)
    /// A local receiver begins at the tick, which is 10 ms ahead: with Start at tick 0, otherwise with Continue.
    case begin(Tick)
    /// A local receiver stops.
    case end
    /// All steps that are due at or after the instant are withdrawn from the sound. Some of them follow again.
    case recall(Instant)
  }

  /// A series of due packets, one or more to each matching stream.
  struct Pass: BitwiseCopyable {
    enum Kind: BitwiseCopyable {
      case none
      /// The ticks up to this one, to the play-on-arrival receivers.
      case clock(Tick)
      /// Start or Continue at this tick, to the receivers of one kind.
      case begin(Tick, isTimeStamped: Bool)
      /// Stop at this instant, to the receivers of one kind.
      case stop(Instant, isTimeStamped: Bool)
    }

    var kind = Kind.none
    /// The next stream, as an index in ``StreamSender/order``.
    var index = 0
    /// Whether the next stream has received Song Position and not yet Continue.
    var isPositionSent = false

    @_noLocks @_noAllocation
    init(_ kind: Kind = .none) { self.kind = kind }
  }

  /// A schedule on its way to ``StreamSender/schedule``.
  struct Adoption: BitwiseCopyable {
    let schedule: PlaybackSchedule
    let instant: Instant
    /// Whether the streams of the previous run were stopped, if they had to be.
    var isStopped = false

    @_noLocks @_noAllocation
    init(_ schedule: PlaybackSchedule, at instant: Instant) { (self.schedule, self.instant) = (schedule, instant) }
  }

  /// A request to stop the local receiver and every stream that takes part in a run.
  struct StopRequest: BitwiseCopyable {
    enum Stage: BitwiseCopyable { case none, local, onArrival, timeStamped }

    var stage = Stage.none
    var instant = Instant.distantFuture

    @_noLocks @_noAllocation
    init() {}
  }

  /// A message to one or several streams, as far as it is not yet sent.
  struct Broadcast: BitwiseCopyable {
    enum Content: BitwiseCopyable {
      case none
      case message(Message, at: Instant?)
      /// The data in ``StreamSender/exclusive``.
      case exclusive(isJournalled: Bool)
    }

    var content = Content.none
    var receiver = StreamMessage.Receiver.tuttiPeers
    /// The next stream, as an index in ``StreamSender/order``.
    var index = 0

    @_noLocks @_noAllocation
    init(_ content: Content = .none, to receiver: StreamMessage.Receiver = .tuttiPeers) {
      (self.content, self.receiver) = (content, receiver)
    }
  }
}

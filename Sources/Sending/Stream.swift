import MusicalTime
import PeerProtocol
import RTPMIDI

/// The state of one RTP stream, except its `PacketSender`. A slot of the sender's table without a stream contains
/// ``closed``.
struct Stream: BitwiseCopyable {
  let id: StreamID
  let address: SocketAddress
  /// The local address from which the packets leave; nil if the host chooses it.
  let local: SocketAddress?
  var isOpen = true
  /// Appends the tag, a keyed hash, to each packet; nil without a passkey.
  var sealer: DatagramSealer?
  /// Whether the receiver gets the clock. False for a clock source of the local peer (`--clock-from`).
  var takesClock: Bool
  /// Whether the receiver is a Tutti peer.
  var isTuttiPeer = false
  /// Whether the receiver is a time-stamp receiver, which gets each tick ahead of time. A play-on-arrival receiver gets
  /// each tick at its due time.
  var isTimeStamped = false
  /// The sent packets with notes that begin or end in the future. Each following packet repeats the sequence numbers and time
  /// stamps of these packets, so that the receiver gets the time stamp of a lost packet.
  var announced = AnnouncedPackets()
  /// The run (one uninterrupted playback) in which the receiver takes part: Start or Continue was sent to the receiver, and Stop was not
  /// sent yet. 0 if there is none.
  var run: UInt32 = 0
  /// The next tick of ``run`` to send.
  var next = Tick(0)
  /// The instant at which the next guard packet is due, if no packet with a command is sent before this instant.
  var guardDue = Instant.distantFuture
  /// The number of guard packets since the last packet with a command.
  var guardCount = 0
  /// Whether the receiver has ever acknowledged a packet, and the newest acknowledged sequence number.
  var (hasAcknowledged, acknowledged): (Bool, UInt16) = (false, 0)
  /// Whether an acknowledgement has arrived since the last packet.
  var isAcknowledgementNew = false
  /// Until when the receiver counts as one that acknowledges.
  var trustedUntil = Instant(nanoseconds: .min)
  /// Until when the stream is new; the distant future before the first packet.
  var newUntil = Instant.distantFuture

  @_noLocks @_noAllocation
  init(_ id: StreamID, to address: SocketAddress, from local: SocketAddress?, takesClock: Bool) {
    (self.id, self.address, self.local, self.takesClock) = (id, address, local, takesClock)
  }

  /// The content of a slot without a stream.
  static var closed: Stream {
    @_noLocks @_noAllocation get {
      var stream = Stream(
        StreamID(slot: 0, generation: 0), to: SocketAddress(host: 0, port: 0), from: nil, takesClock: false)
      stream.isOpen = false
      return stream
    }
  }
}

import Ensemble
import MusicalTime
import RTPMIDI
import Transports

/// The sending half of one session, as the clock thread holds it.
struct Stream: BitwiseCopyable {
  /// The session's number.
  let session: SessionID
  let address: SocketAddress
  /// Which of the table's senders is the stream's.
  let sender: Int
  /// Whether its receiver hears the rhythm: not when it is the one that gives it.
  var takesClock: Bool
  /// Whether its receiver is a Tutti peer.
  var isRecognised = false
  /// Whether its receiver honours time stamps, so that each tick leaves ahead of time. To all others it leaves at its
  /// very moment.
  var isStamped = false
  /// The run whose Start or Continue it has had, 0 for none.
  var run: UInt32 = 0
  /// The tick it gets next in that run.
  var next = Tick(0)
  /// When a guard packet is due if nothing else is sent before.
  var guardDue = Instant.distantFuture
  /// Guard packets since the last packet with a command.
  var guards = 0

  @_noLocks @_noAllocation
  init(session: SessionID, address: SocketAddress, sender: Int, takesClock: Bool) {
    self.takesClock = takesClock
    self.session = session
    self.address = address
    self.sender = sender
  }
}

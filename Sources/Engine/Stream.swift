import Ensemble
import MusicalTime
import RTPMIDI
import Transports

/// What the clock thread knows of the receiver of one session.
struct Stream: BitwiseCopyable {
  /// The session's number.
  let session: SessionID
  let address: SocketAddress
  /// The place of its packet sender in the table.
  let sender: Int
  /// Whether its receiver honours time stamps, so that each tick leaves ahead of time. To all others it leaves at its
  /// very moment.
  var isStamped = false
  /// The run whose Start or Continue it has had, 0 for none.
  var run: UInt32 = 0
  /// The tick it gets next in that run.
  var next = Tick(0)

  @_noLocks @_noAllocation
  init(session: SessionID, address: SocketAddress, sender: Int) {
    self.session = session
    self.address = address
    self.sender = sender
  }
}

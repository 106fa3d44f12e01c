import MusicalTime
import Transports

/// The ALSA ports that have sent Active Sensing. Such a port promises a message at least every 300 ms. If it sends none, it is unplugged or
/// has failed, and the notes that it holds must end. Source: MIDI 1.0 Detailed Specification 4.2, "Active Sensing".
struct ActiveSensing: BitwiseCopyable {
  /// Longer than 300 ms by the tolerance of simple devices.
  private static var patience: Nanoseconds { @_noLocks @_noAllocation get { .milliseconds(350) } }

  /// The ports, and when each was heard last. The first ``count`` elements are used.
  private var ports = InlineArray<16, SequencerAddress>(repeating: SequencerAddress(client: 0, port: 0))
  private var heard = InlineArray<16, Instant>(repeating: Instant(nanoseconds: 0))
  private var count = 0

  @_noLocks @_noAllocation
  init() {}

  /// When the port that has been silent longest counts as failed; the distant future if no port has sent Active Sensing.
  var nextDeadline: Instant {
    @_noLocks @_noAllocation get {
      var next = Instant.distantFuture
      var index = 0
      while index < count {
        let end = heard[index] + Self.patience
        if end < next { next = end }
        index += 1
      }
      return next
    }
  }

  /// Notes a message of a port at `instant`. The first Active Sensing of a port adds the port, if there is room.
  @_noLocks @_noAllocation
  mutating func hear(_ port: SequencerAddress, isSensing: Bool, at instant: Instant) {
    var index = 0
    while index < count {
      if ports[index].client == port.client, ports[index].port == port.port {
        heard[index] = instant
        return
      }
      index += 1
    }
    guard isSensing, count < ports.count else { return }
    (ports[count], heard[count]) = (port, instant)
    count += 1
  }

  /// Removes and returns a port that counts as failed at `now`; nil if there is none.
  @_noLocks @_noAllocation
  mutating func takeFailed(at now: Instant) -> SequencerAddress? {
    var index = 0
    while index < count {
      if now - heard[index] >= Self.patience {
        let port = ports[index]
        count -= 1
        (ports[index], heard[index]) = (ports[count], heard[count])
        return port
      }
      index += 1
    }
    return nil
  }
}

import ClockSync
import MusicalTime
import _TestSupport

/// A test vector for the JavaScript port of `RemoteClock`: the packets between two simulated clocks, and the estimate after each packet.
struct ClockVector: Encodable {
  /// A packet. All instants are in nanoseconds.
  struct Packet: Encodable {
    /// Whether the packet goes from the page to the peer.
    var isOut: Bool
    /// The send instant, by the clock of the sender.
    var sent: Int64
    /// The receive instant, by the clock of the receiver.
    var received: Int64
    /// The instant, by the clock of the page, at which the packet is passed to the estimator.
    var now: Int64
  }

  /// The estimate after a packet. Without an estimate, the optional values are nil.
  struct Estimate: Encodable {
    /// The number of packets so far.
    var packets: Int
    /// The instant for which the estimate holds.
    var now: Int64
    // The next three values are in nanoseconds (``ClockSync/ClockEstimate``).
    var offset: Int64?
    var uncertainty: Int64?
    var deviation: Int64?
    /// In parts per million.
    var skew: Double?
    /// The number of plausible packets (``ClockSync/RemoteClock/count``).
    var count: Int
    /// The number of implausible packets.
    var rejected: Int
    /// The number of times that the estimate was reset.
    var resets: Int
  }

  var name: String
  /// The resolution of the page's clock in nanoseconds.
  var resolution: Int64
  var packets: [Packet] = []
  var estimates: [Estimate] = []

  /// Simulates 80 clock exchanges in 90 seconds, or more.
  ///
  /// - Parameters:
  ///   - resolution: the resolution of the page's clock in nanoseconds.
  ///   - skew: the skew of the remote clock in ppm.
  ///   - delay: the least delay of both directions in nanoseconds.
  ///   - jitter: returns a random addition to the delay in nanoseconds.
  ///   - bursts: the number of bursts of four exchanges after the first eight exchanges.
  ///   - step: the amount by which the remote clock is set forward after 45 seconds, in nanoseconds; negative to set it back.
  init(
    _ name: String, seed: UInt64, resolution: Int64, skew: Double, delay: Int64, bursts: Int = 18, step: Int64 = 0,
    jitter: (inout SplitMix, _ isOut: Bool) -> Int64
  ) {
    (self.name, self.resolution) = (name, resolution)
    var random = SplitMix(seed: seed)
    var clock = RemoteClock()
    let start: Int64 = 5_000_000_000
    /// The remote clock when the clock of the page shows `local`. At `start`, the offset is 777 s.
    func remote(_ local: Int64) -> Int64 {
      let elapsed = local - start
      return local + 777_000_000_000 + Int64(Double(elapsed) * skew / 1e6) + (elapsed > 45_000_000_000 ? step : 0)
    }
    /// The instant as the page reads it from its clock.
    func stamp(_ instant: Int64) -> Int64 { instant / resolution * resolution }
    // Eight exchanges at the beginning, then four every five seconds. The exchanges of a burst follow each other every 40 ms.
    var moments = (0..<8).map { start + Int64($0) * 40_000_000 }
    for burst in 1...bursts {
      moments += (0..<4).map { start + Int64(burst) * 5_000_000_000 + Int64($0) * 40_000_000 }
    }
    for sent in moments {
      let reached = sent + delay + jitter(&random, true)
      // The peer needs 20 us for its reply.
      let arrived = reached + 20_000 + delay + jitter(&random, false)
      let exchange = [
        Packet(isOut: true, sent: stamp(sent), received: remote(reached), now: stamp(arrived)),
        Packet(isOut: false, sent: remote(reached + 20_000), received: stamp(arrived), now: stamp(arrived)),
      ]
      for packet in exchange {
        packets.append(packet)
        clock.add(
          ClockTransit(
            packet.isOut ? .out : .back, sent: Instant(nanoseconds: packet.sent),
            received: Instant(nanoseconds: packet.received), resolution: Nanoseconds(resolution)),
          at: Instant(nanoseconds: packet.now))
        // The estimate 1 ms after the packet.
        let now = packet.now + 1_000_000
        let estimate = clock.estimate(at: Instant(nanoseconds: now))
        estimates.append(
          Estimate(
            packets: packets.count, now: now, offset: estimate?.offset.count, uncertainty: estimate?.uncertainty.count,
            deviation: estimate?.deviation.count, skew: estimate?.skew, count: clock.count, rejected: clock.rejected,
            resets: clock.resets))
      }
    }
  }

  static let all = [
    ClockVector("loopback", seed: 1, resolution: 5_000, skew: 0, delay: 60_000) { random, _ in
      Int64(random.next() % 40_000)
    },
    ClockVector("coarse clock", seed: 2, resolution: 100_000, skew: 35, delay: 80_000) { random, _ in
      Int64(random.next() % 300_000)
    },
    ClockVector("wireless", seed: 3, resolution: 100_000, skew: -20, delay: 2_000_000, bursts: 100) { random, _ in
      (0..<6).reduce(0) { sum, _ in sum + Int64(random.next() % 1_000_000) }
    },
    ClockVector("long tail in one direction", seed: 4, resolution: 100_000, skew: 12, delay: 1_000_000) {
      random, isOut in
      let tail = random.next() % 10
      return isOut && tail > 6 ? Int64(random.next() % 60_000_000) : Int64(random.next() % 200_000)
    },
    ClockVector("clock that is set", seed: 5, resolution: 100_000, skew: 5, delay: 500_000, step: 3_000_000_000) {
      random, _ in Int64(random.next() % 400_000)
    },
    ClockVector("clock that is set back", seed: 6, resolution: 5_000, skew: 400, delay: 100_000, step: -250_000_000) {
      random, _ in Int64(random.next() % 100_000)
    },
  ]
}

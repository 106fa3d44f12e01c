import ClockSync
import Foundation
import MusicalTime
import Seeds
import Testing

/// Exchanges over a virtual network: a floor of delay and a long late tail, in each direction apart.
private struct VirtualLink {
  var random: SplitMix
  let trueOffset: Nanoseconds
  let floor: Int64
  let tail: Int64

  mutating func exchange(at now: Instant) -> ClockExchange {
    let out = Nanoseconds(floor + lateness())
    let back = Nanoseconds(floor + lateness())
    let remoteReceived = now + out + trueOffset
    return ClockExchange(
      sent: now, remoteReceived: remoteReceived, remoteSent: remoteReceived + .microseconds(20),
      received: now + out + .microseconds(20) + back, resolution: Nanoseconds(1))
  }

  private mutating func lateness() -> Int64 {
    let u = Double(random.next() >> 11) / Double(1 << 53)
    return Int64(Double(tail) * u * u * u * u)
  }
}

@Suite struct RemoteClockTests {
  @Test(arguments: UInt64(1)...50) func theTrueOffsetLiesWithinTheUncertainty(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let truth = Nanoseconds(random.integer(in: -1_000_000_000_000_000...1_000_000_000_000_000))
    var link = VirtualLink(random: random, trueOffset: truth, floor: 100_000, tail: 5_000_000)
    var clock = RemoteClock()
    #expect(clock.estimate(at: Instant(nanoseconds: 0)) == nil)
    var now = Instant(nanoseconds: 1_000_000_000)
    var error = Nanoseconds.zero
    for _ in 0..<200 {
      clock.add(link.exchange(at: now))
      now = now + .milliseconds(100)
      let estimate = clock.estimate(at: now)!
      error = estimate.offset - truth
      #expect(error.magnitude <= estimate.uncertainty, "seed \(seed)")
    }
    // The tail is 5 ms long; the best of 64 exchanges has left nearly all of it behind.
    #expect(error.magnitude < .microseconds(250), "seed \(seed): \(error)")
    #expect(clock.rejected == 0 && clock.resets == 0)
  }

  /// Delays in milliseconds, one way.
  enum Network: CaseIterable {
    case still, lan, wifi, poor

    func delay(_ random: inout SplitMix) -> Double? {
      let (u, v) = (Double.random(in: 1e-12...1, using: &random), Double.random(in: 0..<1, using: &random))
      let normal = (-2 * log(u)).squareRoot() * cos(2 * .pi * v)
      switch self {
      case .still: return 0.1
      case .lan: return max(0, 0.5 + 0.1 * normal)
      case .wifi: return v < 0.01 ? nil : max(0, 5 + normal)
      // Pareto of index 3, its mean and deviation 5 ms.
      case .poor: return v < 0.03 ? nil : max(0, 5 + 5 * (pow(u, -1.0 / 3) - 1.5) / 0.866)
      }
    }

    /// What 95 of 100 estimates stay within from the tenth second on, in microseconds: some more than was seen.
    var bound: Double {
      switch self {
      case .still: 3
      case .lan: 35
      case .wifi: 300
      case .poor: 300
      }
    }
  }

  @Test(arguments: Network.allCases, [-50.0, 0, 20]) func theNetworksOfTheLab(network: Network, skew: Double) {
    var errors: [Double] = []
    for seed in UInt64(1)...8 {
      var random = SplitMix(seed: seed)
      var clock = RemoteClock()
      for n in 0..<400 {
        let (out, back) = (network.delay(&random), network.delay(&random))
        guard let out, let back else { continue }
        let sent = Instant(nanoseconds: Int64(n) * 100_000_000)
        let received = sent + Nanoseconds(Int64((out + back) * 1e6))
        // Ppm of nanoseconds since the beginning.
        let offset = Nanoseconds(Int64(skew * 1e-6 * Double(sent.nanoseconds)))
        let turned = sent + Nanoseconds(Int64(out * 1e6)) + offset
        clock.add(
          ClockExchange(
            sent: sent, remoteReceived: turned, remoteSent: turned, received: received, resolution: Nanoseconds(1)))
        guard n >= 100, let estimate = clock.estimate(at: received) else { continue }
        errors.append(abs((estimate.offset - offset).microseconds))
        #expect((estimate.offset - offset).magnitude <= estimate.uncertainty)
      }
      #expect(clock.resets == 0, "seed \(seed)")
    }
    errors.sort()
    let p95 = errors[errors.count * 95 / 100]
    #expect(p95 < network.bound, "\(network), \(skew) ppm: p95 \(p95) us")
  }

  @Test func impossibleAnswersAreCountedNotUsed() {
    var clock = RemoteClock()
    let at = { (n: Int64) in Instant(nanoseconds: n) }
    let honest = ClockExchange(
      sent: at(0), remoteReceived: at(1000), remoteSent: at(1001), received: at(101), resolution: Nanoseconds(1))
    clock.add(honest)
    let before = clock.estimate(at: at(101))
    var liar = honest
    liar.received = at(-1)
    clock.add(liar)
    liar = honest
    liar.remoteSent = at(500)
    clock.add(liar)
    liar = honest
    liar.remoteReceived = at(.min)
    liar.remoteSent = at(.max)
    clock.add(liar)
    #expect(clock.rejected == 3 && clock.estimate(at: at(101)) == before)
  }

  @Test func aRemoteClockThatWasSetIsBelievedAfterFourAnswers() {
    var link = VirtualLink(random: SplitMix(seed: 1), trueOffset: .seconds(5), floor: 1000, tail: 1000)
    var clock = RemoteClock()
    var now = Instant(nanoseconds: 0)
    for _ in 0..<10 {
      clock.add(link.exchange(at: now))
      now = now + .milliseconds(100)
    }
    link = VirtualLink(random: SplitMix(seed: 2), trueOffset: .seconds(-7), floor: 1000, tail: 1000)
    for n in 1...4 {
      clock.add(link.exchange(at: now))
      now = now + .milliseconds(100)
      let offset = clock.estimate(at: now)!.offset
      let expected = n < 4 ? Nanoseconds.seconds(5) : .seconds(-7)
      #expect((offset - expected).magnitude < .microseconds(10))
    }
    #expect(clock.resets == 1)
  }

  @Test func halvingNeverOverflows() {
    for out in [Int64.min, -3, -1, 0, 1, 2, .max] {
      let exchange = ClockExchange(
        sent: Instant(nanoseconds: 0), remoteReceived: Instant(nanoseconds: out),
        remoteSent: Instant(nanoseconds: out), received: Instant(nanoseconds: 0), resolution: Nanoseconds(1))
      #expect(exchange.offset == Nanoseconds(out))
    }
  }
}

@Suite struct SlewedOffsetTests {
  @Test func movesAtMostOnePartIn250AndNeverPastItsAim() {
    var offset = SlewedOffset()
    var now = Instant(nanoseconds: 0)
    #expect(offset.steer(to: .milliseconds(50), at: now, jump: .milliseconds(100)) == .milliseconds(50))
    var last = Nanoseconds.milliseconds(50)
    for _ in 0..<1000 {
      now = now + .milliseconds(50)
      let value = offset.steer(to: .milliseconds(60), at: now, jump: .milliseconds(100))
      #expect(value >= last && value - last <= .microseconds(200) && value <= .milliseconds(60))
      last = value
    }
    #expect(last == .milliseconds(60))
  }

  @Test func jumpsBeyondAStepOrInSilence() {
    var offset = SlewedOffset()
    offset.steer(to: .zero, at: Instant(nanoseconds: 0), jump: .milliseconds(100))
    let later = Instant(nanoseconds: 1)
    #expect(offset.steer(to: .milliseconds(101), at: later, jump: .milliseconds(100)) == .milliseconds(101))
    #expect(offset.steer(to: .milliseconds(100), at: later, jump: nil) == .milliseconds(100))
  }
}

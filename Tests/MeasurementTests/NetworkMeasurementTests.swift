import Foundation
import Measurement
import MusicalTime
import Testing
import _TestSupport

/// Tests of the report on a network (`tutti measure network`): the figures of simulated networks with known delays and clocks.
/// The argument `pending` of a report is the number of requests that may still be answered.
@Suite struct NetworkMeasurementTests {
  /// A simulated network and the clock of the remote peer. All times are in nanoseconds.
  private struct Network {
    /// The minimum delays of requests and of replies.
    var outMinimum = 200_000.0
    var backMinimum = 200_000.0
    /// The mean of the exponentially distributed delay above the minimum.
    var queueing = 50_000.0
    /// The remote clock minus the local clock at instant 0.
    var offset = 123_456_789_000.0
    /// The skew of the remote clock.
    var ppm = 12.0
    /// The fraction of requests that are lost, 0...1.
    var loss = 0.0
    /// The resolution of the stamps of the remote clock.
    var resolution: Int64 = 1
    /// The time from the arrival of a request to the reply.
    var kept = 30_000.0
  }

  private static let provenance = Provenance(version: "1", command: "test", inputs: [])

  /// Simulates `count` exchanges, 20 ms apart. Returns the measurement and the number of lost requests.
  private func measurement(
    _ network: Network, _ protocol: NetworkProtocol = .probes, count: Int = 3_000, seed: UInt64
  ) -> (measurement: NetworkMeasurement, lost: Int) {
    var (random, measurement, lost) = (SplitMix(seed: seed), NetworkMeasurement(`protocol`), 0)
    // Returns the stamp of the remote clock at an instant of the local clock: the middle of a unit of the resolution.
    func remote(_ local: Double) -> Instant {
      let nanoseconds = Int64((local + network.offset + local * network.ppm / 1e6).rounded())
      return Instant(nanoseconds: nanoseconds / network.resolution * network.resolution + network.resolution / 2)
    }
    for index in 0..<count {
      let sent = Double(index) * 20e6
      measurement.requestSent()
      if Double.random(in: 0..<1, using: &random) < network.loss {
        lost += 1
        continue
      }
      let out = network.outMinimum - network.queueing * log(Double.random(in: 1e-12..<1, using: &random))
      let back = network.backMinimum - network.queueing * log(Double.random(in: 1e-12..<1, using: &random))
      let arrived = sent + out
      let left = arrived + network.kept
      // A CK reply has one stamp of the peer: the instant at which the reply leaves.
      measurement.add(
        NetworkExchange(
          sent: Instant(nanoseconds: Int64(sent)), remoteReceived: remote(`protocol` == .probes ? arrived : left),
          remoteSent: remote(left), received: Instant(nanoseconds: Int64((left + back).rounded()))))
    }
    return (measurement, lost)
  }

  @Test(arguments: UInt64(1)...30) func figuresOfATuttiPeerAreRecovered(seed: UInt64) throws {
    var network = Network()
    network.ppm = Double(seed) * 7 - 100
    network.loss = 0.02
    let (measurement, lost) = measurement(network, seed: seed)
    let report = try measurement.report(peer: "x", pending: 0, provenance: Self.provenance)
    #expect(report.lost == lost && report.sent == 3_000 && report.answered == 3_000 - lost, "seed \(seed)")
    // The minimum of the round trip is 400 us. The sum of two exponential delays with a mean of 50 us has the mean 100 us and the
    // median 1.678 * 50 us = 83.917 us.
    #expect(report.roundTrip.minimum > 399_999 && report.roundTrip.minimum < 410_000)
    #expect(report.roundTrip.mean.isClose(to: 500_000, 0.02) && report.roundTrip.p50.isClose(to: 483_917, 0.02))
    let clock = try #require(report.clock)
    // The offset of the report is that at the last of the 3000 exchanges, which are 20 ms apart.
    let end = 2_999 * 20e6
    let error = Double(clock.offset.count) - network.offset - end * network.ppm / 1e6
    #expect(abs(error) < 3_000, "seed \(seed), \(error) ns")
    #expect(abs(error) <= Double(clock.uncertainty.count))
    #expect(abs(clock.skew - network.ppm) < 0.5)
    // Each bound differs from the skew by about 400 us (the minimum of the round trip) / 60 s = 6.7 ppm.
    let bounds = try #require(clock.skewBounds)
    #expect(bounds.contains(network.ppm) && bounds.upperBound - bounds.lowerBound < 30, "\(bounds)")
    let (out, back) = (try #require(report.out), try #require(report.back))
    for direction in [out, back] {
      // The variation is exponentially distributed with the mean 50 us. Its median is ln 2 * 50 us = 34.657 us.
      #expect(abs(direction.minimum - 200_000) < 6_000)
      #expect(direction.variation.p50.isClose(to: 34_657, 0.15) && direction.variation.mean.isClose(to: 50_000, 0.12))
      // The jitter (RFC 3550) is a running mean over the magnitudes of about 16 differences of delays. The expected value of such
      // a magnitude is 50 us, the mean of the exponential delay.
      #expect((15_000...120_000).contains(direction.jitter))
    }
  }

  /// A request takes 400 us, and a reply takes almost no time. The estimate assumes equal delays, so the error of the offset is half of
  /// the delay of the request, 200 us. This is the asymmetry bound.
  @Test func asymmetryIsWithinItsBound() throws {
    var network = Network()
    (network.outMinimum, network.backMinimum, network.queueing) = (400_000, 0, 1_000)
    let report = try measurement(network, seed: 3).measurement.report(
      peer: "x", pending: 0, provenance: Self.provenance)
    let clock = try #require(report.clock)
    let error = Double(clock.offset.count) - network.offset - 2_999 * 20e6 * network.ppm / 1e6
    #expect(error.isClose(to: 200_000, 0.02) && report.asymmetryBound.isClose(to: 200_000, 0.01))
    #expect(error <= Double(clock.uncertainty.count) + 1_000)
    #expect(try #require(clock.skewBounds).contains(network.ppm))
  }

  /// The time stamps of CK packets have a resolution of 100 us. Most of the error of the stamps averages out, because the random delays
  /// and the skew spread the true instants over the whole unit of 100 us.
  @Test(arguments: UInt64(1)...10) func figuresOfAStandardPeerAreRecovered(seed: UInt64) throws {
    var network = Network()
    (network.resolution, network.ppm) = (100_000, Double(seed) * 10 - 40)
    let report = try measurement(network, .clockPackets, seed: seed).measurement.report(
      peer: "x", pending: 0, provenance: Self.provenance)
    let clock = try #require(report.clock)
    let error = Double(clock.offset.count) - network.offset - 2_999 * 20e6 * network.ppm / 1e6
    // A CK reply contains only the instant at which it was sent. The processing time of 30 us therefore counts as a delay of the request.
    // Half of it is an error of the offset. The median of the round trip is 30 us longer than with clock probes (483.917 us).
    #expect(abs(error) < 40_000, "seed \(seed), \(error) ns")
    #expect(abs(clock.skew - network.ppm) < 2, "seed \(seed), \(clock.skew)")
    #expect(report.notes.contains { $0.contains("100 us") } && report.roundTrip.p50.isClose(to: 513_917, 0.02))
  }

  @Test func implausibleStampsAreCountedAndDropped() throws {
    var measurement = measurement(Network(), count: 100, seed: 1).measurement
    func exchange(_ sent: Int64, _ arrived: Int64, _ left: Int64, _ received: Int64) -> NetworkExchange {
      NetworkExchange(
        sent: Instant(nanoseconds: sent), remoteReceived: Instant(nanoseconds: arrived),
        remoteSent: Instant(nanoseconds: left), received: Instant(nanoseconds: received))
    }
    let now: Int64 = 3_000_000_000
    // In order: the reply leaves before the request arrives; the peer keeps the request for longer than the round trip; the reply arrives
    // before the request leaves; two exchanges with extreme instants; a round trip of 11 s.
    for bad in [
      exchange(now, 0, -1, now + 1000), exchange(now, 0, 2000, now + 1000), exchange(now, 0, 0, now - 1),
      exchange(now, .max, .max, now + 1), exchange(.min, 0, 0, .max), exchange(now, 0, 0, now + 11_000_000_000),
    ] {
      measurement.requestSent()
      measurement.add(bad)
    }
    let report = try measurement.report(peer: "x", pending: 0, provenance: Self.provenance)
    #expect(report.implausible == 6 && report.answered == 100 && report.lost == 0)
  }

  /// The remote clock is set forward by 5 ms after 500 of 1000 exchanges.
  @Test func clockThatWasSetHasNoSkewBounds() throws {
    var network = Network()
    var measurement = measurement(network, count: 500, seed: 1).measurement
    network.offset += 5e6
    let later = self.measurement(network, count: 1_000, seed: 2).measurement
    for exchange in later.exchanges.dropFirst(500) {
      measurement.requestSent()
      measurement.add(exchange)
    }
    let report = try measurement.report(peer: "x", pending: 0, provenance: Self.provenance)
    #expect(report.notes.contains { $0.contains("was set") } && report.clock?.skewBounds == nil)
  }

  /// In ten minutes, the skew changes from 10 to 18 ppm. The delays are right, and the report states that the skew was not
  /// constant.
  @Test func delaysAreRightAlthoughTheSkewChanges() throws {
    var (measurement, random) = (NetworkMeasurement(.probes), SplitMix(seed: 5))
    // The offset is 1 s plus a parabola whose slope grows from 10 to 18 ppm in 600 s.
    func remote(_ local: Double) -> Instant {
      Instant(nanoseconds: Int64((local + 1e9 + local * 10e-6 + local * local * 8e-6 / 1_200e9).rounded()))
    }
    func delay() -> Double { 200_000 - 20_000 * log(Double.random(in: 1e-12..<1, using: &random)) }
    for index in 0..<12_000 {
      let sent = Double(index) * 50e6
      let arrived = sent + delay()
      let received = arrived + delay()
      measurement.requestSent()
      measurement.add(
        NetworkExchange(
          sent: Instant(nanoseconds: Int64(sent)), remoteReceived: remote(arrived), remoteSent: remote(arrived),
          received: Instant(nanoseconds: Int64(received.rounded()))))
    }
    let report = try measurement.report(peer: "x", pending: 0, provenance: Self.provenance)
    // The median of the variation is ln 2 * 20 us = 13.863 us. The middle of the parabola is 600 us away from the line through its ends.
    // A single line for all ten minutes would therefore exceed these limits.
    for direction in [try #require(report.out), try #require(report.back)] {
      #expect(abs(direction.minimum - 200_000) < 8_000 && direction.variation.p50.isClose(to: 13_863, 0.5))
      #expect(direction.variation.maximum < 300_000)
    }
    #expect(report.clock?.skewBounds == nil && report.notes.contains { $0.contains("was not constant") })
  }

  /// Fifteen exchanges do not show the noise of the clock. Without noise, a minute of exchanges does not widen the standard deviation beyond
  /// 3 us.
  @Test func deviationNeedsSixteenExchanges() throws {
    func report(_ count: Int) throws -> NetworkReport {
      try measurement(Network(), count: count, seed: 6).measurement.report(
        peer: "x", pending: 0, provenance: Self.provenance)
    }
    let short = try report(15)
    #expect(short.clock != nil && short.clock?.deviation == nil && short.description.contains("deviation unknown"))
    #expect(short.notes.contains { $0.contains("too few answers for the standard deviation") })
    #expect(!String(decoding: try JSONEncoder().encode(short), as: UTF8.self).contains("deviation_us"))
    let long = try report(3_000)
    #expect(try #require(long.clock?.deviation) < .microseconds(3) && long.notes == [], "\(long)")
  }

  @Test func noAnswerIsAnError() {
    var measurement = NetworkMeasurement(.clockPackets)
    measurement.requestSent()
    let error = #expect(throws: ReportError.self) {
      try measurement.report(peer: "10.0.0.9:5004", pending: 0, provenance: Self.provenance)
    }
    #expect(error?.description.contains("10.0.0.9:5004: no answer to 1 request; check that the peer") == true)
  }

  @Test func answersWithImplausibleStampsAreAnError() {
    var measurement = NetworkMeasurement(.clockPackets)
    measurement.requestSent()
    // The processing time of the peer is 1 s, but the reply arrives 1 ms after the request leaves.
    let (sent, received) = (Instant(nanoseconds: 0), Instant(nanoseconds: 1_000_000))
    measurement.add(
      NetworkExchange(sent: sent, remoteReceived: sent, remoteSent: sent + .seconds(1), received: received))
    let error = #expect(throws: ReportError.self) {
      try measurement.report(peer: "10.0.0.9:5004", pending: 0, provenance: Self.provenance)
    }
    let reason = "10.0.0.9:5004: 1 request, but no answer has a plausible stamp; check the system clock"
    #expect(error?.description.contains(reason) == true)
  }

  @Test func textAndJSONShowTheFigures() throws {
    let measurement = measurement(Network(), count: 500, seed: 4).measurement
    let report = try measurement.report(peer: "ben", pending: 0, provenance: Self.provenance)
    let json = try #require(
      try JSONSerialization.jsonObject(with: JSONEncoder().encode(report)) as? [String: Any])
    #expect(json["answered"] as? Int == 500 && json["protocol"] as? String == "Tutti")
    #expect((json["clock"] as? [String: Any])?["skew_low_ppm"] is Double)
    #expect(report.description.hasPrefix("Network to ben, 10.0 s, protocol Tutti\nrequests 500, answers 500, lost 0"))
    // The script has two plot commands, so it has three components.
    let script = measurement.plot(report, PlotPicture(file: "x.svg", format: .svg))
    #expect(script.components(separatedBy: "\nplot ").count == 3)
  }
}

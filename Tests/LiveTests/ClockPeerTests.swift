import Measurement
import MusicalTime
import PeerProtocol
import RTPMIDI
import Testing
import Transports
import _TestSupport
import _TestTraits

@testable import Engine
@testable import Ensemble

/// A peer that keeps the clock of an RTP-MIDI device, and one that follows it, on loopback, in real time.
@Suite(.serialized, .ownThreads) struct ClockPeerTests {
  /// Every tick once, in order, and in its place: within half a tick of the giver's, from two quarters on.
  private func expectInStep(_ trace: Trace, with giver: ClockGiver, until last: Int64) throws {
    let first = try #require(trace.ticks.first).tick.index
    #expect(first <= 48)
    expectEveryTick(trace, from: first)
    let steady = trace.ticks.filter { (first + 48...last).contains($0.tick.index) }
    #expect(Int64(steady.count) == last - first - 47)
    let errors = steady.map { ($0.due - ClockGiver.moment(of: $0.tick.index, since: giver.origin)).magnitude }
    let worst = try #require(errors.max())
    #expect(worst < .milliseconds(6), "\(trace.header.name): \(worst.microseconds) us off")
  }

  @Test(arguments: [Int64(0), 19]) func aDrumMachineOnTheNetworkIsKept(losing: Int64) async throws {
    let folder = try TemporaryFolder()
    let giver = try ClockGiver(losing: losing)
    let ben = try Player("ben", folder: folder)
    let ada = try Player("ada", folder: folder, connect: [ben.port]) {
      $0.clockFrom = [.peer("127.0.0.1:\(giver.port)")]
    }
    try await ada.says("master", within: .seconds(15))
    try await Task.sleep(for: .seconds(10))
    giver.leave()
    try await ada.says("the rhythm stopped")
    try await ben.says("the rhythm stopped")
    let traces = try [ada.leave(), ben.leave()]
    for trace in traces { try expectInStep(trace, with: giver, until: 370) }
    #expect(traces.map(\.summary?.role) == ["master", "follower"])
    let lost = try #require(traces[0].summary?.others["clock_ticks_lost"])
    #expect(losing == 0 ? lost == 0 : (12...24).contains(lost), "\(lost)")
    #expect(!ada.said.contains { $0.contains("no clock") })
  }

  /// Packets then come to the control thread several at once, those missing among them.
  @Test func whatIsLostIsMissedWhereItWasLost() async throws {
    let folder = try TemporaryFolder()
    let giver = try ClockGiver(losing: 19)
    let ada = try Player("ada", folder: folder, heldUp: .milliseconds(80)) {
      $0.clockFrom = [.peer("127.0.0.1:\(giver.port)")]
    }
    try await ada.says("master", within: .seconds(15))
    try await Task.sleep(for: .seconds(10))
    giver.leave()
    try await ada.says("the rhythm stopped")
    try expectInStep(ada.leave(), with: giver, until: 370)
  }

  @Test func oneThatGoesAwayAndReturnsIsKeptAgain() async throws {
    let folder = try TemporaryFolder()
    var giver = try ClockGiver()
    let ada = try Player("ada", folder: folder) { $0.clockFrom = [.peer("127.0.0.1:\(giver.port)")] }
    try await ada.says("master", within: .seconds(15))
    try await Task.sleep(for: .seconds(4))
    giver.leave(stopping: false)
    try await ada.says("sends no ticks")
    giver = try ClockGiver(port: giver.port, goingOnSince: giver.origin)
    try await ada.says("sends ticks again")
    try await ada.says("standard device, used as external clock", times: 2)
    giver.leave()
    try await ada.says("the rhythm stopped")
    let trace = try ada.leave()
    let last = try #require(trace.ticks.last).tick.index
    #expect(last > 300)
    try expectInStep(trace, with: giver, until: last - 24)
    #expect(
      ada.said.filter { $0.contains("Drums") && !$0.contains(" joined") && !$0.contains(" left") } == [
        "Drums: standard device, used as external clock",
        "external clock Drums: not in session any longer (trying again)",
        "external clock Drums: sends no ticks; the rhythm continues at the last tempo",
        "external clock Drums: in session again",
        "external clock Drums: sends ticks again",
        "Drums: standard device, used as external clock",
        "external clock Drums: not in session any longer (trying again)",
      ])
  }

  @Test func aTuttiPeerIsFollowedWithout() async throws {
    let folder = try TemporaryFolder()
    let ben = try Player("ben", folder: folder)
    let ada = try Player("ada", folder: folder) { $0.clockFrom = [.peer("127.0.0.1:\(ben.port)")] }
    try await ada.says(
      "external clock ben: is a Tutti peer, whose rhythm is followed anyway; remove it from --clock-from")
    ben.mailbox.post(.startOrStop)
    try await ada.says("follower")
    let traces = try [ada.leave(), ben.leave()]
    #expect(traces[0].summary?.role == "follower")
  }

  /// It gives plain clock until it is recognised.
  @Test func whatATuttiPeerSaidBeforeIsForgotten() throws {
    var random = SplitMix(seed: 1)
    let endpoint = Endpoint(name: "", random: random)
    let address = SocketAddress(host: 0x7F00_0001, port: 9)
    let session = try endpoint.connect(to: address, data: address, at: Instant(nanoseconds: 0))
    var ensemble = EnsembleState(
      identity: Identity(random.next()), highestTerm: 0, lead: .milliseconds(100), soundLead: .zero)
    var peer = RTPPeerClock(address: address, name: "ben")
    _ = peer.established(session, name: nil)
    var now = Instant(nanoseconds: 1_000_000_000)
    for message in [ExternalClock.Message.start] + Array(repeating: .clock, count: 12) {
      _ = peer.received(message, stamped: now, at: now, isRecovered: false, lost: 0, for: &ensemble, now: now)
      now = now + .milliseconds(20)
    }
    #expect(peer.clock.isRunning && ensemble.role == .master)
    peer.recognised(by: &ensemble, at: now)
    ensemble.advance(to: now + .seconds(1))
    #expect(!peer.clock.isRunning && ensemble.role == .idle)
    #expect(peer.clock.advance(to: now + .seconds(3)) == nil)
  }

  @Test func whoDoesNotAnswerIsTold() async throws {
    let folder = try TemporaryFolder()
    let ada = try Player("ada", folder: folder) { $0.clockFrom = [.peer("127.0.0.1:9")] }
    try await ada.says("127.0.0.1:9: does not answer (trying again)")
    _ = try ada.leave()
  }

  @Test func sourcesAsPeopleWriteThem() {
    #expect(ClockSource("TR-8S") == .port("TR-8S"))
    #expect(ClockSource("rtp:192.168.1.30:5004") == .peer("192.168.1.30:5004"))
    #expect(ClockSource("rtp:[fe80::1%eth0]") == .peer("[fe80::1%eth0]"))
  }
}

import Measurement
import MusicalTime
import Testing

@testable import Engine

/// A peer that keeps the clock of an RTP-MIDI device, and one that follows it, on loopback, in real time.
@Suite(.serialized) struct ClockPeerTests {
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
    let folder = try Player.folder()
    let giver = try ClockGiver(losing: losing)
    let ben = try Player("ben", folder: folder)
    let ada = try Player("ada", folder: folder, connect: [ben.port]) { $0.clockFrom = .peer("127.0.0.1:\(giver.port)") }
    try await ada.says("master", within: .seconds(15))
    try await Task.sleep(for: .seconds(10))
    giver.leave()
    try await ada.says("the rhythm stopped")
    try await ben.says("the rhythm stopped")
    let traces = try [ada.leave(), ben.leave()]
    for trace in traces { try expectInStep(trace, with: giver, until: 370) }
    #expect(traces.map(\.summary?.role) == ["master", "follower"])
    #expect(!ada.said.contains { $0.contains("no clock") })
  }

  @Test func aTuttiPeerIsFollowedWithout() async throws {
    let folder = try Player.folder()
    let ben = try Player("ben", folder: folder)
    let ada = try Player("ada", folder: folder) { $0.clockFrom = .peer("127.0.0.1:\(ben.port)") }
    try await ada.says("ben is a Tutti peer: its rhythm is followed anyway; leave --clock-from away")
    ben.mailbox.post(.startOrStop)
    try await ada.says("follower")
    let traces = try [ada.leave(), ben.leave()]
    #expect(traces[0].summary?.role == "follower")
  }

  @Test func whoDoesNotAnswerIsTold() async throws {
    let folder = try Player.folder()
    let ada = try Player("ada", folder: folder) { $0.clockFrom = .peer("127.0.0.1:9") }
    try await ada.says("127.0.0.1:9: does not answer, trying on")
    _ = try ada.leave()
  }

  @Test func sourcesAsPeopleWriteThem() {
    #expect(ClockSource("TR-8S") == .port("TR-8S"))
    #expect(ClockSource("rtp:192.168.1.30:5004") == .peer("192.168.1.30:5004"))
    #expect(ClockSource("rtp:[fe80::1%eth0]") == .peer("[fe80::1%eth0]"))
  }
}

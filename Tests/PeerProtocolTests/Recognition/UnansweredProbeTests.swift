import MusicalTime
import Testing

@testable import PeerProtocol

/// Tests of the rule of ``Recognition`` by which a peer is considered to have stopped replying to clock probes.
@Suite struct UnansweredProbeTests {
  private let start = Instant(nanoseconds: 1_000_000_000)

  /// `count` probes are sent, 20 ms apart, and none gets a reply. `age` milliseconds after the first probe, the peer is considered to have
  /// stopped replying if at least three probes were sent and the first is at least half a second old.
  @Test(arguments: [(2, 1000, false), (3, 499, false), (3, 500, true), (9, 499, false)])
  func threeProbesAndHalfASecondAreNeeded(count: Int64, age: Int64, isUnanswered: Bool) {
    var recognition = Recognition(seed: 1)
    recognition.begin(at: start)
    #expect(!recognition.isUnanswered(at: start + .seconds(10)))
    for n in 0..<count { recognition.requestSent(at: start + .milliseconds(20 * n)) }
    #expect(recognition.isUnanswered(at: start + .milliseconds(age)) == isUnanswered)
  }

  /// The reply to any of the probes resets the count.
  @Test func replyResetsTheCount() throws {
    var recognition = Recognition(seed: 1)
    recognition.begin(at: start)
    for n in Int64(0)..<4 { recognition.requestSent(at: start + .milliseconds(20 * n)) }
    let arrival = start + .milliseconds(600)
    #expect(recognition.isUnanswered(at: arrival))
    let request = ClockProbe(ssrc: 1, identity: 4, rateLimit: 0, sentAt: start + .milliseconds(20))
    let instant = start + .milliseconds(590)
    let reply = try #require(request.answer(from: 2, identity: 5, rateLimit: 0, receivedAt: instant, sentAt: instant))
    #expect(recognition.receive(reply, at: arrival, shortestInterval: .zero) != .rejected)
    #expect(!recognition.isUnanswered(at: arrival + .seconds(10)))
  }
}

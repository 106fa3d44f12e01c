import MIDI
import MusicalTime
import RTPMIDI
import Seeds
import Testing

/// How a session ends, and what keeps it.
@Suite struct EndTests {
  @Test(arguments: [0, 1]) func aByeEndsTheSession(closing: Int) throws {
    var network = VirtualNetwork(2)
    _ = network.connect(0, to: 1)
    network.run(for: .milliseconds(100))
    let ids = try [#require(network.session(0)), #require(network.session(1))]
    network.endpoints[closing].close(ids[closing], at: network.clock(closing))
    network.drain(closing)
    network.run(for: .milliseconds(100))
    for k in 0...1 {
      #expect(network.news(k).last == .closed(ids[k]))
      #expect(network.endpoints[k].establishedCount == 0 && network.endpoints[k].nextDeadline == nil)
    }
    network.endpoints[closing].close(ids[closing], at: network.clock(closing))
    #expect(network.endpoints[closing].drain() == [])
  }

  @Test func closeAllSaysByeToEachOnce() {
    var network = VirtualNetwork(4)
    for other in 1...3 { _ = network.connect(0, to: other) }
    network.run(for: .milliseconds(100))
    network.endpoints[0].closeAll(at: network.clock(0))
    network.drain(0)
    network.run(for: .milliseconds(100))
    #expect(network.sent("BY", by: 0).count == 3)
    for k in 1...3 { #expect(network.endpoints[k].establishedCount == 0) }
  }

  @Test func aSilentTuttiPeerIsLostAfterFiveSeconds() throws {
    var network = VirtualNetwork(2)
    let id = network.connect(0, to: 1)
    network.run(for: .seconds(30))
    network.isCutOff = [1]
    network.run(for: .milliseconds(4_800))
    #expect(network.endpoints[0].establishedCount == 1)
    network.run(for: .milliseconds(300))
    #expect(network.news(0).last == .lost(id) && network.endpoints[0].nextDeadline == nil)
    #expect(network.news(1).last == .lost(try #require(network.session(1))))
  }

  @Test func aSilentForeignPeerIsLostAfterSixtySeconds() throws {
    var network = VirtualNetwork(1)
    let invitation = SessionCommand(.invitation, token: 1, ssrc: 9)
    network.send(octets { _ = invitation.append(to: &$0) }, from: 2, to: 0)
    network.run(for: .milliseconds(1))
    network.send(octets { _ = invitation.append(to: &$0) }, from: 3, to: 1)
    network.run(for: .milliseconds(59_900))
    #expect(network.endpoints[0].establishedCount == 1)
    let id = try #require(network.session(0))
    network.run(for: .milliseconds(200))
    #expect(network.news(0).last == .lost(id))
  }

  /// CK every ten seconds is all a foreign peer sends. What it gets need not be answered by the endpoint itself.
  @Test func clockPacketsAnsweredElsewhereKeepTheSession() {
    var network = VirtualNetwork(2)
    network.answersEarly = true
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(300))
    #expect(network.endpoints[0].establishedCount == 1 && network.endpoints[1].establishedCount == 1)
    let answers = network.sent("CK", by: 3).count
    #expect(answers == network.sent("CK", by: 1).count / 2, "one CK1 to each CK0, none twice")
    for k in 0...1 { #expect(network.endpoints[k].counters.dropped == 0) }
  }

  @Test func aRestartedPeerReplacesItself() throws {
    var network = VirtualNetwork(2)
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(1))
    let old = try #require(network.session(1))
    network.endpoints[0] = Endpoint(name: "again", identity: 100, random: SplitMix(seed: 77))
    _ = network.connect(0, to: 1)
    network.run(for: .seconds(1))
    let news = network.news(1)
    #expect(news.contains(.lost(old)) && network.session(1) != old)
    #expect(network.endpoints[1].establishedCount == 1 && network.endpoints[0].establishedCount == 1)
    #expect(network.info(1)?.ssrc != network.endpoints[0].ssrc)
  }
}

import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

@testable import Ensemble
@testable import RTPMIDI

/// The effect of the phones and laptops of other peers on the lead time. Their delays arrive with the presences of these peers.
/// The lead time is the greatest delay plus a margin of 20 ms, and at least 100 ms.
@Suite struct PageLeadTests {
  private let now = Instant(nanoseconds: 1_000_000_000)

  /// Returns the lead of a player of the band in milliseconds.
  private func lead(of n: Int, in band: VirtualBand) -> Int64 {
    band.players[n].ensemble.adaptLead(coversPages: true)
    return band.players[n].ensemble.lead.count / 1_000_000
  }

  /// A phone at player 2 delays the start by player 1. The ensembles of the band know no packet delays, so the lead contains only the delay
  /// of the phone and the margin.
  @Test func leadCoversThePhonesOfOtherPeers() throws {
    var band = VirtualBand(players: 3, seed: 9)
    band.players[2].ensemble.page = PageReport(delay: .milliseconds(200))
    band.players[0].ensemble.page = PageReport(delay: .milliseconds(150))
    // After a change, presences are at most 50 ms apart, and a presence arrives within 3 ms. The lead is determined with the next
    // presence of player 1, at most 250 ms later.
    band.run(for: .milliseconds(310))
    #expect(lead(of: 1, in: band) == 220)
    try band.command(1) { ensemble, now throws(CommandError) in try ensemble.start(tempo: .standard, at: now) }
    let first = band.players[1].ensemble.schedule.deadline(Tick(0)) - band.localTime(of: 1)
    #expect(first == .milliseconds(220))
    // The other players need the same lead if they become the master.
    #expect(lead(of: 0, in: band) == 220 && lead(of: 2, in: band) == 220)
  }

  @Test func phoneOfAPeerThatHasLeftHasNoEffect() {
    var band = VirtualBand(players: 3, seed: 10)
    band.players[1].ensemble.page = PageReport(delay: .milliseconds(200))
    band.players[2].ensemble.page = PageReport(delay: .milliseconds(150))
    band.run(for: .seconds(1))
    #expect(lead(of: 0, in: band) == 220)
    band.endSession(0, 1)
    band.run(for: .milliseconds(260))
    #expect(lead(of: 0, in: band) == 170)
    band.endSession(0, 2)
    #expect(lead(of: 0, in: band) == 100)
  }

  /// The phone delays a change by 200 ms, and the network delays every packet by 30 ms. The estimate of the 99th percentile of the network
  /// delay is 30 to 36 ms: with equal delays, it is at most a fifth too high. With the margin of 20 ms, the lead is 250 to 256 ms.
  @Test func leadCoversTheNetworkToThePhonesOfOtherPeers() {
    let (local, remote, session) = (Identity(1), Identity(2), SessionID(number: 7))
    let core = PeerCore(
      name: "local", ensemble: EnsembleState(identity: local),
      invitations: InvitationList(to: [], local: local, at: now), random: SplitMix(seed: 1))
    let (control, data) = (SocketAddress(host: 9, port: 5004), SocketAddress(host: 9, port: 5005))
    core.established(
      session,
      SessionInfo(
        name: "remote", ssrc: 9, control: control, data: data, local: nil, localSSRC: 99, isInitiator: true), at: now)
    core.recognised(session, remote, at: now)
    let presence = Presence(
      identity: remote, claim: nil, channel: nil, gates: .all, takesOver: true,
      page: PageReport(delay: .milliseconds(200)))
    core.ensemble.received(presence, from: remote, at: now)
    var sent = now
    for _ in 0..<1000 {
      let (arrival, reply) = (sent + .milliseconds(30), sent + .milliseconds(60))
      core.handle(.clock(session, ClockTransit(.out, sent: sent, received: arrival)), at: reply)
      core.handle(.clock(session, ClockTransit(.back, sent: arrival, received: reply)), at: reply)
      sent = sent + .milliseconds(100)
    }
    core.ensemble.advance(to: sent)
    core.ensemble.adaptLead(coversPages: true)
    let lead = Double(core.ensemble.lead.count) / 1e6
    #expect((249.9...256.1).contains(lead), "\(lead)")
  }
}

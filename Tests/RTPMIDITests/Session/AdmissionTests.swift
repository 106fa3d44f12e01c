import MusicalTime
import RTPMIDI
import Testing
import _TestSupport

/// Which invitations an endpoint accepts, and how many sessions it has. The control port of stranger `n` normally has
/// the address 2n, and its data port the address 2n + 1. `verify` exchanges the clock packets by which a stranger proves that it
/// receives at its address.
@Suite struct AdmissionTests {
  /// An invitation (IN) with the name "stranger `number`", and with `number` as its token and its SSRC.
  private func invitation(_ number: Int) -> [UInt8] {
    let command = SessionCommand(
      .invitation, token: UInt32(number), ssrc: UInt32(number), name: "stranger \(number)")
    return octets { _ = command.append(to: &$0) }
  }

  /// An invitation is half open after acceptance on the control port. The endpoint keeps 64 half-open invitations, each for 15 s.
  @Test func halfOpenInvitationsAreLimitedAndExpire() {
    var network = EndpointNetwork(1, .standard)
    for stranger in 1...100 {
      let invitation = SessionCommand(.invitation, token: UInt32(stranger), ssrc: UInt32(stranger))
      network.send(octets { _ = invitation.append(to: &$0) }, from: 2 * stranger, to: 0)
    }
    network.run(for: .milliseconds(2))
    #expect(network.sent("OK", by: 0).count == 100)
    // Of the 100 invitations, 36 exceed the limit. Each of them displaced the oldest one.
    #expect(network.endpoints[0].counters.forgottenInvitations == 36)
    // The half-open invitation of stranger 1 was dropped, so its invitation on the data port is refused. That of stranger 100 was kept.
    for stranger in [1, 100] {
      let invitation = SessionCommand(.invitation, token: UInt32(stranger), ssrc: UInt32(stranger))
      network.send(octets { _ = invitation.append(to: &$0) }, from: 2 * stranger + 1, to: 1)
    }
    network.run(for: .milliseconds(2))
    #expect(network.sent("NO", by: 1).count == 1 && network.sent("OK", by: 1).count == 1)
    network.verify(100, at: 201, by: 0)
    // The other 63 invitations expire: 36 + 63 = 99.
    network.run(for: .seconds(15))
    #expect(network.endpoints[0].counters.forgottenInvitations == 99)
  }

  /// The limit is 1100 sessions. Each stranger is on a host of its own.
  @Test func invitationsBeyondTheLimitAreRefused() throws {
    let network = EndpointNetwork(1, .standard)
    let endpoint = network.endpoints[0]
    let now = network.clock(0)
    func invite(_ stranger: Int) {
      let invitation = SessionCommand(.invitation, token: UInt32(stranger), ssrc: UInt32(stranger))
      let packet = octets { _ = invitation.append(to: &$0) }
      endpoint.receive(packet, from: .at(2 * stranger), port: .control, at: now)
      endpoint.receive(packet, from: .at(2 * stranger + 1), port: .data, at: now)
      endpoint.verify(UInt32(stranger), at: .at(2 * stranger + 1), now: now)
    }
    for stranger in 1...Endpoint.sessionLimit { invite(stranger) }
    #expect(endpoint.establishedCount == 1100 && endpoint.counters.refusedInvitations == 0)
    // Another stranger is refused on both ports.
    invite(5000)
    #expect(endpoint.establishedCount == 1100 && endpoint.counters.refusedInvitations == 2)
    #expect(throws: TooManySessions.self) { try endpoint.connect(to: .at(20_000), data: .at(20_001), at: now) }
    #expect(try endpoint.connect(to: .at(2), data: .at(3), at: now).number == 1, "this session exists already")
  }

  /// A thousand peers on one host get a session each, and another host still gets one. The last 100 of the 1100 sessions are
  /// reserved for hosts without a session.
  @Test func oneHostCannotTakeAllPlaces() {
    let network = EndpointNetwork(1, .standard)
    let endpoint = network.endpoints[0]
    // The limit per host is raised, so that only the limit of the endpoint applies.
    endpoint.sessionsPerHost = 2000
    /// Invites from the ports `control` and `control + 1`. All addresses from 1 000 000 to 1 999 999 are on one host.
    func invite(_ number: Int, at control: Int) {
      endpoint.receive(invitation(number), from: .at(control), port: .control, at: network.clock(0))
      endpoint.receive(invitation(number), from: .at(control + 1), port: .data, at: network.clock(0))
      endpoint.verify(UInt32(number), at: .at(control + 1), now: network.clock(0))
    }
    // Ten of the peers are refused, on both ports.
    for number in 1...1010 { invite(number, at: 1_000_000 + 2 * number) }
    #expect(endpoint.establishedCount == 1000 && endpoint.counters.refusedInvitations == 20)
    invite(5000, at: 1000)
    #expect(endpoint.establishedCount == 1001)
    // A peer of the first host may begin a new session in place of its old one.
    invite(5001, at: 1_000_002)
    #expect(endpoint.establishedCount == 1001 && endpoint.counters.refusedInvitations == 20)
  }

  /// By default, peers of one remote host begin at most eight sessions. The local host, 127.0.0.0/8, is not limited, so all 20
  /// invitations succeed. The hosts are 10.0.0.1, 127.0.0.1, 127.1.2.3, 126.0.0.1 and 128.0.0.1.
  @Test(arguments: [
    (host: 0x0A00_0001, sessions: 8), (0x7F00_0001, 20), (0x7F01_0203, 20), (0x7E00_0001, 8), (0x8000_0001, 8),
  ])
  func onlyRemoteHostsAreLimited(host: UInt32, sessions: Int) {
    let network = EndpointNetwork(1, .standard)
    let endpoint = network.endpoints[0]
    var outputs: [Endpoint.Output] = []
    /// Invites with the token and the SSRC `number`, from the ports of stranger `place` on `host`.
    func invite(_ number: Int, at place: Int) {
      let control = SocketAddress(host: host, port: UInt16(6000 + 2 * place))
      let data = SocketAddress(host: host, port: control.port + 1)
      endpoint.receive(invitation(number), from: control, port: .control, at: network.clock(0))
      endpoint.receive(invitation(number), from: data, port: .data, at: network.clock(0))
      outputs += endpoint.verify(UInt32(number), at: data, now: network.clock(0))
    }
    for number in 1...20 { invite(number, at: number) }
    #expect(endpoint.establishedCount == sessions)
    let declined = outputs.compactMap { if case .declined(_, _, let reason) = $0 { reason } else { nil } }
    #expect(declined == [DeclineReason](repeating: .hostIsFull, count: 20 - sessions))
    // A peer in session that repeats its invitation is not refused.
    outputs = []
    invite(1, at: 1)
    #expect(endpoint.establishedCount == sessions && outputs.allSatisfy { $0.isNoRefusal })
    // A peer that was restarted at the same address has another token and another SSRC. It is not refused either, and its new session
    // replaces the old one.
    outputs = []
    invite(100, at: 1)
    #expect(endpoint.establishedCount == sessions && outputs.allSatisfy { $0.isNoRefusal })
    let established = outputs.compactMap { if case .established(_, let info) = $0 { info.ssrc } else { nil } }
    #expect(established == [100])
  }

  /// Half-open invitations do not count as sessions of a host. The limit holds even if all invitations are half open
  /// before the first session is established.
  @Test func halfOpenInvitationsDoNotPassTheLimitOfAHost() {
    let network = EndpointNetwork(1, .standard)
    let endpoint = network.endpoints[0]
    for port in [Port.control, .data] {
      for number in 1...16 {
        let address = SocketAddress(host: 0x0A00_0001, port: UInt16(6000 + 2 * number + (port == .data ? 1 : 0)))
        endpoint.receive(invitation(number), from: address, port: port, at: network.clock(0))
      }
    }
    // A host has at most four candidates, so the endpoint did not answer the invitations of strangers 5 to 16 on the data port. Each
    // stranger repeats this invitation, and proves at once that it receives. The host can then have another candidate.
    for _ in 1...3 {
      for number in 1...16 {
        let data = SocketAddress(host: 0x0A00_0001, port: UInt16(6000 + 2 * number + 1))
        endpoint.receive(invitation(number), from: data, port: .data, at: network.clock(0))
        endpoint.verify(UInt32(number), at: data, now: network.clock(0))
      }
    }
    #expect(endpoint.establishedCount == 8)
  }

  /// A host that floods the endpoint with invitations displaces only its own half-open invitations. The invitation of another
  /// host succeeds.
  @Test func genuineInvitationSucceedsDuringAFlood() {
    var network = EndpointNetwork(2, .standard)
    var number = 100
    /// Delivers 200 invitations from the ports of one host.
    func flood() {
      for _ in 0..<200 {
        number += 1
        network.endpoints[0].receive(
          invitation(number), from: .at(1_000_000 + 2 * number), port: .control, at: network.clock(0))
      }
      network.drain(0)
    }
    _ = network.connect(1, to: 0)
    for _ in 0..<20 {
      flood()
      network.run(for: .microseconds(500))
    }
    // Of the 20 * 200 half-open invitations of the flood, 16 are kept, which is the limit per host.
    let counters = network.endpoints[0].counters
    #expect(network.areTogether(0, 1) && counters.forgottenInvitations == 4000 - 16)
  }

  /// The addresses 2 and 3 are on one host, and the address 5 is on another host.
  @Test func bothInvitationsMustComeFromOneHost() {
    var network = EndpointNetwork(1, .standard)
    network.send(invitation(1), from: 2, to: 0)
    network.run(for: .milliseconds(2))
    network.send(invitation(1), from: 5, to: 1)
    network.run(for: .milliseconds(2))
    #expect(network.endpoints[0].establishedCount == 0 && network.endpoints[0].counters.refusedInvitations == 1)
    network.send(invitation(1), from: 3, to: 1)
    network.run(for: .milliseconds(2))
    network.verify(1, at: 3, by: 0)
    #expect(network.endpoints[0].establishedCount == 1)
  }

  @Test func inadmissiblePeerIsRefusedAndReportedOnceAMinute() {
    var network = EndpointNetwork(1, .standard)
    network.endpoints[0].admits = { name, address in name == "stranger 1" && address == .at(2) }
    // Strangers 7 and 8 have one address, so only the first invitation of a minute is reported. Stranger 9 has another address.
    for second in 0..<90 {
      network.send(invitation(7), from: 14, to: 0)
      network.send(invitation(8), from: 14, to: 0)
      if second == 0 { network.send(invitation(9), from: 18, to: 0) }
      network.run(for: .seconds(1))
    }
    #expect(
      network.events(of: 0) == [
        .declined(name: "stranger 7", from: .at(14), .isNotAdmitted),
        .declined(name: "stranger 9", from: .at(18), .isNotAdmitted),
        .declined(name: "stranger 7", from: .at(14), .isNotAdmitted),
      ])
    // Two invitations per second for 90 s, and that of stranger 9.
    #expect(network.endpoints[0].counters.refusedInvitations == 181 && network.sent("NO", by: 0).count == 181)
    network.send(invitation(1), from: 2, to: 0)
    network.run(for: .milliseconds(2))
    network.send(invitation(1), from: 3, to: 1)
    network.run(for: .milliseconds(2))
    network.verify(1, at: 3, by: 0)
    #expect(network.endpoints[0].establishedCount == 1)
    // A peer in session is not checked again.
    network.endpoints[0].admits = { _, _ in false }
    network.send(invitation(1), from: 2, to: 0)
    network.send(invitation(1), from: 3, to: 1)
    network.run(for: .milliseconds(2))
    #expect(network.endpoints[0].counters.refusedInvitations == 181 && network.endpoints[0].establishedCount == 1)
  }

  @Test func sixtyFourDeclinedAddressesAreReportedPerMinute() {
    let network = EndpointNetwork(1, .standard)
    network.endpoints[0].admits = { _, _ in false }
    for number in 1...1000 {
      network.endpoints[0].receive(invitation(number), from: .at(2 * number), port: .control, at: network.clock(0))
    }
    let reported = network.endpoints[0].drain().count { if case .declined = $0 { true } else { false } }
    #expect(reported == 64 && network.endpoints[0].counters.refusedInvitations == 1000)
  }
}

extension Endpoint.Output {
  /// Whether the output neither sends nor reports a refusal.
  fileprivate var isNoRefusal: Bool {
    switch self {
    case .declined, .refused: false
    // FF FF and the letters NO.
    case .send(let octets, _, _, _): Array(octets.prefix(4)) != [0xFF, 0xFF, 0x4E, 0x4F]
    default: true
    }
  }
}

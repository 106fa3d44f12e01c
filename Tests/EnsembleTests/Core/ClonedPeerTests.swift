import MusicalTime
import PeerProtocol
import RTPMIDI
import Sending
import Testing
import _TestSupport

@testable import Ensemble

/// Two machines with one identity, because the disk of one was copied from the other. Both invite the tested core.
@Suite struct ClonedPeerTests {
  private let core = PeerCore(
    name: "a", ensemble: EnsembleState(identity: Identity(1)),
    invitations: InvitationList(to: [], local: Identity(1), at: Instant(nanoseconds: 0)), random: SplitMix(seed: 1))
  private let local = SocketAddress(host: 1, port: 5004)

  /// A remote peer with the identity 5. Its clock is ahead of the clock of the core.
  private struct Remote {
    let endpoint: Endpoint
    let control: SocketAddress
    let ahead: Nanoseconds
    var data: SocketAddress { SocketAddress(host: UInt32(truncatingIfNeeded: control.low), port: 5005) }

    init(host: UInt32, ahead: Nanoseconds) {
      endpoint = Endpoint(name: "host \(host)", identity: 5, random: SplitMix(seed: UInt64(host)))
      (control, self.ahead) = (SocketAddress(host: host, port: 5004), ahead)
    }
  }

  /// Lets the core and the remote peers exchange datagrams at `now`, without delay, until none is in flight. Returns the other
  /// outputs of the core.
  private func exchange(with remotes: [Remote], at now: Instant) -> [PeerCore.Output] {
    var others: [PeerCore.Output] = []
    var isQuiet = false
    core.advance(to: now)
    for remote in remotes { remote.endpoint.advance(to: now + remote.ahead) }
    func deliver(_ datagram: [UInt8], to address: SocketAddress) {
      isQuiet = false
      guard let remote = remotes.first(where: { $0.control == address || $0.data == address }) else { return }
      let port: Port = address == remote.control ? .control : .data
      var source = local
      if port == .data { source.port += 1 }
      remote.endpoint.receive(datagram, from: source, port: port, at: now + remote.ahead)
    }
    while !isQuiet {
      isQuiet = true
      for output in core.takeOutputs(at: now) {
        switch output {
        case .send(let datagram, let address, _, _): deliver(datagram, to: address)
        case .probe(let session, let address, _):
          core.endpoint.sendProbe(on: session) { probe in
            var probe = probe
            probe.transmit = now
            deliver(octets { _ = probe.append(to: &$0) }, to: address)
            return now
          }
        default: others.append(output)
        }
      }
      for remote in remotes {
        for output in remote.endpoint.drain() {
          isQuiet = false
          var datagram: [UInt8]?
          var port = Port.data
          switch output {
          case .send(let sent, _, _, let sender): (datagram, port) = (sent, sender)
          case .extensionPacket(let session, _, _):
            remote.endpoint.sendProbe(on: session) { probe in
              var probe = probe
              probe.transmit = now + remote.ahead
              datagram = octets { _ = probe.append(to: &$0) }
              return probe.transmit
            }
          default: break
          }
          guard let datagram else { continue }
          core.receive(
            datagram.span, from: port == .control ? remote.control : remote.data, port: port, at: now, now: now)
        }
      }
    }
    return others
  }

  private func invite(_ remote: Remote, at now: Instant) throws {
    var data = local
    data.port += 1
    _ = try remote.endpoint.connect(to: local, data: data, at: now + remote.ahead)
  }

  /// The second machine gets the message, and its session ends half a second later. If both sessions are with one machine, there
  /// is no message: the peer has a second address.
  @Test(arguments: [true, false]) func laterMachineIsInformed(isClone: Bool) throws {
    let first = Remote(host: 2, ahead: .seconds(100))
    let second = Remote(host: 3, ahead: isClone ? .seconds(70) : .seconds(100))
    var now = Instant(nanoseconds: 1_000_000_000)
    try invite(first, at: now)
    _ = exchange(with: [first], at: now)
    #expect(core.roster.session(of: Identity(5)) != nil)
    // Ten seconds after the beginning of a session, a second one is no mutual invitation.
    var outputs: [PeerCore.Output] = []
    for step in 1...120 {
      now = now + .milliseconds(100)
      if step == 110 { try invite(second, at: now) }
      outputs += exchange(with: [first, second], at: now)
      if step == 110 { #expect(second.endpoint.establishedCount == (isClone ? 1 : 0)) }
    }
    let expected = SystemExclusiveData(UsedIdentity(Identity(5)).systemExclusive)
    let messages = outputs.count {
      if case .stream(.exclusive(let data, to: .some, _)) = $0 { data.array == expected?.array } else { false }
    }
    #expect(messages == (isClone ? 1 : 0))
    #expect(first.endpoint.establishedCount == 1 && second.endpoint.establishedCount == 0)
  }

  @Test(arguments: [UInt64(1), 2]) func reportAboutTheLocalIdentityIsPassedOn(identity: UInt64) throws {
    let remote = Remote(host: 2, ahead: .seconds(100))
    let now = Instant(nanoseconds: 1_000_000_000)
    try invite(remote, at: now)
    _ = exchange(with: [remote], at: now)
    let session = try #require(core.roster.session(of: Identity(5)))
    core.receive(
      .systemExclusive(session, stamp: now, arrival: now),
      systemExclusive: { UsedIdentity(Identity(identity)).systemExclusive }, now: now)
    let events = core.takeOutputs(at: now).count { if case .event(.identityIsUsed) = $0 { true } else { false } }
    #expect(events == (identity == 1 ? 1 : 0) && core.ensemble.rejected == 0)
  }
}

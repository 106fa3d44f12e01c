import MusicalTime
import Testing
import _TestSupport

@testable import RTPMIDI

/// Peers on hosts with several addresses: wired and Wi-Fi in one subnet, or temporary IPv6 addresses. The tested endpoint has
/// the addresses `wired` and `wireless`, and the remote peer has `invited` and `other`. All control ports have the number 5004.
@Suite struct MultihomedHostTests {
  private let now = Instant(nanoseconds: 0)
  private let wired = SocketAddress(host: 1, port: 5004)
  private let wireless = SocketAddress(host: 2, port: 5004)
  private let invited = SocketAddress(host: 11, port: 5004)
  private let other = SocketAddress(host: 12, port: 5004)
  private let endpoint = Endpoint(name: "local", random: SplitMix(seed: 1))

  /// The data port that belongs to the control port `address`.
  private func data(_ address: SocketAddress) -> SocketAddress {
    SocketAddress(high: address.high, low: address.low, port: address.port + 1)
  }

  /// Passes a command of the remote peer, with SSRC 9, to the endpoint.
  private func receive(
    _ kind: SessionCommand.Kind, token: UInt32, from address: SocketAddress, to local: SocketAddress, _ port: Port
  ) {
    let packet = octets { _ = SessionCommand(kind, token: token, ssrc: 9).append(to: &$0) }
    endpoint.receive(packet, from: address, to: local, port: port, at: now)
  }

  /// Takes the outputs. Returns the session commands that the endpoint sends, each with its destination and its source address.
  private func sentCommands() throws -> [(command: SessionCommand, to: SocketAddress, from: SocketAddress?)] {
    try endpoint.drain().compactMap {
      guard case .send(let octets, let to, let from, _) = $0,
        case .session(let command) = try ControlPacket(octets.span)
      else { return nil }
      return (command, to, from)
    }
  }

  /// Lets the endpoint invite the address `invited`. Returns the token of the invitation.
  private func invite() throws -> UInt32 {
    _ = try endpoint.connect(to: invited, data: data(invited), at: now)
    let sent = try sentCommands()
    #expect(sent.count == 1 && sent[0].to == invited && sent[0].from == nil, "the host chooses the source address")
    return try #require(sent.first).command.token
  }

  @Test func answersLeaveFromTheAddressThatReceivedTheInvitation() throws {
    for (port, from) in [(Port.control, invited), (.data, data(invited))] {
      receive(.invitation, token: 5, from: from, to: wireless, port)
      let outputs = endpoint.drain()
      guard case .send(_, to: from, from: wireless, port)? = outputs.first else {
        Issue.record("\(outputs)")
        return
      }
      if port == .data {
        // `verify` exchanges the clock packets that prove that the peer receives.
        let info = endpoint.verify(9, at: from, now: now).lazy.compactMap {
          if case .established(_, let info) = $0 { info } else { nil }
        }.first
        #expect(info?.local == wireless, "the stream leaves from this address too")
      }
    }
    let session = try #require(endpoint.table.all.first)
    endpoint.close(session.id, at: now)
    #expect(try sentCommands().allSatisfy { $0.command.kind == .bye && $0.from == wireless })
  }

  /// The host chooses the source address `wireless` for the invitation. The session keeps this address, even if the
  /// host is connected to a wired network later and would then choose `wired`.
  @Test func sessionKeepsTheAddressOfItsInvitation() throws {
    let token = try invite()
    receive(.accepted, token: token, from: invited, to: wireless, .control)
    let second = try sentCommands()
    #expect(second.count == 1 && second[0].to == data(invited) && second[0].from == wireless)
    receive(.accepted, token: token, from: data(invited), to: wireless, .data)
    let outputs = endpoint.drain()
    #expect(outputs.contains { if case .established(_, let info) = $0 { info.local == wireless } else { false } })
    #expect(outputs.contains { if case .clockPacket(_, _, from: wireless) = $0 { true } else { false } })
  }

  @Test func answerWithTheTokenMayComeFromAnotherAddress() throws {
    let token = try invite()
    receive(.accepted, token: token &+ 1, from: other, to: wired, .control)
    receive(.accepted, token: token, from: data(other), to: wired, .control)
    #expect(endpoint.counters.unexpectedAnswers == 2, "another token, another port")
    receive(.accepted, token: token, from: other, to: wired, .control)
    let second = try sentCommands()
    #expect(second.count == 1 && second[0].to == data(other), "the peer sends from this address")
    receive(.accepted, token: token, from: data(other), to: wired, .data)
    #expect(endpoint.establishedCount == 1)
    let session = try #require(endpoint.table.all.first)
    #expect(session.control == invited && session.data == data(other))
    // `control` remains the address to which the invitation went. An established session accepts packets only from the address that
    // has answered.
    receive(.bye, token: token, from: invited, to: wired, .control)
    #expect(endpoint.establishedCount == 1)
    receive(.bye, token: token, from: other, to: wired, .control)
    #expect(endpoint.establishedCount == 0)
  }

  @Test func refusalWithTheTokenMayComeFromAnotherAddress() throws {
    let token = try invite()
    receive(.rejected, token: token &+ 1, from: other, to: wired, .control)
    #expect(endpoint.sessionCount == 1)
    receive(.rejected, token: token, from: other, to: wired, .control)
    #expect(endpoint.sessionCount == 0)
  }
}

import MIDI
import MusicalTime
import PeerProtocol
import Sending
import Testing
import _TestSupport

@testable import Ensemble
@testable import RTPMIDI

/// The settings of a channel: controllers, pitch bend, pressure and program. They return to their defaults when the player of the
/// channel releases it. Peers that join later receive the settings of the local player.
@Suite struct ChannelReleaseTests {
  private let now = Instant(nanoseconds: 0)
  private let channel = Channel(3)!
  private let other = Channel(4)!

  /// Returns a peer in session with the Tutti peers `identities`. Each session has the number of its identity.
  private func makePeer(with identities: [UInt64] = [2]) -> ListeningPeer {
    let core = PeerCore(
      name: "a", ensemble: EnsembleState(identity: Identity(1)),
      invitations: InvitationList(to: [], local: Identity(1), at: now), random: SplitMix(seed: 1))
    for identity in identities { establish(identity, core) }
    for identity in identities { core.recognised(session(identity), Identity(identity), at: now) }
    let peer = ListeningPeer(core, at: now)
    _ = peer.takeOutputs()
    return peer
  }

  private func session(_ number: UInt64) -> SessionID { SessionID(number: number) }

  private func establish(_ number: UInt64, _ core: PeerCore) {
    let host = UInt32(number)
    let info = SessionInfo(
      name: "b", ssrc: host, control: SocketAddress(host: host, port: 5004),
      data: SocketAddress(host: host, port: 5005), local: nil, localSSRC: 99, isInitiator: true)
    core.established(session(number), info, at: now)
  }

  private func receivePresence(of identity: UInt64, claiming channel: Channel?, _ core: PeerCore) {
    let presence = Presence(
      identity: Identity(identity), claim: nil, channel: channel, gates: .all, takesOver: false)
    core.handle(.systemExclusive(session(identity), presence.systemExclusive, at: now, arrival: now), at: now)
  }

  private func takeSent(by peer: ListeningPeer, to receiver: StreamMessage.Receiver) -> [Message] {
    peer.takeOutputs().compactMap {
      if case .stream(.message(let sent)) = $0, sent.receiver == receiver { sent.message } else { nil }
    }
  }

  private func control(_ controller: UInt7, _ value: UInt7, on channel: Channel) -> Message {
    .controlChange(channel, controller: controller, value: value)
  }

  /// Settings of every kind: what Reset All Controllers resets (RP-015), and what it does not reset. Controllers 101 and 100 select the
  /// registered parameter 0, the pitch bend range, and controller 6 sets this parameter.
  private func settings(on channel: Channel) -> [Message] {
    [
      control(1, 90, on: channel), control(7, 20, on: channel), control(10, 0, on: channel), control(0, 1, on: channel),
      .programChange(channel, program: 5), .pitchBend(channel, UInt14(clamping: 100)),
      .channelPressure(channel, pressure: 50), control(101, 0, on: channel), control(100, 0, on: channel),
      control(6, 12, on: channel), control(74, 100, on: channel), control(91, 30, on: channel),
    ]
  }

  /// The state of a synthesizer channel: the last value of each controller, of the program and of the parameters. The key of a parameter
  /// contains the values of controllers 101 and 100, and the number of the controller that has set it. Reset All Controllers acts by
  /// RP-015.
  private func state(of channel: Channel, after messages: [Message]) -> [String: Int] {
    var state: [String: Int] = [:]
    for message in messages where message.channel == channel {
      switch message {
      case .controlChange(_, 121, _):
        for (number, value) in [("1", 0), ("11", 127), ("64", 0), ("bend", 8192), ("pressure", 0)] {
          state[number] = value
        }
        for number in 98...101 { state["\(number)"] = 127 }
      case .controlChange(_, let number, let value) where number == 6 || number == 38:
        state["parameter \(state["101"] ?? 127) \(state["100"] ?? 127) \(number.value)"] = Int(value.value)
      case .controlChange(_, let number, let value): state["\(number.value)"] = Int(value.value)
      case .programChange(_, let program): state["program"] = Int(program.value)
      case .pitchBend(_, let bend): state["bend"] = Int(bend.value)
      case .channelPressure(_, let pressure): state["pressure"] = Int(pressure.value)
      default: break
      }
    }
    return state
  }

  /// Expects that `messages` return all settings of a channel to their defaults by General MIDI, such as a pitch bend range of two
  /// semitones (parameter 0).
  private func expectDefaults(_ messages: [Message], on channel: Channel) {
    let state = state(of: channel, after: settings(on: channel) + messages)
    let defaults = [
      "1": 0, "7": 100, "10": 64, "0": 0, "program": 0, "bend": 8192, "pressure": 0, "74": 64, "91": 0,
      "parameter 0 0 6": 2, "101": 127, "100": 127,
    ]
    for (name, value) in defaults { #expect(state[name] == value, "\(name)") }
  }

  @Test func channelOfAPeerThatLeavesReturnsToItsDefaults() {
    let peer = makePeer()
    let core = peer.core
    receivePresence(of: 2, claiming: channel, core)
    for message in settings(on: channel) { peer.receive(message, on: session(2)) }
    #expect(peer.takeSounds() == settings(on: channel))
    core.handle(.closed(session(2)), at: now)
    let resets = peer.takeSounds()
    expectDefaults(resets, on: channel)
    #expect(resets.allSatisfy { $0.channel == channel })
  }

  @Test func peerThatOnlyPlayedNotesResetsNothing() {
    let peer = makePeer()
    let core = peer.core
    for message in [Message.noteOn(channel, key: 60, velocity: 9), .noteOff(channel, key: 60, velocity: 9)] {
      peer.receive(message, on: session(2))
    }
    _ = peer.takeOutputs()
    _ = peer.takeSounds(local: true)
    core.handle(.closed(session(2)), at: now)
    #expect(peer.takeSounds().isEmpty)
  }

  @Test func formerChannelOfAPeerReturnsToItsDefaults() {
    let peer = makePeer()
    let core = peer.core
    receivePresence(of: 2, claiming: channel, core)
    for message in settings(on: channel) { peer.receive(message, on: session(2)) }
    receivePresence(of: 2, claiming: channel, core)
    #expect(peer.takeSounds() == settings(on: channel), "the same claim again resets nothing")
    peer.receive(control(7, 30, on: other), on: session(2))
    receivePresence(of: 2, claiming: other, core)
    let sounds = peer.takeSounds()
    expectDefaults(sounds, on: channel)
    #expect(state(of: other, after: sounds) == ["7": 30])
  }

  /// Two peers have set controllers on one channel, until the peer with the higher identity moved to another channel.
  @Test func settingsOfTheRemainingOwnerAreKept() {
    let peer = makePeer(with: [2, 3])
    let core = peer.core
    for identity: UInt64 in [2, 3] { receivePresence(of: identity, claiming: channel, core) }
    peer.receive(control(7, 30, on: channel), on: session(2))
    for message in settings(on: channel) { peer.receive(message, on: session(3)) }
    receivePresence(of: 3, claiming: other, core)
    let state = state(of: channel, after: peer.takeSounds())
    #expect(state["7"] == 30 && state["program"] == 0 && state["bend"] == 8192)
  }

  /// Lets 1.5 s pass. The local peer claims channel 2 after the first second.
  private func claimChannel(_ core: PeerCore) {
    for milliseconds in stride(from: Int64(0), through: 1500, by: 100) {
      core.ensemble.advance(to: now + .milliseconds(milliseconds))
    }
    #expect(core.ensemble.channel == Channel(2))
  }

  /// The instrument plays on channel 4. Its settings sound on channel 2, which the local peer has claimed.
  @Test func peerThatJoinsLaterReceivesTheSettingsOfThePlayer() throws {
    let peer = makePeer()
    let core = peer.core
    claimChannel(core)
    for message in settings(on: other) + [control(7, 25, on: other)] { core.play(message) }
    _ = peer.takeOutputs()
    _ = peer.takeSounds(local: true)
    establish(3, core)
    core.recognised(session(3), Identity(3), at: now)
    // The first presence shows that the peer has recognised the local peer, so the settings are sent. The second one has no effect.
    for _ in 0..<2 { receivePresence(of: 3, claiming: channel, core) }
    let stream = try #require(core.roster.stream(of: session(3)))
    let expected = state(
      of: Channel(2)!, after: (settings(on: other) + [control(7, 25, on: other)]).map { $0.on(Channel(2)) })
    #expect(state(of: Channel(2)!, after: takeSent(by: peer, to: .stream(stream))) == expected)
    // A standard device gets the messages of the instrument unchanged.
    establish(4, core)
    core.recognisedAsStandardDevice(session(4), at: now)
    let device = try #require(core.roster.stream(of: session(4)))
    #expect(state(of: other, after: takeSent(by: peer, to: .stream(device))) == expected)
  }

  /// The local peer moves from channel 16 to channel 2. A message that has sounded on channel 16 is reported to the core after the settings
  /// were moved. The core sends the message again on channel 2.
  @Test func settingThatIsPlayedDuringTheMoveIsMovedToo() throws {
    let peer = makePeer()
    let core = peer.core
    claimChannel(core)
    _ = peer.takeOutputs()
    core.played(control(7, 26, on: other), soundedOn: PeerCore.lastChannel, from: .player, at: now)
    let sent = peer.takeOutputs().compactMap { if case .stream(.message(let sent)) = $0 { sent } else { nil } }
    #expect(sent.map(\.message) == [control(7, 26, on: Channel(2)!)] && sent.map(\.receiver) == [.tuttiPeers])
    #expect(peer.takeSounds(local: true) == [control(7, 26, on: Channel(2)!)])
  }

  @Test func settingsOfThePlayerMoveToItsNewChannel() throws {
    let peer = makePeer()
    let core = peer.core
    // The local peer has no channel yet and plays on channel 16.
    for message in settings(on: other) { core.play(message) }
    _ = peer.takeOutputs()
    _ = peer.takeSounds(local: true)
    // Another peer may own channel 16, so its settings are not sent to peers that join.
    receivePresence(of: 2, claiming: channel, core)
    let stream = try #require(core.roster.stream(of: session(2)))
    #expect(takeSent(by: peer, to: .stream(stream)).isEmpty)
    claimChannel(core)
    let outputs = peer.takeOutputs()
    let sounds = peer.takeSounds(local: true)
    expectDefaults(sounds, on: PeerCore.lastChannel)
    let expected = state(of: Channel(2)!, after: settings(on: Channel(2)!))
    #expect(state(of: Channel(2)!, after: sounds) == expected)
    let sent = outputs.compactMap {
      if case .stream(.message(let sent)) = $0, sent.receiver == .tuttiPeers { sent.message } else { nil }
    }
    #expect(state(of: Channel(2)!, after: sent) == expected)
  }

  /// Settings that a closed gate has blocked are not reset.
  @Test func closedGateLeavesNothingToReset() throws {
    let peer = makePeer()
    let core = peer.core
    try core.ensemble.gates.apply("all=closed")
    for message in settings(on: channel) { peer.receive(message, on: session(2)) }
    core.handle(.closed(session(2)), at: now)
    #expect(peer.takeSounds().isEmpty)
  }
}

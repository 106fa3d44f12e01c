import MIDI
import MusicalTime
import PeerProtocol
import Receiving
import Sending
import Testing
import _TestSupport

@testable import Ensemble
@testable import RTPMIDI

/// A player changes the sound of the instrument of another player.
@Suite struct ShapingTests {
  private let now = Instant(nanoseconds: 0)
  private let session = SessionID(number: 2)
  private let remote = Identity(2)

  /// Returns a peer that has claimed a channel, in session with a Tutti peer that has `channel`.
  private func makePeer(remoteOn channel: Channel?, gates: GateSet = .all) -> ListeningPeer {
    let core = PeerCore(
      name: "a", ensemble: EnsembleState(identity: Identity(1)),
      invitations: InvitationList(to: [], local: Identity(1), at: now), random: SplitMix(seed: 1))
    let info = SessionInfo(
      name: "b", ssrc: 2, control: SocketAddress(host: 2, port: 5004), data: SocketAddress(host: 2, port: 5005),
      local: nil, localSSRC: 99, isInitiator: true)
    core.established(session, info, at: now)
    core.recognised(session, remote, at: now)
    let peer = ListeningPeer(core, at: now)
    receivePresence(claiming: channel, core, gates)
    // A peer listens for a while before it claims a channel.
    for second in 0...2 as ClosedRange<Int64> { core.advance(to: now + .seconds(second)) }
    _ = peer.takeOutputs()
    return peer
  }

  private func receivePresence(claiming channel: Channel?, _ core: PeerCore, _ gates: GateSet = .all) {
    let presence = Presence(identity: remote, claim: nil, channel: channel, gates: gates, takesOver: false)
    core.handle(.systemExclusive(session, presence.systemExclusive, at: now, arrival: now), at: now)
  }

  private func sent(_ peer: ListeningPeer) -> [Message] {
    let stream = peer.core.roster.stream(of: remote)
    return peer.takeOutputs().compactMap {
      guard case .stream(.message(let sent)) = $0, sent.receiver == stream.map({ .stream($0) }) else { return nil }
      return sent.message
    }
  }

  /// The messages to any peers among `outputs`.
  private func messages(_ outputs: [PeerCore.Output]) -> [StreamMessage] {
    outputs.compactMap { if case .stream(.message(let sent)) = $0 { sent } else { nil } }
  }

  @Test func controllerIsSentOnTheChannelOfThePeer() throws {
    let peer = makePeer(remoteOn: Channel(9)!)
    try peer.core.shape(remote, controller: 74, value: 20)
    #expect(sent(peer) == [.controlChange(Channel(9)!, controller: 74, value: 20)])
  }

  @Test func impossibleShapeIsRefused() {
    #expect(throws: PeerCore.ShapingError.noChannel) {
      try makePeer(remoteOn: nil).core.shape(remote, controller: 1, value: 1)
    }
    // Controller 7, the volume, is only for the player of the instrument (`Message.shapesInstrument`).
    #expect(throws: PeerCore.ShapingError.doesNotShape) {
      try makePeer(remoteOn: Channel(9)!).core.shape(remote, controller: 7, value: 1)
    }
    // Only the first gate, for the rhythm, is open.
    #expect(throws: PeerCore.ShapingError.gateIsClosed) {
      try makePeer(remoteOn: Channel(9)!, gates: GateSet(bits: 1)).core.shape(remote, controller: 1, value: 1)
    }
  }

  /// A controller of the remote player on the channel of the local peer acts as a controller of the local player: it changes the sound of
  /// the local instrument, and is sent to all peers. The local player is informed once.
  @Test func controllerOfAPeerActsOnTheLocalPlayer() throws {
    let peer = makePeer(remoteOn: Channel(9)!)
    let local = try #require(peer.core.ensemble.channel)
    let message = Message.controlChange(local, controller: 74, value: 20)
    peer.receive(message, on: session)
    #expect(peer.takeSounds(local: true) == [message])
    peer.receive(message, on: session)
    let outputs = peer.takeOutputs()
    let reports = outputs.count { if case .event(.shaped(let other)) = $0 { other.identity == remote } else { false } }
    #expect(reports == 1)
    // Each of the two controllers is sent to all peers.
    let sent = messages(outputs)
    #expect(sent.map(\.message) == [message, message, message, message])
    #expect(sent.map(\.receiver) == [.tuttiPeers, .standardDevices, .tuttiPeers, .standardDevices])
    #expect(peer.takeSounds().isEmpty, "it is no controller of the remote player")
    try peer.core.ensemble.gates.apply("b:modification=closed")
    _ = peer.takeSounds(local: true)
    _ = peer.takeOutputs()
    peer.receive(message, on: session)
    #expect(messages(peer.takeOutputs()).isEmpty)
    #expect(peer.takeSounds(local: true).isEmpty)
  }

  /// Controllers on the channel of the local peer are not always meant for the local player: a remote peer can have the same channel for
  /// a moment, and a remote peer without a channel plays on channel 16. Both then send their own controllers on this channel.
  @Test func controllersOfAPeerWithTheSameChannelAreItsOwn() throws {
    let peer = makePeer(remoteOn: Channel(9)!)
    let local = try #require(peer.core.ensemble.channel)
    let slot = try #require(peer.core.roster.slot(of: session))
    var admission: Admission { peer.core.admission(of: slot, channelOwners: peer.core.ensemble.channelOwners) }
    #expect(admission.shaping)
    // The remote peer has no channel and plays on channel 16. Its controllers shape unless the local peer also has channel 16.
    peer.core.ensemble.roster[slot].membership?.channelClaim = nil
    #expect(admission.shaping == (local != PeerCore.lastChannel))
    // The remote peer claims the channel of the local peer. Its controllers on this channel shape only if the local peer has moved away.
    receivePresence(claiming: local, peer.core)
    #expect(admission.shaping == (peer.core.ensemble.channel != local))
  }
}

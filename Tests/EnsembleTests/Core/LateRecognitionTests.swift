import MIDI
import MusicalTime
import PeerProtocol
import Testing
import _TestSupport

@testable import Ensemble
@testable import RTPMIDI

/// Messages to and from a peer before it is identified as a Tutti peer or as a standard device.
@Suite struct LateRecognitionTests {
  private let now = Instant(nanoseconds: 0)
  private let session = SessionID(number: 1)
  private let channel1 = Channel(wire: 0)

  /// Returns a core in session with a peer that is not identified yet.
  private func coreWithUnidentifiedPeer(name: String? = "b") -> PeerCore {
    let core = PeerCore(
      name: "a", ensemble: EnsembleState(identity: Identity(1)),
      invitations: InvitationList(to: [], local: Identity(1), at: now),
      random: SplitMix(seed: 1))
    let info = SessionInfo(
      name: name, ssrc: 2, control: SocketAddress(host: 1, port: 5004), data: SocketAddress(host: 1, port: 5005),
      local: nil, localSSRC: 99, isInitiator: true)
    core.established(session, info, at: now)
    return core
  }

  /// Before its recognition, the peer receives each message on the channel on which it was played. After its recognition, it
  /// receives messages on the channel that the local peer has claimed. The ends of earlier notes would then arrive on another channel
  /// than their beginnings. Therefore the recognition ends the notes that still sound at the peer, and lifts the pedals there.
  @Test func recognitionEndsNotesThatWereSentUnchanged() {
    let core = coreWithUnidentifiedPeer()
    let peer = ListeningPeer(core, at: now)
    func takeMessagesToThePeer() -> [Message] {
      peer.takeOutputs().compactMap {
        if case .stream(.message(let sent)) = $0, sent.receiver == core.roster.stream(of: session).map({ .stream($0) })
        {
          sent.message
        } else {
          nil
        }
      }
    }
    core.play(.noteOn(channel1, key: 60, velocity: 100))
    core.play(.controlChange(channel1, controller: 64, value: 127))
    core.play(.noteOn(channel1, key: 61, velocity: 100))
    core.play(.noteOff(channel1, key: 61, velocity: 64))
    // The network thread sends the messages of the player, so the core outputs none.
    #expect(takeMessagesToThePeer().isEmpty)
    core.recognised(session, Identity(2), at: now)
    // The core passes the ends to the clock thread, which sends them: once before and once after the core tells the clock thread that the
    // peer is a Tutti peer. The second time, the core also ends the notes that have begun in between. Here there are none, so the ends are
    // the same both times.
    let ends: [Message] = [
      .noteOff(channel1, key: 60, velocity: 64), .controlChange(channel1, controller: 64, value: 0),
    ]
    #expect(takeMessagesToThePeer() == ends + ends)
  }

  /// After a change of address, the ticks of a Tutti master arrive on the new session before the master is recognised. Therefore the core
  /// does not report the clock of an unidentified peer as unused.
  @Test func clockIsReportedAsUnusedOnlyIfThePeerIsAStandardDevice() {
    let core = coreWithUnidentifiedPeer()
    func countReports() -> Int {
      core.handle(.message(session, .clock, at: now, arrival: now, isRecovered: false), at: now)
      return core.takeOutputs(at: now).count { if case .event(.clockIsUnused) = $0 { true } else { false } }
    }
    #expect(countReports() == 0)
    core.recognisedAsStandardDevice(session, at: now)
    #expect(countReports() == 1 && countReports() == 0)
  }

  /// The gate is closed for identity 2 and open for identity 3 and for standard devices (nil). An unidentified peer may be
  /// the one with identity 2.
  @Test(arguments: [2, 3, nil]) func gateClosedForOnePeerIsClosedForUnidentifiedPeers(identity: UInt64?) throws {
    let core = coreWithUnidentifiedPeer()
    let peer = ListeningPeer(core, at: now)
    try core.ensemble.gates.apply("\(Identity(2)):notes=closed")
    let (note, modulation) = (
      Message.noteOn(channel1, key: 60, velocity: 100), Message.controlChange(channel1, controller: 1, value: 1)
    )
    for message in [note, modulation] { peer.receive(message, on: session) }
    #expect(peer.takeSounds() == [modulation])
    if let identity {
      core.recognised(session, Identity(identity), at: now)
    } else {
      core.recognisedAsStandardDevice(session, at: now)
    }
    for message in [note, modulation] { peer.receive(message, on: session) }
    #expect(peer.takeSounds() == (identity == 2 ? [modulation] : [note, modulation]))
  }

  /// The replies of a Tutti peer to clock probes were lost, so the peer counted as a standard device. Then a clock probe of the peer shows
  /// that it is a Tutti peer. Its identity is not known yet, so it may be the peer with identity 2, to which the gate is closed.
  @Test func gateIsClosedForATuttiPeerThatCountedAsAStandardDevice() throws {
    let core = coreWithUnidentifiedPeer()
    let peer = ListeningPeer(core, at: now)
    try core.ensemble.gates.apply("\(Identity(2)):notes=closed")
    core.handle(.peer(session, .standardDevice), at: now)
    core.handle(.peer(session, .tuttiPeer), at: now)
    peer.receive(.noteOn(channel1, key: 60, velocity: 100), on: session)
    // From a Tutti peer, controller 7 on channel 1 is the total activity, which does not sound.
    let volume = Message.controlChange(channel1, controller: 7, value: 90)
    peer.receive(volume, on: session)
    #expect(peer.takeSounds().isEmpty)
    // The program of the peer was replaced by another one, which answers no clock probes.
    core.handle(.peer(session, .standardDevice), at: now)
    peer.receive(volume, on: session)
    #expect(peer.takeSounds() == [volume])
  }

  @Test(arguments: [(UInt8(2), false), (200, true)]) func peerOfAnotherVersionIsReported(version: UInt8, isNewer: Bool)
  {
    let core = coreWithUnidentifiedPeer()
    core.handle(.peer(session, .otherVersion(version)), at: now)
    let reports = core.takeOutputs(at: now).compactMap {
      if case .event(.hasOtherVersion(_, let isNewer)) = $0 { isNewer } else { nil }
    }
    #expect(reports == [isNewer])
  }

  /// The warning names the peer, also if the peer is not a Tutti peer or reports no name. It is given once.
  @Test(arguments: [("b", nil), (nil, nil), ("b", UInt64(2))]) func warningNamesThePeer(
    name: String?, identity: UInt64?
  )
    throws
  {
    let core = coreWithUnidentifiedPeer(name: name)
    if let identity { core.recognised(session, Identity(identity), at: now) }
    _ = core.takeOutputs(at: now)
    for irregularity in [Irregularity.implausibleStamp, .unsolicitedReply] {
      for _ in 0..<20 { core.handle(.irregular(session, irregularity), at: now) }
    }
    let warnings = core.takeOutputs(at: now).compactMap { output -> (name: String?, warning: PeerWarning)? in
      switch output {
      case .event(.warning(let peer, let warning)): (core.roster[peer]?.reference.name, warning)
      case .event(.deviceWarning(let peer, let warning)): (peer.name, warning)
      default: nil
      }
    }
    #expect(warnings.map(\.warning) == [.implausibleStamps, .unsolicitedReplies])
    #expect(warnings.allSatisfy { $0.name == name ?? "peer 0.0.0.1" }, "\(warnings)")
  }

  /// An exception by name or identity applies only after the peer is identified.
  @Test func gateClosedByDefaultIsClosedForUnidentifiedPeers() throws {
    let core = coreWithUnidentifiedPeer()
    let peer = ListeningPeer(core, at: now)
    for rule in ["notes=closed", "b:notes=open"] { try core.ensemble.gates.apply(rule) }
    let note = Message.noteOn(channel1, key: 60, velocity: 100)
    peer.receive(note, on: session)
    #expect(peer.takeSounds().isEmpty)
    core.recognisedAsStandardDevice(session, at: now)
    peer.receive(note, on: session)
    #expect(peer.takeSounds() == [note])
  }

  /// On channel 1, a standard device sends volume and expression, which sound. A Tutti peer sends activity with the same controllers, which
  /// does not sound. Until the peer is identified, all its messages sound at once, in their order. Nothing sounds later.
  @Test(arguments: [true, false]) func messagesOfAnUnidentifiedPeerKeepTheirOrder(isTutti: Bool) {
    let core = coreWithUnidentifiedPeer()
    let peer = ListeningPeer(core, at: now)
    func control(_ controller: UInt7, _ value: UInt7) -> Message {
      .controlChange(channel1, controller: controller, value: value)
    }
    let messages = [
      control(11, 0), control(121, 0), .noteOn(channel1, key: 60, velocity: 64), control(7, 0),
      .noteOn(channel1, key: 61, velocity: 64), control(7, 100),
    ]
    for message in messages { peer.receive(message, on: session) }
    #expect(peer.takeSounds() == messages)
    if isTutti {
      core.recognised(session, Identity(2), at: now)
    } else {
      core.recognisedAsStandardDevice(session, at: now)
    }
    #expect(!peer.takeSounds().contains { $0.reportsActivity })
    peer.receive(control(7, 40), on: session)
    #expect(peer.takeSounds() == (isTutti ? [] : [control(7, 40)]))
  }
}

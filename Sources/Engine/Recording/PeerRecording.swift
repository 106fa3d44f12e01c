import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI

/// The part of the MIDI recording that runs on the control thread: collects the ticks, hits and messages that the real-time
/// threads report, and passes them to the ``MIDIRecorder``.
struct PeerRecording {
  private let rings: RecordingRings
  private let recorder: MIDIRecorder
  private var players: RecordedPlayers
  /// The ticks that were added since the last call of ``pass(at:soundingAt:reference:)``.
  private var ticks: [TickRecord] = []
  /// When the newest message without a planned instant sounds. The delay of the sound varies, so a later message may seem to sound
  /// earlier. Such a message gets this instant instead, so that the messages keep their order.
  private var lastMessage = Instant(nanoseconds: .min)
  /// The hits that were taken from the ring since then, and the scores that have begun, in their order.
  private var earlier: [RecordedEvent] = []
  /// The System Exclusives that were added since then.
  private var exclusives: [(octets: [UInt8], session: SessionID, instant: Instant)] = []
  /// When ``pass(at:soundingAt:reference:)`` is due.
  private var nextPass = Instant(nanoseconds: .min)
  private static var interval: Nanoseconds { .milliseconds(100) }
  /// The energies in the file, by the index of the player.
  private var energies: [Int: UInt8] = [:]

  /// - Parameter name: the name of the local player.
  init(_ rings: RecordingRings, _ recorder: MIDIRecorder, name: String) {
    (self.rings, self.recorder) = (rings, recorder)
    players = RecordedPlayers(local: name)
  }

  /// The number of events that are missing in the recording.
  var lost: Int64 { rings.dropped + recorder.lost }

  /// Adds a tick.
  mutating func append(_ record: TickRecord) { ticks.append(record) }

  /// Adds a System Exclusive of a device, without F0 and F7, which arrived at `instant`. At most 1000 are kept until the next pass.
  mutating func append(exclusive octets: [UInt8], from session: SessionID, at instant: Instant) {
    if exclusives.count < 1000 { exclusives.append((octets, session, instant)) }
  }

  /// Begins the tracks of a score, one for each part.
  ///
  /// - Parameter names: the names of the parts. The call must precede the first note of the score.
  mutating func beginScore(parts names: [String]) {
    // The notes of the score before are still in the ring. They belong to its tracks.
    while let hit = rings.hits.pop() { earlier.append(.hit(hit)) }
    earlier.append(.score(parts: names))
  }

  /// Whether ``pass(at:soundingAt:reference:)`` is due: ten times per second.
  func isDue(at now: Instant) -> Bool { now >= nextPass }

  /// Passes all events since the last call to the recorder.
  ///
  /// - Parameters:
  ///   - now: the present instant. Every tick that was due before `now` minus ``MIDIRecorder/lateness`` must have been added.
  ///   - soundingAt: takes the instant at which a message was passed to the sound, and returns the instant at which it sounds.
  ///   - reference: returns what is known about the peer of a session; nil if the session has ended.
  ///   - statuses: all players.
  mutating func pass(
    at now: Instant, soundingAt: (Instant) -> Instant, reference: (SessionID) -> PeerReference?,
    players statuses: [PlayerStatus] = []
  ) {
    nextPass = now + Self.interval
    var events: [RecordedEvent] = []
    if let name = statuses.first?.player.name, players.renameLocal(name) {
      events.append(.name(name, player: RecordedPlayers.local))
    }
    // A tick places all earlier hits and messages, so these are added before the ticks.
    events += earlier
    earlier.removeAll()
    while let hit = rings.hits.pop() { events.append(.hit(hit)) }
    while let sounded = rings.messages.pop() {
      var player = RecordedPlayers.local
      if let session = sounded.session {
        let (index, newName) = players.player(of: session, reference(session))
        if let newName { events.append(.name(newName, player: index)) }
        player = index
      }
      let peer = sounded.session.map { reference($0)?.identity } ?? statuses.first?.peer
      let page = statuses.first {
        $0.peer == peer && $0.player.kind != .local && $0.channel != nil && $0.channel == sounded.message.channel
      }
      if let page { player = index(of: page.player, at: player, adding: &events) }
      // A timed message has a planned instant (``SoundedMessage/isTimed``). Any other message sounds after the delay of the sound.
      if !sounded.isTimed { lastMessage = max(lastMessage, soundingAt(sounded.instant)) }
      let instant = sounded.isTimed ? sounded.instant : lastMessage
      events.append(.message(sounded.message, player: player, instant: instant))
    }
    for (octets, session, instant) in exclusives {
      let (index, newName) = players.player(of: session, reference(session))
      if let newName { events.append(.name(newName, player: index)) }
      events.append(.exclusive(octets, player: index, instant: soundingAt(instant)))
    }
    exclusives.removeAll(keepingCapacity: true)
    addEnergies(of: statuses, to: &events, at: soundingAt(now))
    events += ticks.map { .tick($0) }
    ticks.removeAll(keepingCapacity: true)
    recorder.add(events, at: now)
  }

  /// The index of a page or a device whose peer has the index `peer`.
  private mutating func index(of player: Player, at peer: Int, adding events: inout [RecordedEvent]) -> Int {
    let (index, newName) = players.player(player.identity, named: player.name, of: peer)
    if let newName { events.append(.name(newName, player: index)) }
    return index
  }

  /// Adds the energies that have changed, as Expression (CC 11) in the tracks of the players. A player without a track gets one when its
  /// energy is not 0. Remote local players have a track only after their first note, which tells their session.
  private mutating func addEnergies(of statuses: [PlayerStatus], to events: inout [RecordedEvent], at instant: Instant)
  {
    let local = statuses.first?.peer
    for status in statuses {
      guard let energy = status.energy else { continue }
      let index: Int?
      if status.player.kind == .local {
        index = status.peer == local ? RecordedPlayers.local : players.index(of: status.peer)
      } else if energy > 0 || players.index(of: status.player.identity) != nil {
        let peer = status.peer == local ? RecordedPlayers.local : players.index(of: status.peer)
        index = self.index(of: status.player, at: peer ?? RecordedPlayers.maximum - 1, adding: &events)
      } else {
        index = nil
      }
      guard let index, energies[index] != energy, energy > 0 || energies[index] != nil else { continue }
      energies[index] = energy
      let channel = status.channel ?? Channel(wire: 15)
      events.append(
        .message(
          .controlChange(channel, controller: 11, value: UInt7(masking: energy)), player: index, instant: instant))
    }
  }

  /// Completes the file, because the sound ends at `instant`.
  ///
  /// - Returns: how long the file plays.
  /// - Throws: ``EngineError`` if the recording on the disk is not complete.
  func finish(at instant: Instant) throws(EngineError) -> Nanoseconds { try recorder.finish(at: instant) }
}

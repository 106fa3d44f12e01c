import Ensemble
import MIDI
import Measurement
import MusicalTime
import PeerProtocol
import Realtime
import Rhythm

// The players on the web pages of this peer.
extension Peer {
  /// Makes a page a player, or updates its name, sign and instrument.
  func join(_ joining: JoiningPlayer, as player: Identity, at now: Instant) {
    guard player != identity, core.roster[player] == nil else { return }
    guard
      ensemble.join(
        player, .page, named: joining.name, sign: joining.sign, instrument: joining.instrument, moves: joining.moves,
        at: now)
    else {
      let line =
        "a web page cannot play, because \(PlayerList.maximumCount) players are at this peer; open another peer's page"
      return write(line, .notice, .pages, of: "web pages", at: now)
    }
    pages.join(player)
  }

  /// Ends the notes and the phrase of a page, and removes the page from the players.
  func part(_ player: Identity, at now: Instant) {
    for (key, channel) in pages.leave(player) {
      core.play(.noteOff(channel, key: UInt7(masking: key), velocity: 64), of: player, at: now)
    }
    network.play(instrument.settings(for: core, pages: pages))
    ensemble.leave(player, at: now)
  }

  /// Plays a note of a page on its channel. A muted player strikes no note.
  func playNote(_ key: UInt8, velocity: UInt8, touchedAt: Instant?, by player: Identity, at now: Instant) {
    let isStruck = velocity > 0
    if isStruck {
      // The trace contains the instant of the touch. A page may move the note to the grid of the rhythm.
      let touched = touchedAt.map { min($0, now) } ?? now
      if now - touched < .seconds(4) {
        records.add(TraceAction(at: touched, force: velocity, by: tracePlayer(player)))
      }
      if ensemble.isMuted(player) { return }
    }
    let own = ensemble.channelOfLocal(player) ?? Channel(wire: 15)
    guard let channel = pages.play(key, isStruck: isStruck, on: own, by: player) else { return }
    let number = UInt7(masking: key)
    let message: Message =
      isStruck
      ? .noteOn(channel, key: number, velocity: UInt7(masking: velocity))
      : .noteOff(channel, key: number, velocity: 64)
    core.play(message, of: player, at: now)
  }

  /// A page in the trace.
  func tracePlayer(_ player: Identity) -> TraceAction.Player {
    TraceAction.Player(identity: "\(player)", name: ensemble.localPlayer(player)?.name ?? "\(player)")
  }

  /// Executes a command of a page that concerns its phrase.
  func execute(_ command: PhraseCommand, by player: Identity, at now: Instant) {
    switch command {
    case .record(let bars): _ = try? core.recordPhrase(bars: bars, by: player, at: now)
    case .send(let name):
      guard let receiver = self.player(called: name) else { return }
      _ = pages.changePhrases(of: player) { $0.send(to: receiver, called: name, from: player, with: core) }
    case .play, .vary:
      pages.repeatPhrase(
        isVaried: command == .vary, of: player, on: ensemble.channelOfLocal(player) ?? Channel(wire: 15))
      network.play(instrument.settings(for: core, pages: pages))
    case .stop:
      pages.stopPhrase(of: player)
      network.play(instrument.settings(for: core, pages: pages))
    }
  }

  /// Keeps the phrases that players of this peer have recorded since the last call.
  func takeRecordedPhrases(at now: Instant) {
    for (player, result) in core.takeRecordedPhrases(at: now) {
      if player == identity {
        report(instrument.phrases.take(result), at: now)
      } else {
        _ = pages.changePhrases(of: player) { $0.take(result) }
      }
    }
  }

  /// Keeps a phrase that a player has sent to a player of this peer.
  func received(_ phrase: Phrase, from sender: Identity, to receiver: Identity, at now: Instant) {
    let name = self.name(ofPlayer: sender)
    if receiver == identity {
      report(instrument.phrases.receive(phrase, from: name), at: now)
    } else {
      _ = pages.changePhrases(of: receiver) { $0.receive(phrase, from: name) }
    }
  }

  // MARK: Names

  /// The name of a player of any peer. A local player has the name of its peer.
  func name(ofPlayer player: Identity) -> String {
    if player == identity { return ensemble.displayedName }
    let status = ensemble.playerStatuses().first { $0.player.identity == player && $0.player.kind != .local }
    return status?.player.name ?? core.name(of: player)
  }

  /// Returns the player with this name or identity: a peer (its local player), a page or a device. If there is none, informs the player and
  /// returns nil.
  func player(called name: String) -> Identity? {
    let others = ensemble.playerStatuses().filter { $0.player.kind != .local }
    if let wanted = Identity(name), wanted == identity || others.contains(where: { $0.player.identity == wanted }) {
      return wanted
    }
    let named = others.filter { $0.player.name == name }.map(\.player.identity).sorted()
    if let first = named.first {
      if named.count > 1 {
        let identities = named.map(\.description).joined(separator: ", ")
        log.notice(
          "player \(name): several players have this name (\(identities)); the first one was used; to use another one, give its identity"
        )
      }
      return first
    }
    return peer(called: name)
  }
}

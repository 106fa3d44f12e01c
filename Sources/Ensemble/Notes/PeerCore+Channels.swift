import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI
import Sending

// The settings of the players' channels: controllers, programs and so on (``ChannelSettings``). When a player releases a channel,
// the channel returns to its defaults at all peers. A peer that joins later receives the present settings of the player.
extension PeerCore {
  /// Handles a presence of the peer of a session.
  func receivedPresence(on session: SessionID) {
    guard let slot = roster.slot(of: session), let presence = ensemble.roster[slot].membership?.presence else { return }
    sendMissingSettings(on: session)
    // The peer plays only on its present channel and on the drum channel. The settings on all its other channels are reset: on its
    // former channel, and on the input channels on which it played before it recognised the local peer.
    // The pages and devices of the peer play on their own channels, or share channel 16.
    let players = ensemble.roster[slot].membership!.players.present
    let pages = players.compactMap(\.player.channel) + (players.count > 1 ? [Self.lastChannel] : [])
    releaseChannels(of: session, except: [presence.channel ?? Self.lastChannel, Self.drumChannel] + pages)
  }

  /// Sends the settings of the local player to the peer of a session, once per session.
  ///
  /// The function does nothing before the first presence of the peer has arrived. A presence shows that the peer has recognised the
  /// local peer, so that the gates of the peer can admit the settings. The function also does nothing while the local peer has no
  /// channel. Without a channel, the local peer plays on channel 16, which another peer may own.
  private func sendMissingSettings(on session: SessionID) {
    guard ensemble.channel != nil, let slot = roster.slot(of: session),
      ensemble.roster[slot].membership?.presence != nil, !ensemble.roster[slot].session!.hasSettings
    else { return }
    ensemble.roster[slot].session!.hasSettings = true
    sendSettings(on: session)
  }

  /// Sends the settings of the player to the peer of a session.
  func sendSettings(on session: SessionID) {
    guard let slot = roster.slot(of: session), let stream = ensemble.roster[slot].session?.stream else { return }
    // A standard device gets the messages on their input channels, the channels on which the player's programs sent them.
    let settings = ensemble.roster[slot].identity == nil ? self.settings.asPlayed : self.settings.sounding
    for message in settings.messages + programsOfPages {
      emit(.stream(.message(StreamMessage(message, at: nil, to: .stream(stream)))))
    }
  }

  /// The programs of the pages and devices on their channels.
  private var programsOfPages: [Message] {
    ensemble.localPlayers.compactMap { player in
      guard player.kind != .local, let channel = player.channel, case .program(let program) = player.instrument else {
        return nil
      }
      return .programChange(channel, program: program)
    }
  }

  /// Plays the programs of the pages and devices whose channel or instrument has changed, and resets the channels that they have left.
  func updatePrograms() {
    guard ensemble.players.changes != programChanges else { return }
    programChanges = ensemble.players.changes
    let messages = programsOfPages
    let programs = Set(messages)
    let channels = Set(programs.compactMap(\.channel))
    for channel in Set(playedPrograms.compactMap(\.channel)).subtracting(channels).sorted(by: { $0.wire < $1.wire }) {
      sound(.programChange(channel, program: defaultProgram(channel)), from: nil)
    }
    for message in messages where !playedPrograms.contains(message) { emit(.receiving(.play(message))) }
    playedPrograms = programs
  }

  /// Moves the settings of the player to `channel`, the new channel of the local peer. Remote peers release the former
  /// channel when they receive the presence of the local peer.
  func moveSettings(to channel: Channel?) {
    // At the end, the settings are sent on the sessions that did not get them while the local peer had no channel.
    defer { for session in roster.sessions { sendMissingSettings(on: session.id) } }
    let former = settings.channel
    var sounding = settings.sounding
    settings.channel = channel ?? Self.lastChannel
    let moved = sounding.messages(on: former)
    guard !moved.isEmpty else { return }
    // At the local peer, the former channel returns to its defaults, or to the settings that other players have made on it.
    for message in sounding.release(former, defaultProgram: defaultProgram(former)) { sound(message, from: nil) }
    restoreSettings(on: former, except: nil)
    guard let channel else { return }
    for message in moved.map({ $0.on(channel) }) {
      emit(.stream(.message(StreamMessage(message, at: nil, to: .tuttiPeers))))
      sound(message, from: nil)
    }
  }

  /// Resets all channels on which the peer of a session has made settings to their defaults, except those in `kept`.
  func releaseChannels(of session: SessionID, except kept: [Channel] = []) {
    guard let slot = roster.slot(of: session) else { return }
    let channels = ensemble.roster[slot].session!.settings.channels.subtracting(kept)
    for channel in channels.sorted(by: { $0.wire < $1.wire }) {
      let resets = ensemble.roster[slot].session!.settings.release(channel, defaultProgram: defaultProgram(channel))
      for message in resets { sound(message, from: session) }
      restoreSettings(on: channel, except: session)
    }
  }

  /// Restores the settings that other players have made on a channel that was reset.
  ///
  /// - Parameter session: the session whose settings are not restored; nil if the settings of all sessions are restored.
  private func restoreSettings(on channel: Channel, except session: SessionID?) {
    for other in roster.sessions where other.id != session {
      let messages = other.settings.messages(on: channel)
      guard !messages.isEmpty, let slot = roster.slot(of: other.id), isOpen(.modification, to: slot) else { continue }
      for message in messages { sound(message, from: other.id) }
    }
    for message in settings.sounding.messages(on: channel) { sound(message, from: nil) }
  }
}

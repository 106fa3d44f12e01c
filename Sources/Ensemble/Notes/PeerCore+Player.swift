public import MIDI
import MusicalTime
import PeerProtocol
public import RTPMIDI
import Receiving
import Sending

// The messages of the local player.
extension PeerCore {
  /// Plays `message`, a message of the local player.
  ///
  /// The input channel is the channel of `message`. These rules determine who gets the message, and on which channel:
  ///
  /// - The message goes to ``recipient``. If ``recipient`` is nil, the message goes to all peers and also sounds at the local peer.
  /// - If another peer owns the input channel, the message goes to this owner only. A controller on such a channel that changes the
  ///   sound of the owner's instrument (``MIDI/Message/shapesInstrument``) is sent on the owner's channel.
  /// - A message on channel 10, the drums, is sent on channel 10.
  /// - All other messages are sent on the channel of the local peer, or on channel 16 if the local peer has none. The other Tutti
  ///   peers recognise the player by this channel. Standard devices get each message on its input channel.
  /// - Expression on channel 1 sets the activity of the player.
  /// - A message without a channel is ignored.
  ///
  /// The receiver applies these rules (``PlayerRoute``). The messages of ALSA programs go to the receiver directly, without this
  /// function.
  public func play(_ message: Message) {
    updateRoutes()
    emit(.receiving(.play(message)))
  }

  /// Plays `message`, a message of a page or a device of the local peer, on its channel, or on the shared channel 16.
  public func play(_ message: Message, of player: Identity, at now: Instant) {
    updateRoutes()
    record(message, by: player, from: .player, at: now)
    emit(.receiving(.playForPage(message)))
  }

  /// Sends a message to the peer of one session.
  public func send(_ message: Message, to session: SessionID) {
    guard let stream = roster.stream(of: session) else { return }
    emit(.stream(.message(StreamMessage(message, at: nil, to: .stream(stream)))))
  }

  /// Handles the report of the receiver that it has played a message of the player, of the player's instrument or of a phrase.
  ///
  /// The notes of an instrument or of a phrase do not count as activity. If they did, an instrument whose density follows the activity
  /// would increase its own density.
  ///
  /// - Parameters:
  ///   - channel: the channel on which the message sounds at the local peer; nil if it does not sound there.
  ///   - origin: whether the message comes from the player, from the player's instrument or from a phrase.
  func played(_ message: Message, soundedOn channel: Channel?, from origin: MessageOrigin, at now: Instant) {
    if message.setsActivity, case .controlChange(_, _, let value) = message {
      return ensemble.setActivity(value.value, at: now)
    }
    // The energies of pages and devices come from their own reports, and their phrases are recorded when they play (``play(_:of:at:)``).
    if case .page = origin {
      if let channel { emit(.sounded(message.on(channel), from: nil)) }
      return
    }
    if case .player = origin, message.startsNote { ensemble.played(at: now) }
    record(message, by: identity, from: origin, at: now)
    guard let channel else { return }
    settings.asPlayed.record(message)
    emit(.sounded(message.on(channel), from: nil))
    // A note is not a setting.
    guard message.key == nil else { return }
    // The channel on which the message sounded and the present channel differ if the receiver played the message on the former channel
    // after the settings had been moved to the present channel. The setting is then repeated on the present channel.
    let present = settings.soundingChannel(of: message)
    guard present != channel else { return }
    emit(.stream(.message(StreamMessage(message.on(present), at: nil, to: .tuttiPeers))))
    sound(message.on(present), from: nil)
  }

  /// Passes the route of the player's messages to the receiver, for each input channel whose route has changed.
  func updateRoutes() {
    guard isRoutingOutdated || ensemble.channelChanges != routedChannelChanges else { return }
    (isRoutingOutdated, routedChannelChanges) = (false, ensemble.channelChanges)
    if ensemble.channel != receivingChannel {
      receivingChannel = ensemble.channel
      emit(.receiving(.localChannel(receivingChannel)))
    }
    let (owners, local) = (ensemble.channelOwners, ensemble.channel ?? Self.lastChannel)
    for number in owners.indices {
      let channel = Channel(wire: UInt8(number))
      let isDrums = channel == Self.drumChannel
      // The messages of a page or a device of the local peer stay on its channel.
      let isOfPage = ensemble.players.player(on: channel) != nil
      let owner = isDrums || isOfPage || channel == local ? nil : owners[number]
      let route = PlayerRoute(
        receiver(of: owner ?? recipient), on: isDrums || isOfPage ? channel : local,
        shaping: owner == nil ? nil : channel)
      guard routes[number] != route else { continue }
      routes[number] = route
      emit(.receiving(.route(channel, route)))
    }
  }

  /// Tells the receiver whether the local player is muted, if this has changed.
  func updateMuting() {
    guard ensemble.isMuted != isMuted else { return }
    isMuted.toggle()
    emit(.receiving(.mute(isMuted)))
    emit(.event(.muted(isMuted)))
  }

  /// Returns the receiver for the peer with this identity, or for all peers if `identity` is nil. Returns `.none` if the peer is not in
  /// session.
  private func receiver(of identity: Identity?) -> PlayerRoute.Receiver {
    guard let identity else { return .all }
    return roster.stream(of: identity).map { .stream($0) } ?? .none
  }
}

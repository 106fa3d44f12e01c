public import MIDI
import MusicalTime
import PeerProtocol
import Receiving
import Sending

// The messages of the local player.
extension PeerCore {
  /// The player has played `message` on a local instrument.
  ///
  /// The message goes to ``recipient``. If ``recipient`` is nil, the message goes to all peers and sounds here as well. A
  /// message on a channel that another peer owns goes to the owner of the channel only, and a controller on such a channel changes
  /// the sound of the instrument of the owner (``MIDI/Message/shapesInstrument``). Channel 10 stays the channel of the
  /// drums. All other messages are sent on the channel of the local peer, by which the others recognise the player, or on
  /// channel 16 if the local peer has none. Expression on channel 1 sets the activity of the player. A standard device gets
  /// each message unchanged. A message without a channel is ignored.
  ///
  /// The receiver applies these rules (``PlayerRoute``). The messages of ALSA programs go to the receiver directly, without this
  /// function.
  public func play(_ message: Message) {
    updateRoutes()
    emit(.receiving(.play(message)))
  }

  /// The receiver has played a message of the player or of the player's instrument. If it sounds here, `channel` is the channel of
  /// the sound. The notes of an instrument do not count as activity: an instrument whose density follows the activity would
  /// otherwise increase its own density.
  func played(_ message: Message, soundedOn channel: Channel?, from origin: MessageOrigin, at now: Instant) {
    if message.setsActivity, case .controlChange(_, _, let value) = message {
      return ensemble.setActivity(value.value, at: now)
    }
    if case .player = origin, message.startsNote { ensemble.played(at: now) }
    record(message, from: origin, at: now)
    guard let channel else { return }
    settings.asPlayed.note(message)
    emit(.sounded(message.on(channel), from: nil))
    guard message.key == nil else { return }
    // The message was played before the local peer got its present channel, and after its settings were moved there.
    let present = settings.soundingChannel(of: message)
    guard present != channel else { return }
    emit(.stream(.message(StreamMessage(message.on(present), at: nil, to: .tuttiPeers))))
    sound(message.on(present), from: nil)
  }

  /// Tells the receiver where the messages of the player go, for each input channel for which this has changed.
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
      let owner = isDrums || channel == local ? nil : owners[number]
      let route = PlayerRoute(
        receiver(of: owner ?? recipient), on: isDrums ? channel : local, shaping: owner == nil ? nil : channel)
      guard routes[number] != route else { continue }
      routes[number] = route
      emit(.receiving(.route(channel, route)))
    }
  }

  /// Tells the receiver whether the notes of the player sound, if this has changed.
  func updateMuting() {
    guard ensemble.isMuted != isMuted else { return }
    isMuted.toggle()
    emit(.receiving(.mute(isMuted)))
    emit(.event(.muted(isMuted)))
  }

  /// The peer with this identity, or all peers (nil).
  private func receiver(of identity: Identity?) -> PlayerRoute.Receiver {
    guard let identity else { return .all }
    return roster.stream(of: identity).map { .stream($0) } ?? .none
  }
}

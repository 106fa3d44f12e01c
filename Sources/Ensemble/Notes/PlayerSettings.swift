import MIDI

/// The settings that the local player has made for all peers.
struct PlayerSettings: Sendable {
  /// On the channels of the instrument. Standard devices get messages on these channels.
  var asPlayed = ChannelSettings()
  /// The channel on which they sound: that of the local peer, or channel 16 if it has none. Those of the drums stay on
  /// channel 10.
  var channel = PeerCore.lastChannel

  /// On the channels on which they sound.
  var sounding: ChannelSettings {
    var settings = ChannelSettings()
    for message in asPlayed.messages {
      settings.note(message.on(message.channel == PeerCore.drumChannel ? PeerCore.drumChannel : channel))
    }
    return settings
  }
}

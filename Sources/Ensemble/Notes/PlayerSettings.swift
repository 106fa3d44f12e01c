import MIDI

/// The settings of MIDI channels (``ChannelSettings``) that the local player has made at all peers.
struct PlayerSettings: Sendable {
  /// The settings by input channel, the channel on which a program sent them. Standard devices get the settings on these channels.
  var asPlayed = ChannelSettings()
  /// The channel on which the settings sound: the channel of the local peer, or channel 16 if it has none. The settings of the
  /// drums are an exception: they stay on channel 10.
  var channel = PeerCore.lastChannel

  /// The channel on which a message of the player sounds.
  func soundingChannel(of message: Message) -> Channel {
    message.channel == PeerCore.drumChannel ? PeerCore.drumChannel : channel
  }

  /// The settings by the channel on which they sound.
  var sounding: ChannelSettings {
    var settings = ChannelSettings()
    for message in asPlayed.messages {
      settings.record(message.on(soundingChannel(of: message)))
    }
    return settings
  }
}

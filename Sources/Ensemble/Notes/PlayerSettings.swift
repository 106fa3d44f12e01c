import MIDI

/// The settings that the local player has made for all peers.
struct PlayerSettings: Sendable {
  /// The settings by input channel, the channel on which a program sent them. Standard devices get messages on these channels.
  var asPlayed = ChannelSettings()
  /// The channel on which the settings sound: that of the local peer, or channel 16 if it has none. Those of the drums stay on
  /// channel 10.
  var channel = PeerCore.lastChannel

  /// The channel on which a message of the player sounds.
  func soundingChannel(of message: Message) -> Channel {
    message.channel == PeerCore.drumChannel ? PeerCore.drumChannel : channel
  }

  /// The settings by the channel on which they sound.
  var sounding: ChannelSettings {
    var settings = ChannelSettings()
    for message in asPlayed.messages {
      settings.note(message.on(soundingChannel(of: message)))
    }
    return settings
  }
}

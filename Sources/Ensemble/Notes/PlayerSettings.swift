import MIDI
import MusicalTime
import RTPMIDI

/// The settings that the local player has made for all peers.
struct PlayerSettings: Sendable {
  /// The settings by input channel, the channel on which a program sent them. Standard devices get messages on these channels.
  var asPlayed = ChannelSettings()
  /// The channel on which the settings sound: that of the local peer, or channel 16 if it has none. Those of the drums stay on
  /// channel 10.
  var channel = PeerCore.lastChannel

  /// The sessions whose peers got the settings, and when; those of the last ``delay``.
  private var receivers: [(session: SessionID, sent: Instant)] = []
  /// The longest time from the instant at which a message was played until the control thread records it.
  private static var delay: Nanoseconds { .milliseconds(500) }

  /// Records that the peer of a session gets the settings.
  mutating func sent(to session: SessionID, at now: Instant) {
    receivers.removeAll { $0.sent + Self.delay < now }
    receivers.append((session, now))
  }

  /// The sessions whose peers got the settings within the last ``delay``.
  func recentReceivers(at now: Instant) -> [SessionID] {
    receivers.filter { $0.sent + Self.delay >= now }.map(\.session)
  }

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

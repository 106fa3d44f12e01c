public import MIDI
public import Sending

/// The route of the messages of the local player on one input channel: the receivers of the messages, and the channel on
/// which the receivers get them. The input channel is the channel on which a MIDI program at the ALSA port sends.
public struct PlayerRoute: Equatable, Sendable, BitwiseCopyable {
  /// The peers that get the messages.
  public enum Receiver: Equatable, Sendable, BitwiseCopyable {
    /// All peers, including the local one.
    case all
    /// The peer of one stream.
    case stream(StreamID)
    /// A peer that is not in session: no one gets the messages.
    case none
  }

  /// The peers that get the messages.
  public let receiver: Receiver
  /// The channel on which the messages are sent, with two exceptions. If ``receiver`` is ``Receiver/all``, standard
  /// devices get each message on its input channel, because only Tutti peers recognise a player by the channel. Controllers
  /// that change the instrument of another player are sent on ``shapedChannel``.
  public let channel: Channel
  /// The channel of another player, if the controllers on this route change the instrument of that player. Nil if the
  /// controllers change the sound of the local player.
  public let shapedChannel: Channel?

  /// Creates a route.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ receiver: Receiver, on channel: Channel, shaping shapedChannel: Channel? = nil) {
    (self.receiver, self.channel, self.shapedChannel) = (receiver, channel, shapedChannel)
  }

  /// The route of an input channel while no other peer is known. All peers get the messages of the input channel. The messages of
  /// channel 10, the channel of the drums, stay on this channel. All other messages are sent on channel 16, on which a peer
  /// without a channel of its own plays.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func standard(for channel: Channel) -> PlayerRoute {
    PlayerRoute(.all, on: channel.wire == 9 ? channel : Channel(wire: 15))
  }

  /// Compares the routes. Real-time code needs this function, because the `==` that the compiler generates has no real-time
  /// annotation.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func == (a: PlayerRoute, b: PlayerRoute) -> Bool {
    guard a.channel.wire == b.channel.wire, a.shapedChannel?.wire == b.shapedChannel?.wire else { return false }
    switch (a.receiver, b.receiver) {
    case (.all, .all), (.none, .none): return true
    case (.stream(let a), .stream(let b)): return a == b
    default: return false
    }
  }
}

import BasicContainers
public import MIDI
public import Sending

/// The notes of the local player that still sound, in the order in which they were played, each with its route
/// (``PlayerRoute``). The Note Off of a note takes the route of its Note On, even if the player plays to other peers
/// meanwhile.
struct PlayedNotes: ~Copyable {
  /// A note that sounds. The channel is its input channel.
  private struct Note: BitwiseCopyable {
    let channel: Channel
    let key: UInt7
    var route: PlayerRoute
  }

  /// At most one note for each of the 128 keys of the 16 channels.
  private var notes = RigidArray<Note>(capacity: 16 * 128)

  /// Records a Note On.
  ///
  /// - Returns: the route of an earlier Note On of the same key, if it is not `route`. The caller must end the note on
  ///   the earlier route, because the next Note Off takes the new route.
  @_noLocks @_noAllocation
  mutating func begin(_ channel: Channel, _ key: UInt7, _ route: PlayerRoute) -> PlayerRoute? {
    guard let index = index(of: key, on: channel) else {
      notes.append(Note(channel: channel, key: key, route: route))
      return nil
    }
    let earlier = notes[index].route
    notes[index].route = route
    return earlier == route ? nil : earlier
  }

  /// Records a Note Off.
  ///
  /// - Returns: the route of the Note On; nil if there was none.
  @_noLocks @_noAllocation
  mutating func end(_ channel: Channel, _ key: UInt7) -> PlayerRoute? {
    guard let index = index(of: key, on: channel) else { return nil }
    return notes.remove(at: index).route
  }

  /// Removes the first note on `channel`, or the first one on any channel (nil).
  ///
  /// - Returns: the Note Off and the route of the note; nil if there is no note.
  @_noLocks @_noAllocation
  mutating func endNext(on channel: Channel?) -> (message: Message, route: PlayerRoute)? {
    for index in 0..<notes.count {
      if channel == nil || channel?.wire == notes[index].channel.wire {
        let note = notes.remove(at: index)
        return (.noteOff(note.channel, key: note.key, velocity: UInt7(masking: 64)), note.route)
      }
    }
    return nil
  }

  /// Whether a note of another input channel has this route.
  @_noLocks @_noAllocation
  func sounds(on route: PlayerRoute, otherThan channel: Channel) -> Bool {
    for index in 0..<notes.count {
      if notes[index].channel.wire != channel.wire, notes[index].route == route { return true }
    }
    return false
  }

  @_noLocks @_noAllocation
  private func index(of key: UInt7, on channel: Channel) -> Int? {
    for index in 0..<notes.count {
      if notes[index].key.value == key.value, notes[index].channel.wire == channel.wire { return index }
    }
    return nil
  }
}

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

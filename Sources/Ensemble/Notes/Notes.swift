import MIDI
import PeerProtocol
import Receiving

/// The notes of the local player that still sound.
///
/// The receiver knows the notes that a remote peer holds, and its budget. Notes have no deadline: they end by a message, or with
/// their session.
public struct Notes: Sendable {
  /// A key of the player's instrument.
  struct Key: Hashable, Sendable {
    /// The channel of the instrument.
    let channel: Channel
    /// The number of the key.
    let key: UInt7
  }

  /// The receiver of a note, which must also get the end of the note.
  struct Destination: Equatable, Sendable {
    /// Nil: all peers.
    let identity: Identity?
    /// The channel on which the note was sent.
    let channel: Channel
  }

  /// The largest number of keys that the player can hold: 128 on each of sixteen channels.
  private static let maximumKeys = 2048

  /// The destinations of the player's notes that still sound.
  private var played: [Key: Destination] = [:]
  /// The keys and pedals that the player holds for all peers, on the channels of the instrument. Standard devices get messages
  /// on these channels.
  var asPlayed = HeldNotes()
  /// The settings that the player has made for all peers, on the channels of the instrument.
  var settings = ChannelSettings()
  /// The channel on which the settings of the player sound: that of the local peer, or channel 16 if it has none.
  var channel = Channel(wire: 15)

  /// Records a Note On to `destination`.
  ///
  /// - Returns: whether the note can be sent, and the earlier destination of the same key if it has to be ended first,
  ///   because the new destination is another one.
  mutating func begin(_ key: Key, to destination: Destination) -> (isAdmitted: Bool, ended: Destination?) {
    let earlier = played[key]
    guard earlier != nil || played.count < Self.maximumKeys else { return (false, nil) }
    played[key] = destination
    return (true, earlier == destination ? nil : earlier)
  }

  /// Records a Note Off.
  ///
  /// - Returns: the destination of the Note On; nil if there was none.
  mutating func end(_ key: Key) -> Destination? { played.removeValue(forKey: key) }

  /// Records a message that ends all notes on a channel of the instrument.
  ///
  /// - Returns: the notes that still sounded on the channel, by key.
  mutating func endAll(on channel: Channel) -> [(key: Key, destination: Destination)] {
    let ended = played.filter { $0.key.channel == channel }
    for key in ended.keys { played[key] = nil }
    return ended.sorted { $0.key.key.value < $1.key.key.value }.map { ($0.key, $0.value) }
  }

  /// Whether a note of the player still sounds at `destination`.
  func sound(at destination: Destination) -> Bool { played.values.contains(destination) }

  /// Clears the player's notes.
  ///
  /// - Returns: the notes that still sounded, by channel and key.
  mutating func endAll() -> [(key: Key, destination: Destination)] {
    let all = played.sorted { ($0.key.channel.wire, $0.key.key.value) < ($1.key.channel.wire, $1.key.key.value) }
    played.removeAll()
    return all.map { ($0.key, $0.value) }
  }
}

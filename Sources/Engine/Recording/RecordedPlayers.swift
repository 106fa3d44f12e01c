import Ensemble
import MIDI
import PeerProtocol
import RTPMIDI

/// The players of a MIDI recording: assigns each session, which is the local player of a peer, and each page or device to a track.
///
/// A remote peer that returns in another session keeps its track. A Tutti peer is recognised by its identity, and a standard device by
/// its name and address. Players that join and leave all day can be any number, so the number of tracks is limited, and the memory with it. When all tracks are
/// used, a page or a device shares the track of its peer.
struct RecordedPlayers {
  /// The index of the local player.
  static let local = 0
  /// The maximum number of players. All further players share the last track.
  static let maximum = 64

  /// By index. The element of the local player, and that of the last track, contains only a name.
  private var players: [Player]
  /// The names of the tracks, by index.
  var names: [String] { players.map(\.name) }

  /// What a remote player is recognised by.
  private struct Player {
    var name: String
    var identity: Identity?
    var device: Device?
    /// The newest session of the player, and the one before. The ends of notes can follow when a session has ended and its peer has
    /// returned in another one.
    var sessions: (SessionID?, SessionID?)
  }

  /// The name and the address by which a standard device is recognised.
  private struct Device: Equatable {
    let name: String?
    let address: SocketAddress?
  }

  /// - Parameter name: the name of the local player.
  init(local name: String) { players = [Player(name: name)] }

  /// Changes the name of the local player. Returns whether the name has changed.
  mutating func renameLocal(_ name: String) -> Bool {
    guard players[Self.local].name != name else { return false }
    players[Self.local].name = name
    return true
  }

  /// Returns the index of the player of `session`, and its name if it is new or has changed.
  ///
  /// - Parameter reference: what is known about the peer of the session; nil if the session has ended.
  mutating func player(of session: SessionID, _ reference: PeerReference?) -> (index: Int, newName: String?) {
    let name = reference?.name ?? reference?.address?.description
    let device = reference.map { Device(name: $0.name, address: $0.address) }
    guard let index = index(of: session, reference, device) else {
      let isLast = players.count >= Self.maximum - 1
      guard players.count < Self.maximum else { return (Self.maximum - 1, nil) }
      players.append(Player(name: isLast ? "others" : name ?? "player \(players.count + 1)"))
      if !isLast { note(session, reference, device, at: players.count - 1) }
      return (players.count - 1, players.last?.name)
    }
    note(session, reference, device, at: index)
    guard let name, name != players[index].name else { return (index, nil) }
    players[index].name = name
    return (index, name)
  }

  /// Returns the index of a page or a device, and its name if it is new or has changed.
  ///
  /// - Parameter peer: the index of the local player of its peer.
  mutating func player(_ identity: Identity, named name: String, of peer: Int) -> (index: Int, newName: String?) {
    guard let index = players.firstIndex(where: { $0.identity == identity }) else {
      guard players.count < Self.maximum - 1 else { return (peer, nil) }
      players.append(Player(name: name, identity: identity))
      return (players.count - 1, name)
    }
    guard name != players[index].name else { return (index, nil) }
    players[index].name = name
    return (index, name)
  }

  /// The index of the player of `session`; nil if the player is new or has no track of its own.
  private func index(of session: SessionID, _ reference: PeerReference?, _ device: Device?) -> Int? {
    // The identity can become known after the first messages, so an identity without a track does not mean a new player.
    if let identity = reference?.identity, let known = players.firstIndex(where: { $0.identity == identity }) {
      return known
    }
    if let known = players.firstIndex(where: { $0.sessions.0 == session || $0.sessions.1 == session }) { return known }
    guard let device, reference?.identity == nil else { return nil }
    return players.firstIndex { $0.identity == nil && $0.device == device }
  }

  /// The index of the player with this identity; nil if it has no track.
  func index(of identity: Identity) -> Int? { players.firstIndex { $0.identity == identity } }

  /// Notes what is known about a player.
  private mutating func note(_ session: SessionID, _ reference: PeerReference?, _ device: Device?, at index: Int) {
    if players[index].sessions.0 != session { players[index].sessions = (session, players[index].sessions.0) }
    if let identity = reference?.identity { players[index].identity = players[index].identity ?? identity }
    if let device { players[index].device = device }
  }
}

/// The track of one player in a MIDI recording: the messages of the player, on their channels, also those that did not sound at the
/// local peer. Positions are ticks of the file (``RecordedTimeline``).
///
/// Each note has one beginning and one end, as programs for MIDI files expect it. A note that begins again ends first, as its sound does.
/// An end without a beginning is left out: its beginning was refused while the player was silenced, or it was lost.
struct RecordedPlayer {
  typealias Event = StandardMIDIFile.Event

  /// The name of the track.
  var name: String
  private var played: [Event] = []
  /// The notes that sound, as zero-based channel * 128 + key.
  private var held: Set<Int> = []

  init(name: String) { self.name = name }

  /// The number of messages.
  var eventCount: Int { played.count }

  /// Appends a message. Its position is not before that of the previous message.
  mutating func append(_ message: Message, at position: Int64) {
    if let channel = message.channel {
      let first = Int(channel.wire) * 128
      if message.endsAllNotes { end(held.filter { (first..<first + 128).contains($0) }, at: position) }
      if let key = message.key {
        let note = first + Int(key.value)
        if message.silencesNote {
          guard held.remove(note) != nil else { return }
        } else {
          end(held.intersection([note]), at: position)
          held.insert(note)
        }
      }
    }
    played.append(Event(tick: position, .message(message)))
  }

  /// Appends a System Exclusive, without F0 and F7. Its position is not before that of the previous message.
  mutating func append(exclusive octets: [UInt8], at position: Int64) {
    played.append(Event(tick: position, .systemExclusive(octets + [0xF7])))
  }

  /// Ends notes that sound.
  private mutating func end(_ notes: Set<Int>, at position: Int64) {
    played += Self.ends(of: notes, at: position)
    held.subtract(notes)
  }

  private static func ends(of notes: Set<Int>, at position: Int64) -> [Event] {
    notes.sorted().map { note in
      let channel = Channel(wire: UInt8(note / 128))
      return Event(tick: position, .message(.noteOff(channel, key: UInt7(masking: UInt8(note % 128)), velocity: 64)))
    }
  }

  /// The events in the order of time. Notes that still sound end at `end`, which is not before the last message.
  func events(until end: Int64) -> [Event] { played + Self.ends(of: held, at: end) }
}

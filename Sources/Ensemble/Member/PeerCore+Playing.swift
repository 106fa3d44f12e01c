public import MIDI
public import MusicalTime
import PeerProtocol
import RTPMIDI

// Notes and controllers, from one player to another.
extension PeerCore {
  /// A key of the player's instrument, as it came from there.
  struct Struck: Hashable {
    let channel: Channel
    let key: UInt7
  }

  /// Where a note has gone, so that its end goes there too.
  struct Destination {
    /// Nil: to all.
    let identity: Identity?
    /// The channel it went on.
    let channel: Channel
  }

  /// So many keys of the player's are held at most: 128 of sixteen channels.
  private static var mostStruck: Int { 2048 }

  /// The player has played `message` on an instrument here. It goes to ``addressee``, or to all and sounds here too. A
  /// channel that another peer has claimed means that peer alone; channel 10 stays the drums'; everything else goes out on
  /// the own channel, by which the others know who plays, or on the last where this peer has none. Expression on
  /// channel 1 is the player's activity. Who is no Tutti peer gets all as it came.
  public func play(_ message: Message, at now: Instant) {
    guard let channel = message.channel else { return }
    if channel == Self.activityChannel, case .controlChange(_, 11, let value) = message {
      return ensemble.setActivity(value.value, at: now)
    }
    var destination = destination(of: channel)
    if let key = message.key {
      let struck = Struck(channel: channel, key: key)
      if message.silencesNote {
        destination = self.struck.removeValue(forKey: struck) ?? destination
      } else {
        ensemble.played(at: now)
        if let earlier = self.struck[struck] {
          // Struck again: whoever hears it now may not be the one who has heard it before.
          if earlier.identity != destination.identity || earlier.channel != destination.channel {
            deliver(.noteOff(channel, key: struck.key, velocity: 64), to: earlier)
          }
        } else if self.struck.count >= Self.mostStruck {
          return
        }
        self.struck[struck] = destination
      }
    }
    deliver(message, to: destination)
  }

  /// Ends all notes of the player that still sound.
  func endStruckNotes() {
    let all = struck.sorted { ($0.key.channel.wire, $0.key.key.value) < ($1.key.channel.wire, $1.key.key.value) }
    struck.removeAll()
    for (key, destination) in all { deliver(.noteOff(key.channel, key: key.key, velocity: 64), to: destination) }
  }

  /// Whoever turns out to be a Tutti peer may hold what it was told before as others are, and hears all else on the own
  /// channel, the end of that too.
  func endNotesAsPlayed(on session: SessionID) {
    var held = heldAsPlayed
    for message in held.release() { emit(.stream(.message(message, at: nil, to: .session(session)))) }
  }

  private func destination(of channel: Channel) -> Destination {
    let own = ensemble.channel ?? Self.lastChannel
    if channel == Self.drumChannel {
      return Destination(identity: addressee, channel: channel)
    }
    let meant = channel == own ? nil : ensemble.owner(of: channel)
    return Destination(identity: meant ?? addressee, channel: own)
  }

  private func deliver(_ message: Message, to destination: Destination) {
    let own = message.on(destination.channel)
    if let identity = destination.identity {
      if let session = sessions[identity] { emit(.stream(.message(own, at: nil, to: .session(session)))) }
      return
    }
    emit(.stream(.message(own, at: nil, to: .tutti)))
    emit(.stream(.message(message, at: nil, to: .foreign)))
    heldAsPlayed.note(message)
    emit(.sound(own, from: nil))
  }

  /// What another plays sounds here, where its gate is open. What ends a note that sounds always passes.
  func sound(_ message: Message, on session: SessionID, at now: Instant) {
    guard let partner = partners[session] else { return }
    if partner.isUnknown, case .controlChange(Self.activityChannel, let controller, _) = message,
      controller == Ensemble.ownLevel || controller == Ensemble.totalLevel
    {
      withheld[session, default: [:]][controller] = message
      return
    }
    if held[session]?.ends(with: message) != true {
      let gate: Gate = message.key == nil ? .modification : .notes
      // Of whom nothing is known yet may be the one that the gate is closed to.
      let isOpen =
        partner.isUnknown
        ? ensemble.gates.isOpenToAll(gate) : ensemble.admits(gate, from: partner.identity, named: partner.info.name)
      guard isOpen, inbound.admit(at: now) else { return }
    }
    held[session, default: HeldNotes()].note(message)
    emit(.sound(message, from: session))
  }

  /// Ends the notes that the peer of a session holds here.
  func releaseNotes(of session: SessionID) {
    guard var notes = held.removeValue(forKey: session) else { return }
    for message in notes.release() { emit(.sound(message, from: session)) }
  }

  static var activityChannel: Channel { Channel(wire: 0) }
  static var drumChannel: Channel { Channel(wire: 9) }
  static var lastChannel: Channel { Channel(wire: 15) }
}

extension Message {
  /// A note, a controller or its like: what belongs to a channel.
  public var isOfChannel: Bool { status < 0xF0 }

  /// Nil for what belongs to none.
  public var channel: Channel? { isOfChannel ? Channel(wire: status) : nil }

  /// The same on another channel, if one is given.
  public func on(_ channel: Channel?) -> Message {
    guard isOfChannel, let channel else { return self }
    let octets = bytes.octets
    let status = octets[0] & 0xF0 | channel.wire
    return Message(status: status, UInt7(masking: octets[1]), UInt7(masking: octets[2])) ?? self
  }

  /// The key of a Note On or Off.
  fileprivate var key: UInt7? {
    switch self {
    case .noteOn(_, let key, _), .noteOff(_, let key, _): key
    default: nil
    }
  }
}

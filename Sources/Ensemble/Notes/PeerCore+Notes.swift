public import MIDI
public import MusicalTime
import PeerProtocol
import RTPMIDI
import Receiving
import Sending

// Notes and controllers between players.
extension PeerCore {
  /// The player has played `message` on a local instrument.
  ///
  /// The message goes to ``recipient``. If ``recipient`` is nil, the message goes to all peers and sounds here as well. A
  /// message on a channel that another peer owns goes to the owner of the channel only. Channel 10 stays the channel of the
  /// drums. All other messages are sent on the channel of the local peer, by which the others recognise the player, or on
  /// channel 16 if the local peer has none. Expression on channel 1 sets the activity of the player. A standard device gets
  /// each message unchanged. A message without a channel is ignored.
  public func play(_ message: Message, at now: Instant) {
    guard let channel = message.channel else { return }
    if channel == Self.activityChannel, case .controlChange(_, 11, let value) = message {
      return ensemble.setActivity(value.value, at: now)
    }
    var destination = destination(of: channel)
    if let number = message.key {
      let key = Notes.Key(channel: channel, key: number)
      if message.silencesNote {
        destination = notes.end(key) ?? destination
      } else {
        ensemble.played(at: now)
        let (isAdmitted, ended) = notes.begin(key, to: destination)
        // Too many keys are held: the note is dropped.
        guard isAdmitted else { return }
        // The earlier receiver of the same key will not get the Note Off of the new note, so its note ends now.
        if let ended { deliver(.noteOff(channel, key: number, velocity: 64), to: ended) }
      }
    }
    if message.endsAllNotes, !endPlayedNotes(on: channel, leaving: destination) { return }
    deliver(message, to: destination)
  }

  /// The player ends all notes on a channel of the instrument. Ends those that the message itself would not end, because
  /// they sound at another destination than the present one.
  ///
  /// Several channels of the instrument can share the channel of the local peer. If notes of another one sound at
  /// `destination`, the message would end them too. In this case, all notes end by Note Off.
  ///
  /// - Returns: whether the message is sent to `destination`.
  private func endPlayedNotes(on channel: Channel, leaving destination: Notes.Destination) -> Bool {
    let ended = notes.endAll(on: channel)
    let isShared = notes.sound(at: destination)
    for (key, receiver) in ended where isShared || receiver != destination {
      deliver(.noteOff(channel, key: key.key, velocity: 64), to: receiver)
    }
    return !isShared
  }

  /// Ends all notes of the player that still sound.
  func endPlayedNotes() {
    for (key, destination) in notes.endAll() {
      deliver(.noteOff(key.channel, key: key.key, velocity: 64), to: destination)
    }
  }

  /// Ends the notes that the peer of a session received on the channels of the instrument, before it was recognised as a
  /// Tutti peer. From now on, it gets all messages on the channel of the local peer. The later Note Offs would therefore not
  /// end these notes.
  func endNotesAsPlayed(on session: SessionID) {
    guard let stream = roster.stream(of: session) else { return }
    // A copy: the standard devices still hold these notes, and get their ends unchanged.
    var held = notes.asPlayed
    for message in held.release() { emit(.stream(.message(StreamMessage(message, at: nil, to: .stream(stream))))) }
  }

  /// The peer and the channel to which a message on `channel` of the instrument goes.
  private func destination(of channel: Channel) -> Notes.Destination {
    let local = ensemble.channel ?? Self.lastChannel
    if channel == Self.drumChannel {
      return Notes.Destination(identity: recipient, channel: channel)
    }
    let owner = channel == local ? nil : ensemble.owner(of: channel)
    return Notes.Destination(identity: owner ?? recipient, channel: local)
  }

  /// Sends a message to `destination`; if it is all peers, also sounds it here.
  private func deliver(_ message: Message, to destination: Notes.Destination) {
    let sent = message.on(destination.channel)
    if let identity = destination.identity {
      if let stream = roster.stream(of: identity) {
        emit(.stream(.message(StreamMessage(sent, at: nil, to: .stream(stream)))))
      }
      return
    }
    emit(.stream(.message(StreamMessage(sent, at: nil, to: .tuttiPeers))))
    emit(.stream(.message(StreamMessage(message, at: nil, to: .standardDevices))))
    notes.asPlayed.note(message)
    notes.settings.note(message)
    sound(sent, from: nil)
  }

  /// Sounds a message on behalf of a session, or of the local player (nil), whatever the gates are.
  func sound(_ message: Message, from session: SessionID?) {
    if let session {
      guard let stream = roster.stream(of: session) else { return }
      emit(.receiving(.sound(slot: stream.slot, session, message)))
    } else {
      emit(.receiving(.play(message)))
    }
    emit(.sounded(message, from: session))
  }

  /// The network thread has received a channel message of a session, and has passed it to the sound if `isSounded` is true.
  func received(_ message: Message, on session: SessionID, isSounded: Bool) {
    guard isSounded, let slot = ensemble.roster.slot(of: session) else { return }
    ensemble.roster[slot].session!.settings.note(message)
    emit(.sounded(message, from: session))
  }

  /// Keeps a message that may report activity until the kind of the peer is known: see
  /// ``RemotePeer/Session/withheldVolume``.
  func withhold(_ message: Message, on session: SessionID) {
    guard message.reportsActivity, let slot = ensemble.roster.slot(of: session), ensemble.roster[slot].identity == nil,
      !ensemble.roster[slot].session!.isStandardDevice, case .controlChange(_, let controller, _) = message
    else { return }
    if controller == EnsembleState.totalController {
      ensemble.roster[slot].session!.withheldVolume = message
    } else {
      ensemble.roster[slot].session!.withheldExpression = message
    }
  }

  /// Whether a gate is open to the peer in a slot of the roster, which is in session.
  func isOpen(_ gate: Gate, to slot: Roster.Slot) -> Bool {
    let (identity, session) = (ensemble.roster[slot].identity, ensemble.roster[slot].session!)
    // A peer that is not identified yet may be one for which the gate is closed.
    if identity == nil, !session.isStandardDevice { return ensemble.gates.isOpenToAll(gate) }
    return ensemble.admits(gate, from: identity, named: session.info.name)
  }

  /// What of the peer in a slot of the roster may sound.
  func admission(of slot: Roster.Slot) -> Admission {
    var admission = Admission()
    (admission.notes, admission.modification) = (isOpen(.notes, to: slot), isOpen(.modification, to: slot))
    admission.isStandardDevice = ensemble.roster[slot].session!.isStandardDevice
    return admission
  }

  /// Tells the receiver what may sound, for each session for which this has changed.
  func updateAdmissions() {
    guard isAdmissionOutdated || ensemble.gates != admittedGates else { return }
    (isAdmissionOutdated, admittedGates) = (false, ensemble.gates)
    for session in roster.mapSessions({ $0.session!.id }) {
      guard let slot = ensemble.roster.slot(of: session) else { continue }
      let admission = admission(of: slot)
      guard ensemble.roster[slot].session!.admission != admission else { continue }
      ensemble.roster[slot].session!.admission = admission
      emit(.receiving(.admit(slot: ensemble.roster[slot].session!.stream.slot, session, admission)))
    }
  }

  static var activityChannel: Channel { EnsembleState.activityChannel }
  /// Channel 10.
  static var drumChannel: Channel { Channel(wire: 9) }
  /// Channel 16.
  static var lastChannel: Channel { Channel(wire: 15) }
}

import MIDI
import PeerProtocol
import RTPMIDI
import Receiving

// Notes and controllers of remote players.
extension PeerCore {
  /// Sounds a message on behalf of the peer of a session, or of the local player (nil). Gates are not checked.
  func sound(_ message: Message, from session: SessionID?) {
    if let session {
      guard let stream = roster.stream(of: session) else { return }
      emit(.receiving(.sound(slot: stream.slot, session, message)))
    } else {
      emit(.receiving(.soundForPlayer(message)))
    }
    emit(.sounded(message, from: session))
  }

  /// Handles a channel message that the network thread has received on a session.
  ///
  /// - Parameter isAdmitted: whether the network thread has admitted the message.
  func received(_ message: Message, on session: SessionID, isAdmitted: Bool) {
    // The network thread plays the messages of a device that is a player, and reports them as those of a page.
    guard isAdmitted, !playerSessions.contains(session), let slot = ensemble.roster.slot(of: session) else { return }
    ensemble.roster[slot].session!.settings.record(message)
    emit(.sounded(message, from: session))
  }

  /// Whether a gate is open to the peer in a slot of the roster. The peer must be in session.
  func isOpen(_ gate: Gate, to slot: Roster.Slot) -> Bool {
    // This common case is decided here, because the compiler copies the whole state for the call of `admits` below.
    guard !ensemble.gates.exceptions.isEmpty else { return ensemble.gates.standard[gate] }
    let identity = ensemble.roster[slot].identity
    // A peer that is not recognised yet may turn out to be a peer to which the gate is closed.
    if identity == nil, ensemble.roster[slot].session!.kind != .standardDevice {
      return ensemble.gates.isOpenToAll(gate)
    }
    return ensemble.admits(gate, from: identity, named: ensemble.roster[slot].session!.info.name)
  }

  /// The kinds of messages that are admitted from the peer in a slot of the roster, and how loud its notes sound.
  ///
  /// A peer that is not recognised yet sounds like a standard device, so that all its messages keep their order. A Tutti peer is usually
  /// recognised within some milliseconds. If its activity has set the volume or the expression of channel 1 until then, both are reset
  /// with its other settings (``receivedPresence(on:)``). If
  /// the local player has not chosen to hear this peer (``hearing``), the notes of the peer end when it is recognised.
  ///
  /// - Parameter owners: ``EnsembleState/channelOwners``, needed only for a recognised peer. A caller that handles several peers computes
  ///   the owners once for all, because the computation loops over all peers.
  func admission(of slot: Roster.Slot, channelOwners owners: @autoclosure () -> [Identity?]) -> Admission {
    var admission = Admission()
    (admission.notes, admission.modification) = (isOpen(.notes, to: slot), isOpen(.modification, to: slot))
    admission.isTuttiPeer = ensemble.roster[slot].session!.kind == .tuttiPeer
    // Whether the master has made all players quiet.
    admission.isQuiet = ensemble.isQuiet
    if let identity = ensemble.roster[slot].identity {
      admission.hearing = hearing.hearing(of: identity, named: ensemble.roster.ownedName(of: identity))
      // The notes of the pitch source do not sound. They set the pitches of the local player's instrument.
      admission.pitchChannels = pitchChannels(of: identity, slot)
      // If the peer has the same channel as the local peer, its controllers on this channel belong to its own sound, and do not shape
      // the instrument of the local player.
      let channel = ensemble.roster.channel(slot, owners: owners()) ?? Self.lastChannel
      // Before the first presence of the peer, its channel is not known.
      let isKnown = ensemble.roster[slot].membership?.presence != nil
      admission.shaping = admission.modification && isKnown && channel != ensemble.channel
    }
    return admission
  }

  /// The channels of a peer on which the pitch source plays; none if the source is not at this peer.
  private func pitchChannels(of peer: Identity, _ slot: Roster.Slot) -> UInt16 {
    guard let source = pitchSource, ensemble.peer(of: source) == peer else { return 0 }
    let players = ensemble.roster[slot].membership?.players.present ?? []
    // A peer without pages may still play on the channels on which it played before it recognised the local peer.
    if source == peer, players.count <= 1 { return .max }
    let channel =
      source == peer
      ? ensemble.channel(of: peer) : players.first { $0.player.identity == source }?.player.channel
    return 1 << UInt16((channel ?? Self.lastChannel).wire)
  }

  /// Tells the receiver which pages and devices of the local peer set the pitches of the local player's instrument.
  private func updateLocalPitches() {
    let channel = pitchSource.flatMap { ensemble.localPlayer($0) }.flatMap { $0.kind == .local ? nil : $0.channel }
    let channels = channel.map { UInt16(1) << UInt16($0.wire) } ?? 0
    guard channels != localPitchChannels else { return }
    localPitchChannels = channels
    emit(.receiving(.pitchChannels(channels)))
  }

  /// Passes the admission (``admission(of:channelOwners:)``) of each session to the receiver, if it has changed.
  ///
  /// Usually a peer has only joined, or has reported its state. Then only its own admission can change, and those of the other sessions, which
  /// can be a thousand, are not computed. Exceptions for single peers depend on the names of all peers.
  func updateAdmissions() {
    let changesChannels = ensemble.channelChanges != admittedChannelChanges
    let changesAll = isAdmissionOutdated || ensemble.gates != admittedGates || ensemble.isQuiet != wasQuiet
    guard changesAll || changesChannels || !changedSessions.isEmpty else { return }
    (isAdmissionOutdated, admittedGates, wasQuiet) = (false, ensemble.gates, ensemble.isQuiet)
    admittedChannelChanges = ensemble.channelChanges
    updateLocalPitches()
    let (owners, formerOwners) = (ensemble.channelOwners, admittedOwners)
    admittedOwners = owners
    let changed = changedSessions
    changedSessions = []
    let isUniform = admittedGates.exceptions.isEmpty && hearing.isUniform && pitchSource == nil
    if isUniform, !changesAll, owners == formerOwners, ensemble.channel == receivingChannel {
      for session in changed.sorted(by: { $0.number < $1.number }) {
        if let slot = ensemble.roster.slot(of: session) { updateAdmission(of: session, slot, owners) }
      }
    } else {
      for (session, slot) in ensemble.roster.sessionSlots { updateAdmission(of: session, slot, owners) }
    }
  }

  /// Passes the admission of a session to the receiver, if it has changed.
  private func updateAdmission(of session: SessionID, _ slot: Roster.Slot, _ owners: [Identity?]) {
    let admission = admission(of: slot, channelOwners: owners)
    guard ensemble.roster[slot].session!.admission != admission else { return }
    ensemble.roster[slot].session!.admission = admission
    emit(.receiving(.admit(slot: ensemble.roster[slot].session!.stream.slot, session, admission)))
  }

  static var activityChannel: Channel { EnsembleState.activityChannel }
  /// Channel 10, the drum channel of General MIDI.
  static var drumChannel: Channel { Channel(wire: 9) }
  /// Channel 16, on which a peer without a channel plays. Peers claim the lowest free channel, so channel 16 is claimed last.
  static var lastChannel: Channel { Channel(wire: 15) }
}

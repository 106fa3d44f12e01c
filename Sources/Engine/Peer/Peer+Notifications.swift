import Ensemble
import Logging
import MIDI
import MusicalTime
import PeerProtocol
import Realtime
import Transports

// Reports the events of ``PeerCore``: in log lines for the player, and by calls of the observer (``PeerEvent``). Remote peers can cause
// any number of events. The log lines are for people, so they are limited (``RemoteLog``). The observer gets every event, because programs
// and the web page need the present state; the writer of --json discards lines that nobody reads.
extension Peer {
  /// Reports `event` to the player and to the observer.
  func notify(_ event: Event) {
    let now = MonotonicClock.now
    switch event {
    // A peer with a new address joins before its old session ends, so both messages contain the address.
    case .connected(let peer): write("\(peer.place) joined", .info, .sessions, of: peer.label, at: now)
    // The local peer ends the remaining sessions when it leaves itself.
    case .disconnected where lifecycle.hasEnded: break
    case .disconnected(let peer): write("\(peer.place) left", .info, .sessions, of: peer.label, at: now)
    case .joined(let peer): joined(peer, at: now)
    case .players: observer.report(event, at: now)
    case .left(let peer): observer.report(event, about: peer, at: now)
    case .fileFailed(_, let reason):
      log.warning("\(reason)")
      observer.report(event, at: now)
    case .reachedThrough(let peer, let relay):
      let (name, other) = (core.name(of: peer), core.name(of: relay))
      let line = "You reach \(name) only through \(other). If \(other) leaves, you and \(name) part."
      write(line, .notice, .sessions, of: name, at: now)
      observer.report(event, about: core.reference(to: peer), at: now)
    case .invitationRefused(let name, let address, let isRetried):
      let retry = isRetried ? " (trying again)" : ""
      let remedy =
        "if it is a Tutti peer, check its --policy and --sessions-per-host; if it is another "
        + "device, permit this machine in its settings"
      let line = "\(name ?? "\(address)"): refused the invitation\(retry); \(remedy)"
      write(line, .warning, .invitations, of: address.hostDescription, at: now)
    case .passkeyDiffers(let address, let hasPasskey):
      let remedy =
        hasPasskey
        ? remedyForPasskey
        : "if it is a Tutti peer, start it with the passkey of this group; if it is another device, restart this peer with "
          + "--admit \(address.hostDescription)"
      let line = "\(address): \(difference(hasPasskey)), so there is no session; \(remedy)"
      write(line, .warning, .invitations, of: address.hostDescription, at: now)
    case .invitationReflected(let address):
      let remedy = "if this is the address of this peer, remove it from --connect"
      let line = "\(address): the invitation came back (trying again); \(remedy)"
      write(line, .warning, .invitations, of: address.hostDescription, at: now)
    case .identityIsDuplicate(let peer):
      let address = peer.address.map { " at \($0)" } ?? ""
      let reason = "has the identity of this peer, perhaps from a copied disk"
      let remedy = "start one of the two with another --name, which creates a new identity"
      write("\(peer.label)\(address): \(reason); \(remedy)", .warning, .identities, of: peer.host, at: now)
    case .identityIsUsed(let peer):
      let isMaster = ensemble.role == .master
      let store = storage.store
      report(lifecycle.identityIsUsed(accordingTo: peer, isMaster: isMaster, in: store, at: now), at: now)
    case .invitationDeclined(let name, let address, .isNotAdmitted):
      let remedy =
        policy.kind == .contacts
        ? "add it to the contacts and restart this peer"
        : "restart this peer with --policy anyone, or choose this policy on its web page"
      let reason = "this peer refused its invitation because of --policy \(policy)"
      let line = "\(name ?? "a peer") at \(address): \(reason); to admit it, \(remedy)"
      write(line, .notice, .invitations, of: address.hostDescription, at: now)
    case .invitationDeclined(let name, let address, .hostIsFull):
      let limit = core.endpoint.sessionsPerHost
      let reason = "this address already has \(limit) sessions, the limit"
      let remedy = "to accept more, restart this peer with a higher --sessions-per-host"
      let line = "\(name ?? "a peer") at \(address): this peer refused its invitation: \(reason); \(remedy)"
      write(line, .notice, .invitations, of: address.hostDescription, at: now)
    case .invitationDeclined(let name, let address, .isUnverified):
      let hasPasskey = core.endpoint.protects(address)
      let reason =
        hasPasskey
        ? "it has not proved within 5 s that it knows the passkey"
        : "it did not answer the clock measurement for 5 s"
      let remedy = hasPasskey ? "check the passkey of both peers" : "open its two UDP ports in the firewall there"
      let line = "\(name ?? "a peer") at \(address): session not established: \(reason); \(remedy)"
      write(line, .notice, .invitations, of: address.hostDescription, at: now)
    case .invitationDeclined(let name, let address, .hasOtherMark(let isMarked)):
      let admission = "restart this peer with --admit \(address.hostDescription)"
      let remedy = isMarked ? remedyForPasskey : "start it with the passkey of this group, or \(admission)"
      let place = "\(name ?? "a peer") at \(address)"
      let line = "\(place): \(difference(isMarked)), so its invitation was refused; \(remedy)"
      write(line, .notice, .invitations, of: address.hostDescription, at: now)
    case .noReply(let address):
      let remedy = "check that the peer runs there, and check the address, the port and the firewall"
      let line = "\(address): does not answer (trying again); \(remedy)"
      write(line, .warning, .invitations, of: address.hostDescription, at: now)
    case .externalClock(let name, let event): notify(event, of: name, at: now)
    case .clockIsUnused(let peer):
      // The port may differ in the next session.
      let line = "\(peer.label): its MIDI clock is not used; to use it, add --clock-from rtp:\(peer.host)"
      write(line, .notice, .clocks, of: peer.host, at: now)
    case .hasOtherVersion(let peer, let isNewer):
      let (age, machine) = isNewer ? ("a newer", "this machine") : ("an older", "that machine")
      let line = "\(peer.label): uses \(age) version of Tutti and gets only MIDI clock; update Tutti on \(machine)"
      write(line, .warning, .kinds, of: peer.host, at: now)
    case .role(let role): changed(to: role, at: now)
    case .outranked(let identity, let cause):
      let other = core.name(of: identity)
      write(description(of: cause, by: other), .notice, .role, of: other, at: now)
      namedMaster = identity
    case .handedOver(let identity):
      let other = core.name(of: identity)
      write("\(other) took the role of master; this peer follows", .notice, .role, of: other, at: now)
      namedMaster = identity
    case .masterLost(let identity):
      // In a led session, the local player may not start it.
      let remedy =
        ensemble.sessionLeader(at: now).map { "wait until \($0) starts it again" }
        ?? "start it again with the key space or the command `start`"
      let other = core.name(of: identity)
      write("master \(other): lost, so the rhythm ended; \(remedy)", .warning, .role, of: other, at: now)
    case .warning(let identity, let warning):
      let name = core.name(of: identity)
      write("\(name): \(description(of: warning))", .warning, .problems, of: name, at: now)
    case .deviceWarning(let peer, let warning):
      write("\(peer.label): \(description(of: warning))", .warning, .problems, of: peer.host, at: now)
    case .offered(let identity):
      let remedy = "take it with the key t or the command `take`"
      let other = core.name(of: identity)
      write("\(other) offers the role of master; \(remedy)", .notice, .role, of: other, at: now)
      observer.report(event, about: core.reference(to: identity), at: now)
    case .asksToLead(let identity):
      let other = core.name(of: identity)
      let remedy = "offer it the role of master with the command `offer \(other)`"
      write("\(other) asks to lead; \(remedy)", .notice, .role, of: other, at: now)
      observer.report(event, about: core.reference(to: identity), at: now)
    case .tookOver(let identity):
      let other = core.name(of: identity)
      if let leader = ensemble.keptFor {
        // Nobody can stop this rhythm, so the line names the way out.
        let remedy = "to let anyone control it, enter `led-by anyone` at every peer"
        let line = "\(other): lost; this peer keeps the rhythm until \(leader) returns (--led-by); \(remedy)"
        write(line, .notice, .role, of: other, at: now)
      } else {
        let effect = "this peer is the master now and continues the rhythm"
        write("\(other) is no longer the master; \(effect)", .notice, .role, of: other, at: now)
      }
      observer.report(event, about: core.reference(to: identity), at: now)
    case .muted(let isMuted):
      if isMuted, let master = ensemble.role.master {
        let action = ensemble.isQuiet ? "silenced all players" : "muted you"
        write("\(core.name(of: master)) \(action): your notes do not sound", .notice, .mute, of: "your notes", at: now)
        isMutingReported = true
        // If the local player, as the master, silenced all players, nothing is logged when they sound again.
      } else if !isMuted, isMutingReported || ensemble.role != .master {
        write("your notes sound again", .notice, .mute, of: "your notes", at: now)
        isMutingReported = false
      }
      observer.report(event, at: now)
    case .channel(let channel):
      if let channel {
        // A player without MIDI devices needs no channel.
        let level: Logger.Level = midi == nil ? .debug : .info
        write("this peer plays on MIDI channel \(channel.number)", level, .channel, of: "this peer", at: now)
      } else {
        let line = "all MIDI channels of players are in use; this peer shares channel 16 until a channel is free"
        write(line, .notice, .channel, of: "this peer", at: now)
      }
      observer.report(event, at: now)
    case .shaped(let peer):
      let remedy = "to prevent this, use `gate \(peer.label):modification=closed`"
      let line = "\(peer.label) changes the sound of your instrument; \(remedy)"
      write(line, .notice, .sound, of: peer.host, at: now)
    case .messagesRefused(let peer, let count):
      let source = peer?.label ?? "the MIDI programs of this machine"
      let number = "\(count) \(count == 1 ? "message was" : "messages were") left out"
      let limit = "more than 2000 notes, 2000 programs or 2000 controllers per second arrived"
      let line = "\(source): \(number), because \(limit); the last value of each controller was kept"
      write(line, .warning, .problems, of: peer?.host ?? source, at: now)
    case .heldNotesEnded(let peer):
      let line = "\(peer.label): does not answer; the notes that it held have ended; check the device and its network"
      write(line, .warning, .problems, of: peer.host, at: now)
    case .lastRun(let run):
      guard tempo.adopt(run) else { break }
      let bpm = (run.tempo.bpm * 10).rounded() / 10
      let line = "the tempo: \(bpm) BPM, as in the last rhythm of the other players"
      write(line, .info, .role, of: "the tempo", at: now)
    case .playerMoved(let player):
      for (key, channel) in pages.leave(player) {
        core.play(.noteOff(channel, key: UInt7(masking: key), velocity: 64), of: player, at: now)
      }
      observer.report(event, at: now)
    case .phraseReceived(let phrase, let sender, let receiver): received(phrase, from: sender, to: receiver, at: now)
    case .documentReceived(let document, let sender) where document.kind == .score:
      scores.worker.read(document, from: sender)
    case .documentReceived(let document, let sender): patches.checker.check(document, from: sender)
    case .rhythmOfPeer(let peer, let state):
      let name = core.name(of: peer)
      let line =
        switch state {
        case .missing: "does not have the rhythm yet; it is silent until the bar after the arrival of the rhythm"
        case .arrived: "has the rhythm now and plays from its next bar on"
        case .refused: "cannot play the rhythm and plays its own; update Tutti on that machine, or correct the rhythm"
        }
      write("\(name) \(line)", state == .arrived ? .info : .notice, .patches, of: name, at: now)
    // ``PeerObserver`` reports the roster and the total activity. ``execute(_:)`` reports messages that have sounded.
    case .total, .sounded, .roster: break
    }
  }

  /// The text for two peers of which only one uses a passkey.
  ///
  /// - Parameter hasPasskey: whether the remote peer has a passkey and this peer uses none for its address. False for the reverse.
  private func difference(_ hasPasskey: Bool) -> String {
    hasPasskey
      ? "has a passkey, and this peer uses none for this address" : "has no passkey, and this peer requires one"
  }

  /// The remedy if a remote peer has a passkey but this peer uses none with that peer.
  private var remedyForPasskey: String {
    configuration.passkey == nil ? "start this peer with --passkey-file" : "remove its address from --admit"
  }

  /// Handles a new remote peer: a Tutti peer that has identified itself, or a standard device.
  private func joined(_ peer: PeerReference, at now: Instant) {
    if peer.identity == nil {
      let isExternalClock = core.clocks.inputs.contains { $0.address != nil && $0.address == peer.address }
      var ticks = "it gets each tick when the tick is due"
      let options = peer.address.map { configuration.peerOptions.options(for: peer.name, at: $0) }
      if options?.playsByStamps == true { ticks = "it gets each tick ahead of time, with a time stamp" }
      if let offset = options?.clockOffset { ticks += ", \(ClockOffset.description(of: offset))" }
      let use = isExternalClock ? "it is used as an external clock" : ticks
      let name = peer.label
      write("\(name): RTP-MIDI device without Tutti; \(use)", .info, .kinds, of: name, at: now)
    } else if let address = peer.address,
      configuration.peerOptions.options(for: peer.name, at: address).clockOffset != nil
    {
      let remedy = "omit it, or start that peer with --latency"
      write(
        "\(peer.label): --clock-offset has no effect on a Tutti peer; \(remedy)", .notice, .kinds, of: peer.label,
        at: now)
    }
    if let name = awaitedRecipient, let identity = peer.identity, name == peer.name || name == "\(identity)" {
      (awaitedRecipient, core.recipient) = (nil, identity)
      // Makes the control thread run another round, which passes the new receiver to the network thread.
      mailbox.bell.ring()
    }
    observer.report(.joined(peer), about: peer, at: now)
  }

  /// Handles a change of the role of the local peer.
  private func changed(to role: Role, at now: Instant) {
    if role != .idle { records.trace.role = role }
    switch role {
    case .idle:
      tempo.end(ensemble.lastRun)
      write("the rhythm stopped", .info, .role, of: "the rhythm", at: now)
    case .master: write("this peer is the master", .info, .role, of: "this peer", at: now)
    // The line about the change of the master says that this peer follows.
    case .follower(let master) where master == namedMaster: break
    case .follower(let master):
      write("this peer follows \(core.name(of: master))", .info, .role, of: core.name(of: master), at: now)
    }
    namedMaster = nil
    observer.report(.role(role), at: now)
    lifecycle.changed(to: role, hasPlayed: records.trace.role != .idle, core, isHeard: sound.isHeard, at: now)
  }

  /// The text for the player if the peer with the name `other` is the master instead of this peer.
  private func description(of cause: OutrankingCause, by other: String) -> String {
    switch cause {
    case .simultaneousStart:
      "two peers started the rhythm at the same time: \(other) is the master, this peer follows"
    case .simultaneousTakeover:
      "two peers took over the rhythm at the same time: \(other) is the master, this peer follows"
    case .interruption:
      "this peer and \(other) did not hear each other for a while: \(other) has led the rhythm and is the master, this peer follows; "
        + "if this happens again, check the network"
    case .claim:
      "\(other) claimed the rhythm that this peer led: \(other) is the master, this peer follows; "
        + "to prevent this, enter `gate \(other):rhythm=closed`, or start all peers of the group with --passkey-file"
    }
  }

  /// The text of `warning` for the player. In the log line, the text follows the name of the peer.
  private func description(of warning: PeerWarning) -> String {
    switch warning {
    case .implausibleStamps:
      "sends implausible time stamps, as from a clock that jumps or stands still, and they are ignored; "
        + "check the system clock of that machine"
    case .unsolicitedReplies:
      "its replies to clock measurements arrive twice, or without a request, and they are ignored; "
        + "check the network for devices that repeat packets"
    case .clockStepped:
      "its clock was stepped or changed its rate; it is measured again, and the rhythm continues"
    case .clockIsSlewed:
      "its clock and the local clock run at rates that differ by more than 200 ppm, perhaps because NTP corrects one of them; "
        + "the rhythm continues; check the time synchronization of both machines"
    case .isUnreadable:
      "sends messages that cannot be decoded, perhaps of a newer version, and they are ignored; "
        + "use the same version of Tutti on both machines"
    case .changesChannelTooOften:
      "changes its MIDI channel too often; its channel is ignored until it stays the same for 10 s; "
        + "if this lasts, start that peer again"
    case .claimHasExpired:
      "claimed the rhythm and does not lead it any longer, so its claim is ignored; "
        + "if this peer does not belong to the group, start all peers of the group with --passkey-file"
    case .identityIsUsedTwice:
      "another device uses the same identity and is ignored; "
        + "if that device has a copied disk, start it with another --name, which creates a new identity"
    }
  }

  /// Logs a line that remote peers can cause: see ``RemoteLog``.
  func write(_ line: String, _ level: Logger.Level, _ topic: LineLimiter.Topic, of subject: String, at now: Instant) {
    report(Notice(line, level, topic, of: subject), at: now)
  }
}

import MIDI
import MusicalTime
import RTPMIDI
import Receiving

/// A standard device whose silence matters: it holds notes or pedals, or the rhythm follows its clock.
///
/// A session with a standard device lasts for up to a minute of silence, because such devices may send nothing else between two notes. But a
/// note that is held by a device whose battery is empty must not sound for a minute, and a clock that was switched off and on again without
/// BY must be followed again soon. Such a device is therefore asked with CK0 as soon as it has been silent for two seconds. A device that has
/// answered such packets before and is silent for four and a half seconds has died: its notes end, and a clock is invited again. A device that
/// answers no CK0 may be alive.
struct SilenceWatch {
  static let askingSilence = Nanoseconds.seconds(2)
  static let deadSilence = Nanoseconds.milliseconds(4500)
  static let askingInterval = Nanoseconds.milliseconds(800)

  /// The notes and pedals that are held.
  var held = HeldNotes()
  /// Whether the device is an external clock that runs.
  var isClock = false
  /// When the device may be asked again.
  var nextRequest: Instant
  /// When the device was found dead; nil if it has been heard since.
  var died: Instant?
}

extension PeerCore {
  /// Notes which keys and pedals the device of a session holds. Tutti peers are supervised by their clock probes.
  func watchHeldNotes(_ message: Message, on session: SessionID, at now: Instant) {
    guard message.isOfChannel else { return }
    if watches[session] == nil {
      guard message.startsNote, let slot = ensemble.roster.slot(of: session),
        ensemble.roster[slot].session!.kind != .tuttiPeer
      else { return }
      watches[session] = SilenceWatch(nextRequest: now)
    }
    watches[session]!.held.record(message)
    if watches[session]!.held.isEmpty, !watches[session]!.isClock { watches[session] = nil }
  }

  /// Watches the devices whose clocks run.
  private func watchClocks(at now: Instant) {
    for input in clocks.inputs {
      guard case .session(let session) = input.source else { continue }
      if input.clock.isRunning, watches[session]?.isClock != true {
        watches[session, default: SilenceWatch(nextRequest: now)].isClock = true
      } else if !input.clock.isRunning, watches[session]?.isClock == true {
        watches[session]!.isClock = false
        if watches[session]!.held.isEmpty { watches[session] = nil }
      }
    }
  }

  /// When ``superviseSilence(at:)`` is due.
  var silenceDeadline: Instant {
    var next = Instant.distantFuture
    for (session, watch) in watches {
      guard let presence = endpoint.presence(on: session) else { return Instant(nanoseconds: .min) }
      if let died = watch.died, presence.lastHeard < died { continue }
      guard presence.answersClock else {
        next = min(next, watch.nextRequest)
        continue
      }
      let asking = max(watch.nextRequest, presence.lastHeard + SilenceWatch.askingSilence)
      next = min(next, asking, presence.lastHeard + SilenceWatch.deadSilence)
    }
    return next
  }

  /// Asks the devices of ``watches`` that are silent whether they are still there. Ends the notes of those that have died, and invites the
  /// clocks among them again.
  func superviseSilence(at now: Instant) {
    watchClocks(at: now)
    for (session, watch) in watches {
      guard let presence = endpoint.presence(on: session), let slot = ensemble.roster.slot(of: session),
        ensemble.roster[slot].session!.kind != .tuttiPeer
      else {
        watches[session] = nil
        continue
      }
      if let died = watch.died, presence.lastHeard < died { continue }
      watches[session]!.died = nil
      let silence = now - presence.lastHeard
      if presence.answersClock, silence >= SilenceWatch.deadSilence {
        watches[session]!.died = now
        if !watch.held.isEmpty {
          emit(.receiving(.endNotes(slot: ensemble.roster[slot].session!.stream.slot, session)))
          emit(.event(.heldNotesEnded(of: ensemble.roster[slot].reference)))
        }
        if watch.isClock { endpoint.inviteAgain(session, at: now) }
      } else if now >= watch.nextRequest, silence >= SilenceWatch.askingSilence || !presence.answersClock {
        endpoint.requestClock(on: session)
        watches[session]!.nextRequest = now + SilenceWatch.askingInterval
      }
    }
  }
}

import MIDI
import MusicalTime
import RTPMIDI
import Receiving

/// The notes and pedals that a standard device holds, and when the device is asked next whether it is still there.
///
/// A session with a standard device lasts for up to a minute of silence, because such devices may send nothing else between two notes. A note
/// that is held by a device whose battery is empty must not sound for a minute. While notes are held, the device is therefore asked with CK0
/// as soon as it has been silent for two seconds. A device that has answered such packets before and is silent for four and a half seconds has
/// died, and its notes end. A device that answers no CK0 may be alive, so its notes end with the session.
struct HeldNoteWatch {
  static let askingSilence = Nanoseconds.seconds(2)
  static let endingSilence = Nanoseconds.milliseconds(4500)
  static let askingInterval = Nanoseconds.milliseconds(800)

  /// The notes and pedals that are held.
  var held = HeldNotes()
  /// When the device may be asked again.
  var nextRequest: Instant
}

extension PeerCore {
  /// Notes which keys and pedals the device of a session holds. Tutti peers are supervised by their clock probes.
  func watchHeldNotes(_ message: Message, on session: SessionID, at now: Instant) {
    guard message.isOfChannel else { return }
    if heldNotes[session] == nil {
      guard message.startsNote, let slot = ensemble.roster.slot(of: session),
        ensemble.roster[slot].session!.kind != .tuttiPeer
      else { return }
      heldNotes[session] = HeldNoteWatch(nextRequest: now)
    }
    heldNotes[session]!.held.record(message)
    if heldNotes[session]!.held.isEmpty { heldNotes[session] = nil }
  }

  /// When ``superviseHeldNotes(at:)`` is due.
  var heldNotesDeadline: Instant {
    var next = Instant.distantFuture
    for (session, watch) in heldNotes {
      guard let presence = endpoint.presence(on: session) else { return Instant(nanoseconds: .min) }
      guard presence.answersClock else {
        next = min(next, watch.nextRequest)
        continue
      }
      let asking = max(watch.nextRequest, presence.lastHeard + HeldNoteWatch.askingSilence)
      next = min(next, asking, presence.lastHeard + HeldNoteWatch.endingSilence)
    }
    return next
  }

  /// Asks the devices that hold notes and are silent whether they are still there, and ends the notes of those that have died.
  func superviseHeldNotes(at now: Instant) {
    for (session, watch) in heldNotes {
      guard let presence = endpoint.presence(on: session), let slot = ensemble.roster.slot(of: session),
        ensemble.roster[slot].session!.kind != .tuttiPeer
      else {
        heldNotes[session] = nil
        continue
      }
      let silence = now - presence.lastHeard
      if presence.answersClock, silence >= HeldNoteWatch.endingSilence {
        heldNotes[session] = nil
        emit(.receiving(.endNotes(slot: ensemble.roster[slot].session!.stream.slot, session)))
        emit(.event(.heldNotesEnded(of: ensemble.roster[slot].reference)))
      } else if now >= watch.nextRequest, silence >= HeldNoteWatch.askingSilence || !presence.answersClock {
        endpoint.requestClock(on: session)
        heldNotes[session]!.nextRequest = now + HeldNoteWatch.askingInterval
      }
    }
  }
}

import Ensemble
import MIDI
import MusicalTime

// Commands by which one player influences the instrument of another player.
extension Peer {
  /// Changes the sound of the instrument of the peer with this name or identity.
  func shape(_ name: String, controller: UInt8, value: UInt8) {
    guard let peer = peer(called: name) else { return }
    do throws(PeerCore.ShapingError) {
      try core.shape(peer, controller: UInt7(masking: controller), value: UInt7(masking: value))
    } catch {
      let reason =
        switch error {
        case .noChannel: "has no MIDI channel yet; try again in a second"
        case .gateIsClosed: "the gate `modification` is closed to you; ask the player to open it"
        case .doesNotShape:
          "only its player can set controller \(controller); set for example 1 (`tilt forward`) or 74 (`tilt sideways`)"
        }
      log.notice("\(name): \(reason)")
    }
  }

  /// Lets the notes of the peer with this name or identity set the pitches of the local instrument. If `name` is nil, the local
  /// player sets them.
  func borrowPitches(from name: String?) {
    let source = name.flatMap { peer(called: $0) }
    guard name == nil || source != nil else { return }
    core.pitchSource = source
    // A new number shows the network thread that the pitch source has changed, so that the thread forgets the keys of the former source.
    pitchChoices &+= 1
    instrumentSettings.pitchSource = source == nil ? 0 : pitchChoices
    publishInstrument()
    guard let name else { return log.notice("pitches: you set them yourself again") }
    guard instrumentSettings.table != nil else {
      let remedy = "choose one with the key i or the command `instrument NAME`"
      return log.notice("pitches: \(name) sets them as soon as you have an instrument; \(remedy)")
    }
    let effect =
      "each note that you play takes its pitch from a note that \(name) holds, or from the one that ended last"
    log.notice("pitches: \(name) sets them from now on; \(effect)")
  }

  /// Informs the player that a remote player changes the sound of the local instrument.
  func isShaped(by peer: PeerReference, at now: Instant) {
    let other = name(of: peer)
    let remedy = "to prevent this, use `gate \(other):modification=closed`"
    write("\(other) changes the sound of your instrument; \(remedy)", .notice, .sound, of: host(of: peer), at: now)
  }
}

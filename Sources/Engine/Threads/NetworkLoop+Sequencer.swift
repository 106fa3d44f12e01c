import MIDI
import MusicalTime
import Realtime
import Receiving
import Transports

// Arrivals at the ALSA ports.
extension NetworkLoop {
  /// Handles an arrival at an ALSA port: plays the message of a program, or ends the notes of programs that have disconnected. Passes
  /// all arrivals except channel messages at the port `in` on to the control thread.
  ///
  /// - Returns: whether the control thread must wake. It need not wake for a message that was refused because the local programs send too
  ///   many messages (``InputLimit``).
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func receive(_ arrival: SequencerArrival) -> Bool {
    switch arrival.event {
    case .message(let message):
      if case .clockInput = arrival.port { break }
      var isSensing = false
      if case .activeSensing = message { isSensing = true }
      sensing.hear(arrival.from, isSensing: isSensing, at: arrival.at)
      if isSensing { return false }
      guard message.isOfChannel else { break }
      if let index = device(of: arrival.from) {
        // The limit does not know the keys that the device holds, so their ends are always admitted.
        if !message.silencesNote {
          guard case .admitted = deviceLimits[index].admit(message, at: arrival.at) else { return false }
        }
        playDevice(index, message, at: arrival.at)
        return true
      }
      return play(message, from: ProgramID(arrival.from), at: arrival.at)
    case .unsubscribed(let link):
      if case .input = link.port { releaseNotes(of: .program(ProgramID(link.other))) }
    case .portExited(let address): releaseNotes(of: .program(ProgramID(address)))
    case .clientExited(let client): releaseNotes(of: .client(client))
    // A Note Off may be among the lost arrivals.
    case .overflow: releaseNotes(of: .all)
    case .ignored, .subscribed, .portStarted, .portChanged, .clientChanged: break
    }
    rings.arrivals.push(arrival)
    return true
  }
}

extension NetworkLoop {
  /// Ends the notes that programs and devices hold whose Active Sensing has stopped.
  @_noLocks @_noAllocation
  mutating func endNotesOfFailedPorts() {
    let now = MonotonicClock.now
    while let port = sensing.takeFailed(at: now) {
      if let index = device(of: port) {
        playDevice(index, .controlChange(Channel(wire: devices[index].channel), controller: 123, value: 0), at: now)
      }
      releaseNotes(of: .program(ProgramID(port)))
      rings.bell.ring()
    }
  }
}

extension ProgramID {
  @_noLocks @_noAllocation
  init(_ address: SequencerAddress) { self.init(client: address.client, port: address.port) }
}

import MusicalTime
import Transports

/// What the clock thread is told once.
struct ClockSettings: Sendable, BitwiseCopyable {
  var socket: UDPSocket
  /// How far ahead a tick leaves for those who go by time stamps.
  var tickLead: Nanoseconds
  /// How far ahead of its instant a hit is handed to the sound.
  var soundLead: Nanoseconds
  /// Whether hits go to a second sound too, by ``ClockRings/recorded``.
  var records = false
  /// Where local programs hear the clock and what the others play, if anywhere.
  var sequencer: Sequencer?

  init(socket: UDPSocket, tickLead: Nanoseconds, soundLead: Nanoseconds) {
    self.socket = socket
    self.tickLead = tickLead
    self.soundLead = soundLead
  }
}

import MusicalTime
import Transports

/// The constant settings of the clock thread.
struct ClockSettings: Sendable, BitwiseCopyable {
  /// The socket that sends the RTP packets.
  var socket: UDPSocket
  /// How far ahead of its due time a tick leaves for time-stamp receivers.
  var tickLead: Nanoseconds
  /// How far ahead of its due time a hit is passed to the sound.
  var soundLead: Nanoseconds
  /// Whether a second audio thread gets the sound events too, through ``ClockRings/recorded``: the peer has a sound card
  /// and a recording.
  var records = false
  /// The ALSA sequencer client with the clock port and the notes port. Nil if there is none.
  var sequencer: Sequencer?

  init(socket: UDPSocket, tickLead: Nanoseconds, soundLead: Nanoseconds) {
    self.socket = socket
    self.tickLead = tickLead
    self.soundLead = soundLead
  }
}

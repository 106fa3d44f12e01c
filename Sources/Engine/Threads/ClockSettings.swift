import MusicalTime
import Transports

/// The constant settings of the clock thread.
struct ClockSettings: Sendable {
  /// The socket that sends the RTP packets.
  var socket: UDPSocket
  /// How long before its due time a tick is sent to time-stamp receivers.
  var tickLead: Nanoseconds
  /// How long before its due time a hit is passed to the sound.
  var soundLead: Nanoseconds
  /// Whether the peer has both a sound card and a recording. A second audio thread then gets the sound events through
  /// ``SoundRings/recording``.
  var hasSecondAudioThread = false
  /// The offsets that receivers of the clock can have (`--clock-offset`), see ``StreamSender``.
  var offsets: [Nanoseconds] = []
  /// Whether a trace records when each tick is processed.
  var recordsTicks = false
  /// The last wake lead of an earlier peer on this machine; nil if it is not known.
  var lastWakeLead: Nanoseconds?
  /// The ALSA sequencer client with the clock port and the notes port. Nil if there is none.
  var sequencer: Sequencer?
}

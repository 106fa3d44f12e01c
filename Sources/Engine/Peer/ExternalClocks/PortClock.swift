import Ensemble
import Transports

/// An ALSA port as an external clock: a configured one, or one that the user has connected to the clock input.
struct PortClock {
  var name: String
  /// Nil while the port does not exist.
  var address: SequencerAddress?
  var clock = ExternalClock()
}

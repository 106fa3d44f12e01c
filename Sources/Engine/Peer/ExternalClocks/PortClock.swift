import Ensemble
import Transports

/// An ALSA port that is used as an external clock: the user has named it with `--clock-from`, or has connected it to the port
/// `clock in` of the peer.
struct PortClock {
  var name: String
  /// Nil while the port is not connected to the port `clock in`, for example because it does not exist.
  var address: SequencerAddress?
  var clock = ExternalClock()
}

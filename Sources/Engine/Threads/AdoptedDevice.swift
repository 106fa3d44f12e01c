import RTPMIDI
import Transports

/// A MIDI device that plays as a player of this peer, as the network thread sees it.
struct AdoptedDevice: Hashable, Sendable, BitwiseCopyable {
  /// The number of devices that a peer can adopt.
  static var maximumCount: Int { @_noLocks @_noAllocation get { 4 } }

  /// Where the messages of the device come from.
  enum Source: Hashable, Sendable, BitwiseCopyable {
    /// The device is not connected.
    case none
    case session(SessionID)
    /// A port of the ALSA sequencer that is connected to the port `in`.
    case port(SequencerAddress)

    // The operator == would need the type metadata, whose first use can allocate.
    @_noLocks @_noAllocation
    func isSame(as other: Source) -> Bool {
      switch (self, other) {
      case (.none, .none): true
      case (.session(let first), .session(let second)): first.number == second.number
      case (.port(let first), .port(let second)): first.client == second.client && first.port == second.port
      case (.none, _), (.session, _), (.port, _): false
      }
    }
  }

  var source = Source.none
  /// The number of times that the device was connected. A new connection begins with a new state of the instrument.
  var connections: UInt32 = 0
  /// The zero-based channel of the device.
  var channel: UInt8 = 15
  /// The energy of the device, 0...127.
  var energy: UInt8 = 0
  /// Whether new notes of the device are refused.
  var isMuted = false
}

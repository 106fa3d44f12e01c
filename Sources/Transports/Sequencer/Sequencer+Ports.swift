import CALSA
import Glibc
import Text

// The ports of all programs.
extension Sequencer {
  /// Returns all ports that users can connect, including the local ones.
  ///
  /// Real-time: not safe.
  public func ports() -> [SequencerPort] { Self.ports(seenBy: control, localClient: client) }

  /// Returns all ports that users can connect. This function is for programs that have no `Sequencer` of their own.
  ///
  /// - Throws: ``TransportError`` if there is no sequencer or no permission to open it.
  ///
  /// Real-time: not safe.
  public static func ports() throws(TransportError) -> [SequencerPort] {
    let handle = try open(name: "listing")
    defer { snd_seq_close(handle) }
    return ports(seenBy: handle, localClient: nil)
  }

  /// Returns the ports of all clients except System, whose events are not MIDI.
  ///
  /// - Parameter localClient: the number of the local client; nil if this program has no ports.
  private static func ports(seenBy handle: OpaquePointer, localClient: UInt8?) -> [SequencerPort] {
    var client: OpaquePointer?
    var port: OpaquePointer?
    guard snd_seq_client_info_malloc(&client) == 0, snd_seq_port_info_malloc(&port) == 0 else { return [] }
    defer {
      snd_seq_port_info_free(port)
      snd_seq_client_info_free(client)
    }
    var ports: [SequencerPort] = []
    snd_seq_client_info_set_client(client, Int32(SND_SEQ_CLIENT_SYSTEM))
    while snd_seq_query_next_client(handle, client) >= 0 {
      let number = snd_seq_client_info_get_client(client)
      let clientName = name(snd_seq_client_info_get_name(client))
      snd_seq_port_info_set_client(port, number)
      snd_seq_port_info_set_port(port, -1)
      while snd_seq_query_next_port(handle, port) >= 0 {
        let capability = Int32(bitPattern: snd_seq_port_info_get_capability(port))
        /// Whether the port has all capabilities in `bits`.
        func has(_ bits: Int32) -> Bool { capability & bits == bits }
        let sends = has(SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ)
        let receives = has(SND_SEQ_PORT_CAP_WRITE | SND_SEQ_PORT_CAP_SUBS_WRITE)
        guard sends || receives, !has(SND_SEQ_PORT_CAP_NO_EXPORT) else { continue }
        let address = SequencerAddress(
          client: UInt8(truncatingIfNeeded: number),
          port: UInt8(truncatingIfNeeded: snd_seq_port_info_get_port(port)))
        ports.append(
          SequencerPort(
            address: address, clientName: clientName, portName: name(snd_seq_port_info_get_name(port)), sends: sends,
            receives: receives, isLocal: address.client == localClient))
      }
    }
    return ports
  }

  /// Returns a name chosen by another program, with printable characters only. ALSA cuts names after 63 octets, possibly in the middle of a
  /// character.
  static func name(_ name: UnsafePointer<CChar>?) -> String {
    // Invariant: the library's names end with NUL and live as long as the structure that contains them.
    guard let name else { return "" }
    let octets = UnsafeBufferPointer(start: name, count: strlen(name)).map { UInt8(bitPattern: $0) }
    return String(name: octets).cleanName(octets: 63) ?? ""
  }
}

extension Sequencer {
  /// The ports of the local client.
  public enum Port: Sendable, BitwiseCopyable, CaseIterable {
    /// Output of MIDI Clock, Start, Stop, Continue and Song Position.
    case clock
    /// Output of notes and controllers.
    case notes
    /// Input of all messages.
    case input
    /// Input of the clock to follow.
    case clockInput

    /// Whether the port is an output.
    ///
    /// Real-time: safe.
    public var isOutput: Bool {
      @_noLocks @_noAllocation get {
        switch self {
        case .clock, .notes: true
        case .input, .clockInput: false
        }
      }
    }

    /// The name of the port in the ALSA sequencer.
    ///
    /// Real-time: not safe.
    public var name: String {
      switch self {
      case .clock: "clock"
      case .notes: "notes"
      case .input: "in"
      case .clockInput: "clock in"
      }
    }

    /// The port number, the second part of the address.
    ///
    /// Real-time: safe.
    public var number: UInt8 {
      @_noLocks @_noAllocation get {
        switch self {
        case .clock: 0
        case .notes: 1
        case .input: 2
        case .clockInput: 3
        }
      }
    }

    /// Creates the port with `number`. Returns nil for other numbers.
    ///
    /// Real-time: safe.
    @_noLocks @_noAllocation
    init?(number: UInt8) {
      switch number {
      case 0: self = .clock
      case 1: self = .notes
      case 2: self = .input
      case 3: self = .clockInput
      default: return nil
      }
    }
  }

  /// The number of the hidden port that receives the events of System:Announce. It follows the numbers of ``Port``.
  static var announcements: UInt8 { @_noLocks @_noAllocation get { 4 } }
}

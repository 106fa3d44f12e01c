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

extension Sequencer {
  /// Our ports.
  public enum Port: Sendable, BitwiseCopyable, CaseIterable {
    /// MIDI Clock, Start, Stop, Continue and Song Position go out here.
    case clock
    /// Notes and controllers go out here.
    case notes
    /// Everything comes in here.
    case input
    /// The clock to be followed comes in here.
    case clockInput

    /// Whether MIDI goes out of it, rather than in.
    ///
    /// Real-time: safe.
    public var gives: Bool {
      @_noLocks @_noAllocation get {
        switch self {
        case .clock, .notes: true
        case .input, .clockInput: false
        }
      }
    }

    /// What people see.
    public var name: String {
      switch self {
      case .clock: "clock"
      case .notes: "notes"
      case .input: "in"
      case .clockInput: "clock in"
      }
    }

    /// The second half of its address.
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

  /// The number of the port that System:Announce speaks to; no program shows it.
  static var announcements: UInt8 { @_noLocks @_noAllocation get { 4 } }
}

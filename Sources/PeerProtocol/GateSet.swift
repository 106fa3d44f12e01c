/// The gates that are open, one bit per ``Gate``.
///
/// Real-time: not safe.
public struct GateSet: Hashable, Sendable {
  /// Bit `gate.rawValue` is set if the gate is open.
  public private(set) var bits: UInt8

  /// Every gate open.
  public static let all = GateSet(bits: 0b1111)
  /// Every gate closed.
  public static let none = GateSet(bits: 0)

  /// Creates the set from ``bits``. Bits 4...7 are ignored.
  public init(bits: UInt8) { self.bits = bits & 0b1111 }

  /// Whether a gate is open.
  public subscript(gate: Gate) -> Bool {
    get { bits >> gate.rawValue & 1 != 0 }
    set { if newValue { bits |= 1 << gate.rawValue } else { bits &= ~(1 << gate.rawValue) } }
  }
}

/// What this peer lets the others do to it: a default, and exceptions for single peers.
///
/// An exception names a peer by its identity (sixteen hexadecimal digits) or by what it calls itself. Of several peers of
/// one name only the first that came is meant, until it has left: a name keeps out mistakes, and this those who borrow one.
public struct Gates: Hashable, Sendable {
  /// Which gates are open, gate by gate.
  public struct Opening: Hashable, Sendable {
    public private(set) var bits: UInt8

    public static let all = Opening(bits: 0b1111)
    public static let none = Opening(bits: 0)

    public init(bits: UInt8) { self.bits = bits & 0b1111 }

    public subscript(gate: Gate) -> Bool {
      get { bits >> gate.rawValue & 1 != 0 }
      set { if newValue { bits |= 1 << gate.rawValue } else { bits &= ~(1 << gate.rawValue) } }
    }
  }

  /// For whom there is no exception.
  public var standard = Opening.all
  /// By identity or name.
  public var exceptions: [String: Opening] = [:]

  public init() {}
}

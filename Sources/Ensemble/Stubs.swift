public import MusicalTime

extension Ensemble {
  public var resumable: Statement? { nil }
  public mutating func resume(_ statement: Statement, at now: Instant) throws(Refusal) {}
}
extension Offer { var systemExclusive: [UInt8] { [] } }

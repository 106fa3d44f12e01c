public import MIDI

extension Ensemble {
  public func admits(_ gate: Gate, from peer: Identity?, named name: String?) -> Bool {
    peer.map { admits(gate, from: $0) } ?? gates.standard[gate]
  }
  public func owner(of channel: Channel) -> Identity? { nil }
}
extension Offer { var systemExclusive: [UInt8] { [] } }

import MusicalTime
import PeerProtocol
import RTPMIDI

/// The places of Tutti peers whose sessions ended although the peers did not end them.
///
/// An identity belongs to the device that established it. A device that is silent, because its program was stopped or its network was
/// interrupted, keeps its identity for ``period``. Meanwhile a session at another address may use the identity: the device has moved, or
/// a second device uses the identity. If the device returns to its place, it gets the identity back (``PeerCore/recognised(_:_:at:)``).
struct IdentityPlaces {
  /// How long a place is kept.
  static let period = Nanoseconds.seconds(60)
  /// The maximum number of places. Further places are not kept, so that a hostile device cannot replace them.
  static let capacity = 64

  private struct Place {
    let control: SocketAddress
    let end: Instant
  }

  private var places: [Identity: Place] = [:]

  /// Keeps the place of a peer that has not ended its session. An earlier place of the peer remains.
  mutating func keep(_ identity: Identity, at control: SocketAddress, now: Instant) {
    places = places.filter { $0.value.end > now }
    guard places[identity] == nil, places.count < Self.capacity else { return }
    places[identity] = Place(control: control, end: now + Self.period)
  }

  /// Whether a session at `control` is with the device to which the identity belongs.
  func contains(_ identity: Identity, at control: SocketAddress, now: Instant) -> Bool {
    places[identity].map { $0.control == control && $0.end > now } ?? false
  }

  /// Removes the place of a peer, because the peer has returned to it or has ended its session there.
  mutating func remove(_ identity: Identity, at control: SocketAddress) {
    if places[identity]?.control == control { places[identity] = nil }
  }
}

import BasicContainers
import MusicalTime
import PeerProtocol
import RTPMIDI

/// Writes the tags of packets of one length, and optionally checks them. A tag is the keyed hash at the end of a datagram in a
/// protected session.
public final class TagLoop {
  private let length: Int
  private var sealer: DatagramSealer
  private var opener: DatagramOpener
  private var datagram = RigidArray<UInt8>(capacity: 1472)
  private var instant = Instant(nanoseconds: 1_000_000_000)
  /// The number of packets whose tag was accepted.
  public private(set) var accepted = 0

  /// - Parameter length: the number of octets without the tag.
  public init(length: Int) {
    self.length = length
    let (one, other) = (TagKey(low: 1, high: 2), TagKey(low: 3, high: 4))
    sealer = DatagramSealer(SessionKeys(sending: one, receiving: other), thread: .clock)
    opener = DatagramOpener(SessionKeys(sending: other, receiving: one))
    for index in 0..<length { datagram.append(UInt8(truncatingIfNeeded: index)) }
  }

  /// Writes the tags of the next `count` packets, and checks them if `checks` is true.
  public func run(_ count: Int, checks: Bool) {
    for _ in 0..<count {
      datagram.removeLast(datagram.count - length)
      instant = instant + .microseconds(100)
      sealer.seal(&datagram, port: .data, at: instant)
      if checks, opener.open(datagram.span, port: .data) == length { accepted += 1 }
    }
  }
}

import BasicContainers
import MusicalTime
import RTPMIDI
import Receiving

/// Limits the datagrams of strangers, the sources without a session, so that a flood of such datagrams keeps no honest peer out.
///
/// A datagram of a stranger needs two tokens. The first token comes from the bucket of its host. A hash of the address selects this bucket
/// among 256. A single host therefore cannot use up what all strangers share. The second token comes from one of six buckets that all
/// strangers share: two for each kind of datagram (``DatagramHeader/Kind``). A flood of RTP packets therefore takes no token of an
/// invitation. A datagram that does not get both tokens takes none. Otherwise, a flood with forged addresses would empty the buckets of all
/// hosts.
///
/// The two buckets of a kind are for new and for repeated sources. A source is a host address and an SSRC. It is repeated if it has sent a
/// session command before. A flood can forge a new source for each datagram, and then uses up the bucket for new sources. An honest peer
/// repeats its invitation after 250 ms or 1 s, and its invitation on the data port follows the one on the control port. These datagrams
/// find tokens in the bucket for repeated sources. (Mail servers call this method greylisting.) The filter remembers a source by a
/// fingerprint of 32 bits, in a table without collision chains. A flood of 8000 forged invitations per second overwrites a fingerprint
/// within a second with a probability of 3 %.
///
/// The hash has a random key, so that a host cannot select the bucket or the fingerprint of another host.
///
/// The rate of new session commands is 64 per second, because the endpoint keeps 64 half-open invitations. With 64 forged
/// invitations per second, an honest half-open invitation lasts for one second, in which the peer invites at least three times on the
/// data port (after 0, 250 and 750 ms). The depths permit a thousand peers, on this machine or on many hosts, to join at the same
/// instant. Each of them may repeat both invitations once, because the control thread needs longer than 250 ms to answer a thousand
/// peers. Each of them may also exchange up to 16 packets of CK and clock probes before its session is established.
struct StrangerFilter: ~Copyable {
  /// The number of buckets for hosts, a power of two.
  private static var hostCount: Int { @_noLocks @_noAllocation get { 256 } }
  /// The number of fingerprints, a power of two.
  private static var fingerprintCount: Int { @_noLocks @_noAllocation get { 1 << 18 } }

  private var hosts = RigidArray(repeating: MessageBudget(rate: 32, depth: 2048), count: hostCount)
  private var fingerprints = RigidArray<UInt32>(repeating: 0, count: fingerprintCount)
  /// The three buckets for new sources, then the three buckets for repeated sources, both in the order of ``DatagramHeader/Kind``.
  private var shared = RigidArray<MessageBudget>(capacity: 6)
  private let key: UInt64

  /// - Parameter key: a random number, unknown to all other hosts.
  init(key: UInt64) {
    self.key = key
    // In each half: session commands, other control packets (CK, clock probes, handshakes), RTP packets.
    shared.append(MessageBudget(rate: 64, depth: 2048))
    shared.append(MessageBudget(rate: 256, depth: 256))
    shared.append(MessageBudget(rate: 256, depth: 256))
    shared.append(MessageBudget(rate: 512, depth: 4096))
    shared.append(MessageBudget(rate: 4096, depth: 16384))
    shared.append(MessageBudget(rate: 512, depth: 512))
  }

  /// Takes the tokens for a datagram of a stranger.
  ///
  /// - Returns: whether the datagram is admitted.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func admits(_ header: DatagramHeader, from address: SocketAddress, at now: Instant) -> Bool {
    let host = mix(mix(address.high ^ key) ^ address.low ^ UInt64(address.scope) << 48)
    let source = mix(host ^ UInt64(header.ssrc))
    let place = Int(truncatingIfNeeded: source) & (StrangerFilter.fingerprintCount - 1)
    let fingerprint = UInt32(truncatingIfNeeded: source >> 32)
    let isRepeated = fingerprints[place] == fingerprint
    if case .session = header.kind { fingerprints[place] = fingerprint }
    let hostPlace = Int(truncatingIfNeeded: host >> 32) & (StrangerFilter.hostCount - 1)
    let before = hosts[hostPlace]
    // A loopback address needs no token of a host. No other host can send from such an address, and a program on this machine can disturb
    // the peer even without the network.
    guard address.isLoopback || hosts[hostPlace].admit(at: now) else { return false }
    if shared[header.kind.index + (isRepeated ? 3 : 0)].admit(at: now) { return true }
    hosts[hostPlace] = before
    return false
  }

  /// The finaliser of SplitMix64 (Steele, Lea and Flood, 2014): every bit of the result depends on every bit of `value`.
  @_noLocks @_noAllocation
  private func mix(_ value: UInt64) -> UInt64 {
    var value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}

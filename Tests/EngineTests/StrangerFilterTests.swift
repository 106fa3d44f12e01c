import BasicContainers
import MusicalTime
import RTPMIDI
import Receiving
import Testing
import _TestSupport

@testable import Engine

/// Tests of ``StrangerFilter``, which limits the datagrams of sources without a session by token buckets. All times are virtual.
@Suite struct StrangerFilterTests {
  private let start = Instant(nanoseconds: 7_000_000_000)

  private func address(_ n: UInt64) -> SocketAddress {
    SocketAddress(host: UInt32(truncatingIfNeeded: n), port: UInt16(truncatingIfNeeded: n >> 32))
  }

  /// The header of an AppleMIDI packet with this command; of an RTP packet if `command` is nil. TU is the command of a clock probe.
  private func header(_ command: String?, ssrc: UInt32) -> DatagramHeader {
    var packet = RigidArray<UInt8>(capacity: 16)
    for octet in command.map({ [0xFF, 0xFF] + Array($0.utf8) }) ?? [0x80, 0x61, 0, 0] { packet.append(octet) }
    while packet.count < 16 { packet.append(bigEndian: ssrc) }
    return DatagramHeader(packet.span)
  }

  /// One host sends 20 000 invitations per second for ten seconds. The bucket of a host has a depth of 2048 and a rate of 32 per second.
  @Test func oneHostIsLimitedToItsBucket() {
    var filter = StrangerFilter(key: 1)
    var admitted = 0
    for n in 0..<200_000 {
      let now = start + .microseconds(50 * Int64(n))
      if filter.admits(header("IN", ssrc: UInt32(n)), from: address(1), at: now) { admitted += 1 }
    }
    // At most the depth and the tokens of ten seconds (320) are admitted. The lower bound is loose.
    #expect((1000...2048 + 320).contains(admitted), "\(admitted)")
    // At the end of the flood, the first datagram of another host is admitted. The flood has left tokens in the bucket of all strangers.
    let isOtherAdmitted = filter.admits(header("IN", ssrc: 1), from: address(2), at: start + .seconds(10))
    #expect(isOtherAdmitted)
  }

  /// Every datagram of the flood has another source. The buckets that all strangers share limit the admitted datagrams.
  @Test func forgedSourcesAreLimitedInTotal() {
    var filter = StrangerFilter(key: 2)
    var random = SplitMix(seed: 3)
    var admitted = 0
    for n in 0..<200_000 {
      let now = start + .microseconds(50 * Int64(n))
      let header = header([nil, "IN", "CK", "TU"][n % 4], ssrc: UInt32(truncatingIfNeeded: random.next()))
      if filter.admits(header, from: address(random.next()), at: now) { admitted += 1 }
    }
    // The flood has three kinds of datagrams: session commands (IN), other control packets (CK and TU), and RTP packets. In ten seconds,
    // the rates permit 640 session commands, and 2560 datagrams of each other kind. In addition, the buckets are full at the beginning.
    let (rates, depths) = (640 + 2 * 2560, 2048 + 2 * 256)
    #expect(admitted >= rates && admitted <= rates + depths, "\(admitted)")
  }

  /// During a flood of 2000 invitations per second from forged sources, a hundred honest peers in turn invite twice, 250 ms apart. The
  /// filter remembers a source by a fingerprint, so it admits the second invitation. In 0.2 % of all cases, the flood has overwritten
  /// the fingerprint.
  @Test func repeatedInvitationIsAdmittedInAFlood() {
    var filter = StrangerFilter(key: 4)
    var random = SplitMix(seed: 5)
    var admitted = 0
    for n in 0..<200_000 {
      let now = start + .microseconds(500 * Int64(n))
      let forged = header("IN", ssrc: UInt32(truncatingIfNeeded: random.next()))
      _ = filter.admits(forged, from: address(random.next()), at: now)
      let (peer, time) = (UInt32(n / 2000), n % 2000)
      guard time == 0 || time == 500 else { continue }
      let isAdmitted = filter.admits(header("IN", ssrc: peer), from: address(UInt64(peer)), at: now)
      if time == 500, isAdmitted { admitted += 1 }
    }
    // Without the bucket for repeated sources, 3 of the 100 second invitations would be admitted.
    #expect(admitted >= 97, "\(admitted)")
  }

  @Test(arguments: [nil, "CK", "TU", "RS"]) func floodOfAnotherKindTakesNoTokenOfAnInvitation(command: String?) {
    var filter = StrangerFilter(key: 6)
    var random = SplitMix(seed: 7)
    for _ in 0..<20_000 {
      let header = header(command, ssrc: UInt32(truncatingIfNeeded: random.next()))
      _ = filter.admits(header, from: address(random.next()), at: start)
    }
    let isSameKindAdmitted = filter.admits(header(command, ssrc: 1), from: address(random.next()), at: start)
    let isInvitationAdmitted = filter.admits(header("IN", ssrc: 1), from: address(1 << 20), at: start)
    #expect(!isSameKindAdmitted && isInvitationAdmitted)
  }

  /// For each of the 256 buckets for hosts, about 2340 datagrams arrive, more than the depth of 2048. A datagram that finds no token in the
  /// bucket that all strangers share takes no token of its host.
  @Test func forgedAddressesDoNotEmptyTheBucketsOfAllHosts() {
    var filter = StrangerFilter(key: 9)
    var random = SplitMix(seed: 10)
    for _ in 0..<600_000 {
      _ = filter.admits(header(nil, ssrc: 1), from: address(random.next()), at: start)
    }
    var admitted = 0
    for host in UInt64(1)...10 {
      if filter.admits(header("IN", ssrc: 1), from: address(host), at: start) { admitted += 1 }
    }
    #expect(admitted == 10)
  }

  /// Each of a thousand peers on this machine sends an invitation to the control port and one to the data port, and repeats both
  /// once. A loopback address needs no token of the bucket of its host, whose depth is 2048.
  @Test func thousandPeersOnThisMachineJoinAtOnce() {
    var filter = StrangerFilter(key: 8)
    var admitted = 0
    // The control ports have even numbers.
    for port in [0, 0, 1, 1] as [UInt64] {
      for ssrc in UInt32(1)...1000 {
        let address = address((2 * UInt64(ssrc) + port) << 32 | 0x7F00_0001)
        if filter.admits(header("IN", ssrc: ssrc), from: address, at: start) { admitted += 1 }
      }
    }
    #expect(admitted == 4000)
  }
}

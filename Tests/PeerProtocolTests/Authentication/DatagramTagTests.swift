import BasicContainers
import MusicalTime
import RTPMIDI
import Testing
import _TestSupport

@testable import PeerProtocol

/// Tests of the tags that ``DatagramSealer`` writes and ``DatagramOpener`` checks. The content of a datagram has three octets unless a
/// test states another length.
@Suite struct DatagramTagTests {
  private let start = Instant(nanoseconds: 5_000_000_000)
  /// The keys of the two peers of a session: the sending key of each peer is the receiving key of the other peer.
  private let one = SessionKeys(sending: TagKey(low: 1, high: 2), receiving: TagKey(low: 3, high: 4))
  private let other = SessionKeys(sending: TagKey(low: 3, high: 4), receiving: TagKey(low: 1, high: 2))

  /// A datagram of `content`, sealed by `sealer`.
  private func sealed(
    _ content: [UInt8] = [1, 2, 3], by sealer: inout DatagramSealer, port: Port = .data, at now: Instant
  ) -> [UInt8] {
    var datagram = RigidArray<UInt8>(capacity: content.count + DatagramSealer.length)
    datagram.append(copying: content)
    sealer.seal(&datagram, port: port, at: now)
    return (0..<datagram.count).map { datagram[$0] }
  }

  /// The length of the content that `opener` finds in `datagram`; nil if `opener` refuses the datagram.
  private func open(_ datagram: [UInt8], by opener: inout DatagramOpener, port: Port = .data) -> Int? {
    opener.open(datagram.span, port: port)
  }

  /// A datagram has at most 1472 octets, the UDP payload of an Ethernet frame. Counter and tag take 16 of them.
  @Test func datagramsOfEveryLengthAreOpened() {
    var (sealer, opener) = (DatagramSealer(one, thread: .clock), DatagramOpener(other))
    for length in 1...1456 {
      let datagram = sealed([UInt8](repeating: 7, count: length), by: &sealer, at: start)
      #expect(open(datagram, by: &opener) == length)
    }
  }

  @Test func changedOctetIsRefused() {
    var (sealer, opener) = (DatagramSealer(one, thread: .clock), DatagramOpener(other))
    let datagram = sealed(by: &sealer, at: start)
    for index in datagram.indices {
      for bit in 0..<8 {
        var changed = datagram
        changed[index] ^= 1 << UInt8(bit)
        #expect(open(changed, by: &opener) == nil)
      }
    }
    #expect(open(datagram, by: &opener) == 3)
  }

  /// Counter and tag take 16 octets. A datagram also needs content.
  @Test func shortDatagramIsRefused() {
    var opener = DatagramOpener(other)
    for length in 0...16 {
      let datagram = [UInt8](repeating: 0, count: length)
      #expect(open(datagram, by: &opener) == nil)
    }
  }

  /// The opener remembers the newest 256 numbers. Of 300 replayed datagrams, some are older.
  @Test func replayIsRefused() {
    var (sealer, opener) = (DatagramSealer(one, thread: .clock), DatagramOpener(other))
    let datagrams = (0..<300).map { _ in sealed(by: &sealer, at: start) }
    for datagram in datagrams { #expect(open(datagram, by: &opener) == 3) }
    for datagram in datagrams { #expect(open(datagram, by: &opener) == nil) }
  }

  /// Datagrams may overtake each other by 255 places.
  @Test func lateDatagramIsAcceptedOnceWithinTheWindow() {
    var (sealer, opener) = (DatagramSealer(one, thread: .clock), DatagramOpener(other))
    let datagrams = (0..<257).map { _ in sealed(by: &sealer, at: start) }
    #expect(open(datagrams[256], by: &opener) == 3)
    #expect(open(datagrams[0], by: &opener) == nil)
    for index in 1...255 {
      #expect(open(datagrams[index], by: &opener) == 3)
      #expect(open(datagrams[index], by: &opener) == nil)
    }
  }

  /// A datagram more than 255 places below the newest one is refused, because the opener does not know whether it was
  /// received before. Here, none of the refused datagrams was received.
  @Test func datagramBelowTheWindowIsRefused() {
    var (sealer, opener) = (DatagramSealer(one, thread: .clock), DatagramOpener(other))
    let datagrams = (0...300).map { _ in sealed(by: &sealer, at: start) }
    #expect(open(datagrams[300], by: &opener) == 3)
    for index in 0...44 { #expect(open(datagrams[index], by: &opener) == nil) }
    #expect(open(datagrams[45], by: &opener) == 3)
  }

  @Test func datagramOfTheOtherDirectionIsRefused() {
    var (sealer, opener) = (DatagramSealer(one, thread: .clock), DatagramOpener(one))
    let datagram = sealed(by: &sealer, at: start)
    #expect(open(datagram, by: &opener) == nil)
  }

  @Test func datagramOfTheOtherPortIsRefused() {
    var (sealer, opener) = (DatagramSealer(one, thread: .control), DatagramOpener(other))
    let datagram = sealed(by: &sealer, port: .control, at: start)
    #expect(open(datagram, by: &opener) == nil)
    #expect(open(datagram, by: &opener, port: .control) == 3)
  }

  /// Each thread numbers its own datagrams from 0 on, so each thread needs a window of its own. With one window for all threads, the
  /// opener would refuse the datagrams of the second thread as old or as replays.
  @Test func threadsHaveSeparateWindows() {
    var opener = DatagramOpener(other)
    for thread in [DatagramSealer.Thread.control, .clock, .network] {
      var sealer = DatagramSealer(one, thread: thread)
      for _ in 0..<1000 {
        let datagram = sealed(by: &sealer, at: start)
        #expect(open(datagram, by: &opener) == 3)
      }
    }
  }

  /// A datagram that was held back is refused when a datagram of any thread has shown that a second has passed.
  @Test func datagramOlderThanASecondIsRefused() {
    var (clock, control) = (DatagramSealer(one, thread: .clock), DatagramSealer(one, thread: .control))
    var opener = DatagramOpener(other)
    // Both datagrams are sealed at the same instant. The second one arrives after a datagram that is sealed 1.2 s later.
    let punctual = sealed(by: &clock, at: start)
    let heldBack = sealed(by: &clock, at: start)
    let probe = sealed(by: &control, at: start + .milliseconds(900))
    #expect(open(probe, by: &opener) == 3)
    #expect(open(punctual, by: &opener) == 3)
    let later = sealed(by: &control, at: start + .milliseconds(1200))
    #expect(open(later, by: &opener) == 3)
    #expect(open(heldBack, by: &opener) == nil)
  }

  /// The time in the counter has 26 bits, in sixteenths of a second (62.5 ms). It wraps around after 48 days.
  @Test func timeWrapsAround() {
    let wrap = Instant(nanoseconds: 0x400_0000 * 62_500_000)
    var (sealer, opener) = (DatagramSealer(one, thread: .clock), DatagramOpener(other))
    let early = sealed(by: &sealer, at: wrap - .milliseconds(100))
    let late = sealed(by: &sealer, at: wrap + .milliseconds(100))
    #expect(open(late, by: &opener) == 3)
    #expect(open(early, by: &opener) == 3)
  }
}

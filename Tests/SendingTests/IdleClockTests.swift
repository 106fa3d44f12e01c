import MIDI
import MusicalTime
import Playback
import RTPMIDI
import Sending
import Testing

/// The clock while no rhythm plays (`--clock-always`). A tick of the idle clock takes 20 ms until a test changes its tempo.
@Suite struct IdleClockTests {
  private static let tempo = Tempo(nanosecondsPerQuarter: 480_000_000)!
  private static let fast = Tempo(nanosecondsPerQuarter: 240_000_000)!

  /// A sender whose idle clock has a tick at -1000 ms, and then one every 20 ms.
  private func idleSender(reportsTicks: Bool = true) -> VirtualSender {
    let virtual = VirtualSender(reportsTicks: reportsTicks)
    virtual.sender.setIdleTempo(Self.tempo, at: virtual.now)
    return virtual
  }

  /// When each Clock to a receiver was sent, in milliseconds after the origin. Ignores all other messages.
  private func clocks(_ packets: [VirtualSender.Packet]) -> [Int64] {
    packets.filter { $0.messages == [.clock] }.map { $0.sent.count / 1_000_000 }
  }

  private func every(_ step: Int64, _ range: Range<Int64>) -> [Int64] {
    stride(from: range.lowerBound, to: range.upperBound, by: Int64.Stride(step)).map { $0 }
  }

  @Test func standardDevicesAndLocalReceiversGetTicksBeforeTheFirstRun() {
    let virtual = idleSender()
    let (device, stamped) = (virtual.open(), virtual.open())
    let (tutti, source) = (virtual.open(isTuttiPeer: true), virtual.open(takesClock: false))
    virtual.execute(.setTimeStamped(virtual.streams[stamped], true))
    virtual.play(from: .milliseconds(-1000), to: .milliseconds(-1))
    for receiver in [device, stamped] {
      let packets = virtual.takePackets(to: receiver)
      #expect(clocks(packets) == every(20, -1000..<0) && packets.count == 50)
      // A time-stamp receiver, too, gets these ticks when they are due.
      #expect(packets.allSatisfy { $0.timestamp == RTPHeader.timestamp(of: VirtualSender.origin + $0.sent) })
    }
    #expect(virtual.takePackets(to: tutti) == [] && virtual.takePackets(to: source) == [])
    #expect(virtual.events == Array(repeating: "idle", count: 50))
  }

  @Test func newReceiverGetsTheNextTick() {
    let virtual = idleSender()
    virtual.play(from: .milliseconds(-1000), to: .milliseconds(-505))
    let device = virtual.open()
    virtual.play(from: .milliseconds(-505), to: .milliseconds(-450))
    #expect(clocks(virtual.takePackets(to: device)) == [-500, -480, -460])
  }

  /// The run begins 7 ms after a tick of the idle clock. Start leaves 10 ms before the run, and 95 ms before it to a time-stamp receiver.
  @Test func noReceiverGetsAnIdleTickBetweenStartAndStop() {
    let virtual = idleSender()
    let (device, stamped) = (virtual.open(), virtual.open())
    virtual.execute(.setTimeStamped(virtual.streams[stamped], true))
    virtual.sender.adopt(
      VirtualSender.schedule(end: 50, at: VirtualSender.origin + .milliseconds(7)), at: virtual.now)
    virtual.play(from: .milliseconds(-1000), to: .milliseconds(1100))
    let packets = virtual.takePackets(to: device)
    let start = packets.firstIndex { $0.messages == [.start] }!
    let stop = packets.firstIndex { $0.messages == [.stop] }!
    // The packets are sent in steps of half a millisecond, on a grid that contains each due time.
    #expect(packets[start].sent == .milliseconds(-3) && packets[stop].sent == .milliseconds(1007))
    #expect(clocks(Array(packets[..<start])) == every(20, -1000..<(-3)))
    #expect(clocks(Array(packets[start..<stop])) == every(20, 7..<1007))
    // After the run, the ticks continue in its phase. The first one follows Stop at once.
    #expect(clocks(Array(packets[stop...])) == every(20, 1007..<1101))
    let ahead = virtual.takePackets(to: stamped)
    let (startAhead, stopAhead) = (
      ahead.firstIndex { $0.messages == [.start] }!, ahead.firstIndex { $0.messages == [.stop] }!
    )
    #expect(ahead[startAhead].sent == .milliseconds(-88) && stopAhead - startAhead == 51)
    #expect(clocks(Array(ahead[..<startAhead])) == every(20, -1000..<(-88)))
    #expect(clocks(Array(ahead[stopAhead...])) == every(20, 1007..<1101))
    // The ticks of the rhythm are not mixed with those of the idle clock.
    let events = virtual.events.filter { !$0.hasPrefix("step") }
    #expect(
      events == Array(repeating: "idle", count: 50) + ["begin 0"] + (0..<50).map { "tick \($0)" } + ["end"]
        + Array(repeating: "idle", count: 5))
  }

  /// The master of the run may send the clock to the devices of a follower.
  @Test func followerSendsNoTicksToDevicesDuringARun() {
    let virtual = idleSender()
    let device = virtual.open()
    virtual.sender.adopt(VirtualSender.schedule(sends: false, end: 50), at: virtual.now)
    virtual.play(from: .milliseconds(-1000), to: .milliseconds(1050))
    #expect(clocks(virtual.takePackets(to: device)) == every(20, -1000..<(-10)) + [1000, 1020, 1040])
    #expect(virtual.events.count { $0 == "idle" } == 53 && virtual.events.count { $0.hasPrefix("tick") } == 50)
  }

  @Test func lateJoinerOfARunGetsNoIdleTick() {
    let virtual = idleSender()
    virtual.sender.adopt(VirtualSender.schedule(), at: virtual.now)
    virtual.play(from: .milliseconds(-1000), to: .milliseconds(300))
    let late = virtual.open()
    virtual.play(from: .milliseconds(300), to: .milliseconds(1915))
    #expect(virtual.messages(to: late).map(\.message) == [.songPosition(UInt14(clamping: 16)), .continue])
  }

  /// The first run is replaced at 70 ms by a run that begins at 500 ms. In between, the ticks continue in the phase of the first run.
  @Test func ticksContinueBetweenTwoRuns() {
    let virtual = idleSender()
    let device = virtual.open()
    virtual.sender.adopt(VirtualSender.schedule(at: VirtualSender.origin + .milliseconds(5)), at: virtual.now)
    virtual.play(from: .milliseconds(-1000), to: .milliseconds(70))
    virtual.removePackets()
    virtual.sender.adopt(
      VirtualSender.schedule(run: 2, start: 96, at: VirtualSender.origin + .milliseconds(500)), at: virtual.now)
    virtual.play(from: .milliseconds(70), to: .milliseconds(530))
    let packets = virtual.takePackets(to: device)
    #expect(packets[0].messages == [.stop] && clocks(packets) == every(20, 85..<490) + [500, 520])
    let position = packets.firstIndex { $0.messages == [.songPosition(UInt14(clamping: 16))] }
    #expect(position == 22 && packets[23].messages == [.continue])
  }

  /// The tempo changes at 5 ms after a tick. The next tick keeps its instant.
  @Test func newTempoTakesEffectAtTheNextTick() {
    let virtual = idleSender()
    let device = virtual.open()
    virtual.play(from: .milliseconds(-1000), to: .milliseconds(-95))
    virtual.sender.setIdleTempo(Self.fast, at: virtual.now)
    virtual.play(from: .milliseconds(-95), to: .milliseconds(-41))
    #expect(clocks(virtual.takePackets(to: device)) == every(20, -1000..<(-80)) + every(10, -80..<(-41)))
    // The same tempo again changes nothing.
    virtual.sender.setIdleTempo(Self.fast, at: virtual.now)
    virtual.play(from: .milliseconds(-41), to: .milliseconds(-15))
    #expect(clocks(virtual.takePackets(to: device)) == [-40, -30, -20])
  }

  @Test func afterARunTheTempoIsThatOfTheRunUntilItChanges() {
    let virtual = idleSender()
    let device = virtual.open()
    let change = TempoChange(tempo: Self.fast, tick: Tick(48))
    virtual.sender.adopt(VirtualSender.schedule(end: 50, change: change), at: virtual.now)
    virtual.play(from: .milliseconds(-1000), to: .milliseconds(985))
    virtual.removePackets()
    // The last tick of the run, 49, is due at 970 ms, and its end at 980 ms.
    virtual.play(from: .milliseconds(985), to: .milliseconds(1011))
    #expect(clocks(virtual.takePackets(to: device)) == [990, 1000, 1010])
    virtual.sender.setIdleTempo(Self.tempo, at: virtual.now)
    virtual.play(from: .milliseconds(1012), to: .milliseconds(1065))
    #expect(clocks(virtual.takePackets(to: device)) == [1020, 1040, 1060])
  }

  @Test func clockThatIsTurnedOffSendsNothing() {
    let virtual = idleSender()
    let device = virtual.open()
    virtual.play(from: .milliseconds(-1000), to: .milliseconds(-950))
    virtual.sender.setIdleTempo(nil, at: virtual.now)
    virtual.removePackets()
    #expect(virtual.advance(to: .zero) == .distantFuture)
    #expect(virtual.takePackets(to: device) == [])
    virtual.sender.setIdleTempo(Self.tempo, at: VirtualSender.origin + .milliseconds(3))
    virtual.play(from: .zero, to: .milliseconds(30))
    #expect(clocks(virtual.takePackets(to: device)) == [3, 23])
  }

  /// The driver stands still for eight seconds, then for eleven. Ticks that are late by more than ten seconds are not sent.
  @Test func veryLateTicksAreSkipped() {
    let virtual = idleSender()
    let device = virtual.open()
    virtual.play(from: .milliseconds(-1000), to: .milliseconds(-990))
    virtual.advance(to: .milliseconds(7010))
    #expect(virtual.takePackets(to: device).count == 1 + 400)
    let next = virtual.advance(to: .milliseconds(18_020))
    #expect(next == VirtualSender.origin + .milliseconds(18_040))
    #expect(clocks(virtual.takePackets(to: device)) == [18_020])
  }

  /// Three hundred devices that never acknowledge do not get more than the limit: the devices that were opened last get fewer ticks.
  @Test func ticksToDevicesThatNeverAcknowledgeAreLimited() throws {
    let virtual = VirtualSender(capacity: 300, quietTime: .zero)
    for _ in 0..<300 { virtual.open(hasJournal: true) }
    virtual.sender.setIdleTempo(try Tempo(bpm: 999), at: VirtualSender.origin)
    for time in Int64(0)..<8000 { virtual.advance(to: .milliseconds(time)) }
    for second in Int64(0)..<8 {
      let octets = virtual.packets.filter { $0.sent.count / 1_000_000_000 == second }.reduce(0) { $0 + $1.length }
      #expect(octets <= 200_000 && octets > 140_000)
    }
    #expect(virtual.withheld > 0 && virtual.takePackets(to: 0).count > 3190)
  }
}

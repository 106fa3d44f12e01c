import MIDI
import MusicalTime
import Playback
import Sending
import Testing

/// Start, Continue, Clock and Stop on the streams of both kinds of receivers. A tick takes 20 ms.
///
/// A *time-stamp receiver*, for example a Tutti peer, plays each message at the instant of its RTP time stamp. It gets the
/// messages ahead of time, here 90 ms before they are due. A *play-on-arrival receiver*, for example a standard device, plays
/// each message when it arrives. It gets the messages when they are due.
@Suite struct SentRhythmTests {
  private typealias Sent = StampedMessage

  @Test func bothKindsOfReceiversGetStartAllTicksAndStop() {
    let virtual = VirtualSender()
    let (onArrival, timeStamped) = (virtual.open(), virtual.open(isTuttiPeer: true))
    virtual.sender.adopt(VirtualSender.schedule(end: 50), at: virtual.now)
    // Start leaves 95 ms before it is due, which is 5 ms before the first tick leaves.
    virtual.play(from: .milliseconds(-100), to: .milliseconds(-95))
    #expect(virtual.messages(to: timeStamped) == [Sent(.start, at: 0)])
    #expect(virtual.messages(to: onArrival) == [])
    virtual.play(from: .milliseconds(-95), to: .milliseconds(5))
    // The time-stamp receiver gets ticks 0...4, of which the last is due at 80 ms. The play-on-arrival receiver gets Start
    // 10 ms before the first tick (``StreamSender/prelude``), and the first tick at its due time.
    #expect(virtual.messages(to: timeStamped) == Sent.clocks(0..<5))
    #expect(virtual.messages(to: onArrival) == [Sent(.start, at: 0)] + Sent.clocks(0..<1))
    virtual.play(from: .milliseconds(5), to: .milliseconds(2000))
    #expect(virtual.messages(to: timeStamped) == Sent.clocks(5..<50) + [Sent(.stop, at: 50)])
    #expect(virtual.messages(to: onArrival) == Sent.clocks(1..<50) + [Sent(.stop, at: 50)])
  }

  /// The driver waits actively only for work that must be done exactly on time. Ticks that leave ahead, and steps, are due at other
  /// instants. A change takes effect with the next tick at the latest.
  @Test func onlyReceiversOnArrivalAndPortsNeedExactTicks() {
    let virtual = VirtualSender()
    virtual.sender.needsExactTicks = false
    virtual.open(isTuttiPeer: true)
    virtual.sender.adopt(VirtualSender.schedule(), at: virtual.now)
    virtual.play(from: .milliseconds(-100), to: .milliseconds(301))
    #expect(virtual.sender.nextExact == .distantFuture)
    virtual.sender.needsExactTicks = true
    virtual.play(from: .milliseconds(301), to: .milliseconds(321))
    #expect(virtual.sender.nextExact == VirtualSender.origin + .milliseconds(340))
    virtual.sender.needsExactTicks = false
    let onArrival = virtual.open()
    virtual.play(from: .milliseconds(321), to: .milliseconds(341))
    #expect(virtual.sender.nextExact == VirtualSender.origin + .milliseconds(360))
    virtual.close(onArrival)
    virtual.play(from: .milliseconds(341), to: .milliseconds(361))
    #expect(virtual.sender.nextExact == .distantFuture)
  }

  @Test func lateJoinerGetsSongPositionAndContinueAtTheBarWithoutEffectOnOtherReceivers() {
    let virtual = VirtualSender()
    let first = virtual.open()
    virtual.sender.adopt(VirtualSender.schedule(), at: virtual.now)
    virtual.play(from: .milliseconds(-100), to: .milliseconds(300))
    _ = virtual.messages(to: first)
    let late = virtual.open()
    virtual.play(from: .milliseconds(300), to: .milliseconds(2000))
    // A bar has 96 ticks of 20 ms. The next bar begins at 1920 ms, with step 16.
    let beginning = [Sent(.songPosition(UInt14(clamping: 16)), at: 96), Sent(.continue, at: 96)]
    #expect(virtual.messages(to: late) == beginning + Sent.clocks(96..<101))
    #expect(virtual.messages(to: first) == Sent.clocks(16..<101))
  }

  @Test func lateTimeStampReceiverGetsSongPositionAndContinueAhead() {
    // The next bar begins at 1920 ms. Song Position and Continue leave 95 ms before this instant.
    let virtual = VirtualSender()
    virtual.sender.adopt(VirtualSender.schedule(), at: virtual.now)
    virtual.play(from: .milliseconds(-100), to: .milliseconds(300))
    let late = virtual.open(isTuttiPeer: true)
    virtual.play(from: .milliseconds(300), to: .milliseconds(1824))
    #expect(virtual.messages(to: late) == [])
    virtual.play(from: .milliseconds(1825), to: .milliseconds(1830))
    let beginning = [Sent(.songPosition(UInt14(clamping: 16)), at: 96), Sent(.continue, at: 96)]
    #expect(virtual.messages(to: late) == beginning + Sent.clocks(96..<97))
  }

  @Test func continuationSendsTheSongPosition() {
    let virtual = VirtualSender()
    let device = virtual.open()
    // The rhythm continues at step 20 000.
    virtual.sender.adopt(VirtualSender.schedule(start: 6 * 20_000), at: virtual.now)
    virtual.play(from: .milliseconds(-20), to: .milliseconds(1))
    // The song position has 14 bits. It is the step modulo 16 384, the number of values of 14 bits. 16 384 is a multiple of the 16 steps
    // of the pattern, so the receiver is at the same step of the pattern.
    let messages = virtual.messages(to: device).map(\.message)
    #expect(messages == [.songPosition(UInt14(clamping: 20_000 - 16_384)), .continue, .clock])
  }

  @Test func receiverThatBecomesATimeStampReceiverMissesNoTick() {
    let virtual = VirtualSender()
    // At 405 ms, the ticks of the next 90 ms have already been sent to this time-stamp receiver, but not to the device.
    virtual.open(isTuttiPeer: true)
    let device = virtual.open()
    virtual.sender.adopt(VirtualSender.schedule(), at: virtual.now)
    virtual.play(from: .milliseconds(-100), to: .milliseconds(405))
    let before = virtual.messages(to: device)
    virtual.execute(.setTimeStamped(virtual.streams[device], true))
    virtual.advance(to: .milliseconds(405))
    // The device has received tick 20, due at 400 ms. The ticks 21 to 24 are due by 495 ms.
    let pending = virtual.messages(to: device)
    #expect(pending == Sent.clocks(21..<25), "the ticks of the next 90 ms are sent immediately")
    virtual.play(from: .milliseconds(405), to: .milliseconds(500))
    #expect(before + pending + virtual.messages(to: device) == [Sent(.start, at: 0)] + Sent.clocks(0..<30))
  }

  /// At 945 ms, when the device becomes a time-stamp receiver, the last tick has already left for such receivers. It is due at
  /// 980 ms and left 90 ms ahead.
  @Test func receiverThatBecomesATimeStampReceiverBeforeTheEndMissesNoTick() {
    let virtual = VirtualSender()
    let device = virtual.open()
    virtual.sender.adopt(VirtualSender.schedule(end: 50), at: virtual.now)
    virtual.play(from: .milliseconds(-100), to: .milliseconds(945))
    virtual.execute(.setTimeStamped(virtual.streams[device], true))
    virtual.play(from: .milliseconds(945), to: .milliseconds(1100))
    #expect(virtual.messages(to: device) == [Sent(.start, at: 0)] + Sent.clocks(0..<50) + [Sent(.stop, at: 50)])
  }

  /// The new run replaces a run that has begun and has steps left. The sender reports that the previous run is cut short.
  @Test func replacedRunIsStopped() {
    let virtual = VirtualSender()
    let device = virtual.open()
    virtual.sender.adopt(VirtualSender.schedule(), at: virtual.now)
    virtual.play(from: .milliseconds(-20), to: .milliseconds(70))
    virtual.sender.adopt(VirtualSender.schedule(run: 2, sends: false), at: virtual.now)
    virtual.play(from: .milliseconds(70), to: .milliseconds(200))
    // The ticks 0 to 3 are due by 70 ms.
    #expect(virtual.messages(to: device).map(\.message) == [.start, .clock, .clock, .clock, .clock, .stop])
    #expect(virtual.cutsPreviousRunShort)
  }

  @Test func endedRunIsNotCutShort() {
    let virtual = VirtualSender()
    virtual.sender.adopt(VirtualSender.schedule(end: 5), at: virtual.now)
    virtual.play(from: .milliseconds(-100), to: .milliseconds(200))
    virtual.sender.adopt(VirtualSender.schedule(run: 2, at: VirtualSender.origin + .seconds(1)), at: virtual.now)
    virtual.advance(to: .milliseconds(201))
    #expect(!virtual.cutsPreviousRunShort)
  }

  @Test func senderHasNothingToDoBeforeTheFirstRun() {
    let virtual = VirtualSender()
    virtual.open()
    #expect(virtual.advance(to: .zero) == .distantFuture)
    #expect(virtual.packets == [] && virtual.events == [])
  }

  /// A standard device that is the clock source gets messages, but no clock. A stream that is opened for a clock source gets
  /// the clock if its receiver is recognised as a Tutti peer, because the MIDI clock of a Tutti peer is not used.
  @Test(arguments: [false, true]) func clockSourceGetsTheClockOnlyIfItIsATuttiPeer(isTuttiPeer: Bool) {
    let virtual = VirtualSender()
    let source = virtual.open(takesClock: false)
    if isTuttiPeer { virtual.execute(.recognise(virtual.streams[source])) }
    virtual.sender.adopt(VirtualSender.schedule(), at: virtual.now)
    virtual.play(from: .milliseconds(-20), to: .milliseconds(70))
    let note = Message.noteOn(Channel(2)!, key: 60, velocity: 100)
    virtual.send(note, to: isTuttiPeer ? .tuttiPeers : .standardDevices)
    virtual.advance(to: .milliseconds(70))
    virtual.sender.adopt(VirtualSender.schedule(run: 2, sends: false), at: virtual.now)
    virtual.play(from: .milliseconds(70), to: .milliseconds(200))
    #expect(
      virtual.messages(to: source).map(\.message)
        == (isTuttiPeer ? [.start, .clock, .clock, .clock, .clock, note, .stop] : [note]))
  }

  /// `stopStreams` stops the run on all streams at 25 ms.
  @Test func stoppingTheStreamsSendsStopOnce() {
    let virtual = VirtualSender()
    let receivers = [virtual.open(), virtual.open(isTuttiPeer: true)]
    virtual.sender.adopt(VirtualSender.schedule(), at: virtual.now)
    virtual.play(from: .milliseconds(-100), to: .milliseconds(25))
    virtual.removePackets()
    virtual.removeEvents()
    virtual.sender.stopStreams(at: virtual.now)
    virtual.play(from: .milliseconds(26), to: .milliseconds(200))
    for receiver in receivers { #expect(virtual.messages(to: receiver).map(\.message) == [.stop]) }
    #expect(virtual.events.first == "end")
  }
}

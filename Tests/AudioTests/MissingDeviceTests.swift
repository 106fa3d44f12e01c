import Audio
import MusicalTime
import Realtime
import Testing

/// Tests with device names that cannot be played on any machine.
@Suite struct MissingDeviceTests {
  @Test(arguments: ["hw:77,0", "nosuchdevice", "{", "hw:\u{1B}[2J", ""])
  func missingDeviceIsNamedInTheError(name: String) {
    let error = #expect(throws: PCMError.self) { try PCMDevice(name) }
    // The message has the form "device: reason; remedy". It fits on one line and contains no escape sequence.
    let text = error?.description ?? ""
    #expect(error?.device == name && text.split(separator: ";").count >= 2 && !text.contains("\u{1B}"))
    #expect(!text.contains("\n"))
    let hasRemedy = text.contains("--audio alsa:") || text.hasSuffix("write the sound to a file with --audio wav:FILE")
    #expect(hasRemedy, "\(text)")
  }

  @Test(arguments: ["null", "plug:null", "file:/dev/null,raw"]) func deviceWithoutClockIsRejected(name: String) {
    let error = #expect(throws: PCMError.self) { try PCMDevice(name) }
    #expect(error?.reason == "the device accepts samples without playing them", "\(String(describing: error))")
  }

  @Test func canOpenReportsWhetherADeviceOpens() {
    #expect(PCMDevices.canOpen("null") && !PCMDevices.canOpen("hw:77,0"))
  }

  @Test func nameWithZeroByteIsRejected() {
    let error = #expect(throws: PCMError.self) { try PCMDevice("default\0x") }
    #expect(error?.reason == "invalid device name")
  }

  /// `CardLoopTests` test a card that appears later.
  @Test func hitsForADeviceThatStaysAwayAreDroppedAndNoLossIsCounted() throws {
    let events = SoundEvents()
    let device = PCMDevice(awaiting: "hw:Nowhere,7")
    #expect(device.isAwaited && device.summary.hasPrefix("hw:Nowhere,7: not usable now, so this peer"))
    let thread = AudioThread(events: events, module: nil, sink: .card(device, latency: .zero))
    #expect(thread.cardState?.status == .awaited)
    let now = MonotonicClock.now
    events.push(SoundEvent(instant: now + .milliseconds(20), note: 37, velocity: 100, group: 0))
    MonotonicClock.sleep(until: now + .milliseconds(600))
    let state = try #require(thread.cardState)
    #expect(state.reason == "no such sound card" && state.losses == 0)
    #expect(thread.counters.dropped == 1 && thread.counters.hits == 0)
    #expect(thread.stop(after: MonotonicClock.now))
  }
}

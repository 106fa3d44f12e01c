import MusicalTime
import Testing

@testable import Audio

extension SoundCardTests {
  /// Tests of the list of devices and of the parameters negotiated with them.
  @Suite struct PCMDeviceTests {
    @Test func namesOfDevicesArePrintableAndComplete() {
      let octets = Array("K\u{202E}arte\u{200F} ü".utf8).dropLast() + [0]
      let text = octets.map { CChar(bitPattern: $0) }
      #expect(text.withUnsafeBufferPointer { PCMDevices.text($0.baseAddress) } == "Karte")
    }

    @Test func listedDevicesCanBeOpenedByName() throws {
      var all = PCMDevices.all
      // The first list may be incomplete. ALSA first reads its files from the disk, and the clock of the virtual
      // machine of the lab may jump ahead meanwhile. The timeout of two seconds then ends the search.
      for _ in 0..<30 where !all.contains(where: { $0.name.hasPrefix("hw:") }) { all = PCMDevices.all }
      #expect(all.contains { $0.name == "hw:Loopback,0" } && all.contains { $0.name == "hw:Dummy,0" })
      for entry in all {
        #expect(!entry.description.isEmpty)
        let device = try PCMDevice(entry.name)
        device.close()
      }
      let error = #expect(throws: PCMError.self) { try PCMDevice("hw:NoSuch,0") }
      #expect(
        error?.remedy.contains("default, hw:") == true && error?.remedy.contains("hw:Loopback,0") == true
          && error?.reason == "no such sound card")
    }

    @Test(arguments: ["hw:Loopback,0,3", "plughw:Loopback,0,3", "hw:Dummy,0", "plughw:Dummy,0"])
    func cardHoldsAPeriodAndABlock(name: String) throws {
      // The delay is that of the period and of a block of 64 frames: 320 frames at 48 kHz take 6.7 ms.
      for (period, milliseconds) in [(256, "6.7"), (64, "2.7"), (1_024, "22.7")] as [(Int64, String)] {
        let device = try PCMDevice(name, period: period)
        #expect(device.grid.rate == 48_000)
        #expect(
          device.summary == "\(name): 48000 Hz, period of \(period) frames; output delay \(milliseconds) ms, as "
            + "reported by the device; if speakers or Bluetooth add delay, give it with --latency")
        device.close()
      }
      #expect(try PCMDevice(name).summary.contains(" period of 256 frames;"))
    }

    @Test func busyDeviceIsReported() throws {
      let device = try PCMDevice("hw:Loopback,0,3")
      let error = #expect(throws: PCMError.self) { try PCMDevice("hw:Loopback,0,3") }
      #expect(error?.description.hasPrefix("hw:Loopback,0,3: another program is using this sound card; ") == true)
      device.close()
      let again = try PCMDevice("hw:Loopback,0,3")
      again.close()
      // The second call has no effect.
      again.close()
    }

    @Test func rateOfTheCaptureSideIsUsed() throws {
      let recording = try LoopbackRecording(substream: 4, rate: 44_100, seconds: 1)
      try recording.waitUntilRunning()
      let device = try PCMDevice("hw:Loopback,0,4")
      #expect(device.grid.rate == 44_100)
      // Rates above 96 kHz are not supported.
      let tooFast = try LoopbackRecording(substream: 5, rate: 176_400, seconds: 1)
      try tooFast.waitUntilRunning()
      let error = #expect(throws: PCMError.self) { try PCMDevice("hw:Loopback,0,5") }
      #expect(error?.description.contains("; to convert the samples, use the device plughw:Loopback,0,5") == true)
    }
  }
}

import Audio
import MusicalTime
import Processes
import Testing

/// Devices that are not there, on any machine.
@Suite struct MissingDeviceTests {
  @Test(arguments: ["hw:77,0", "nosuchdevice", "{", "hw:\u{1B}[2J", ""])
  func aDeviceThatIsNotThereIsNamed(name: String) {
    let error = #expect(throws: PCMError.self) { try PCMDevice(name) }
    let text = error?.description ?? ""
    #expect(error?.device == name && text.split(separator: ";").count >= 2 && !text.contains("\u{1B}"))
    #expect(!text.contains("\n") && text.contains("--audio alsa:"))
  }

  @Test(arguments: ["null", "plug:null", "file:/dev/null,raw"]) func whatKeepsNoTimeIsNoDevice(name: String) {
    let error = #expect(throws: PCMError.self) { try PCMDevice(name) }
    #expect(error?.reason == "it takes sound without playing it", "\(String(describing: error))")
  }

  @Test func whatCanBeOpenedSaysSo() {
    #expect(PCMDevices.canOpen("null") && !PCMDevices.canOpen("hw:77,0"))
  }

  @Test func aZeroByteIsNotCutOff() {
    let error = #expect(throws: PCMError.self) { try PCMDevice("default\0x") }
    #expect(error?.reason == "not a name")
  }
}

/// The lab's sound cards, one test at a time: a card is for one.
@Suite(.serialized, .enabled(if: Lab.hasLoopback, "\(Lab.needsLoopback)")) struct SoundCardTests {}

extension SoundCardTests {
  /// What is agreed upon with them.
  @Suite struct PCMDeviceTests {
    @Test func theListHasTheWordsToOpenThem() throws {
      var all = PCMDevices.all
      // Files of ALSA's that were never read come so late that its two seconds are over, as the guest's clock leaps ahead.
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
    func aCardGetsTwoSmallPeriods(name: String) throws {
      let device = try PCMDevice(name)
      #expect(device.grid.rate == 48_000)
      #expect(
        device.summary == "\(name): 48000 Hz, 2 periods of 256 frames; output delay 10.7 ms, known from the device; "
          + "what comes after it is not (--latency)")
    }

    @Test func aBusyDeviceSaysSo() throws {
      let device = try PCMDevice("hw:Loopback,0,3")
      let error = #expect(throws: PCMError.self) { try PCMDevice("hw:Loopback,0,3") }
      #expect(error?.description.hasPrefix("hw:Loopback,0,3: another program has this sound card; ") == true)
      device.close()
      let again = try PCMDevice("hw:Loopback,0,3")
      again.close()
      again.close()
    }

    @Test func whatTheOtherEndOfTheLoopHasChosenIsTaken() throws {
      let recording = try LoopbackRecording(substream: 4, rate: 44_100, seconds: 1)
      try recording.waitUntilRunning()
      let device = try PCMDevice("hw:Loopback,0,4")
      #expect(device.grid.rate == 44_100)
      let odd = try LoopbackRecording(substream: 5, rate: 176_400, seconds: 1)
      try odd.waitUntilRunning()
      let error = #expect(throws: PCMError.self) { try PCMDevice("hw:Loopback,0,5") }
      #expect(error?.description.contains("--audio alsa:plughw:Loopback,0,5, which converts") == true)
    }
  }
}

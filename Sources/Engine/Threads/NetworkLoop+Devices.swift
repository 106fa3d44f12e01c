import MIDI
import MusicalTime
import RTPMIDI
import Realtime
import Receiving
import Sending
import Transports

// The adopted devices. The notes of a device strike an instrument of its own, if the local player has chosen one, or sound on the channel
// of the device. Its controllers move the controls of this instrument. CC 11 is its energy.
extension NetworkLoop {
  /// A message of a device that is played after the packet has been decoded.
  struct DeviceMessage: BitwiseCopyable {
    let index: Int
    let message: Message

    @_noLocks @_noAllocation
    init(_ index: Int, _ message: Message) { (self.index, self.message) = (index, message) }
  }

  /// The index of the device whose messages come from a session; nil if the session is no player.
  @_noLocks @_noAllocation
  func device(of session: SessionID) -> Int? {
    var index = 0
    while index < AdoptedDevice.maximumCount {
      if case .session(let id) = devices[index].source, id.number == session.number { return index }
      index += 1
    }
    return nil
  }

  /// The index of the device whose messages come from an ALSA port; nil if the port is no player.
  @_noLocks @_noAllocation
  func device(of address: SequencerAddress) -> Int? {
    var index = 0
    while index < AdoptedDevice.maximumCount {
      if case .port(let port) = devices[index].source, port.client == address.client, port.port == address.port {
        return index
      }
      index += 1
    }
    return nil
  }

  /// Uses new settings of the devices.
  @_noLocks @_noAllocation
  mutating func adoptDevices(_ settings: InstrumentSettings, at now: Instant) {
    var index = 0
    while index < AdoptedDevice.maximumCount {
      if case .none = settings.devices[index].source {} else { hasDevices = true }
      index += 1
    }
    index = 0
    while hasDevices, index < AdoptedDevice.maximumCount {
      let (former, next) = (devices[index], settings.devices[index])
      devices[index] = next
      var own = settings
      own.number = settings.number &+ (next.connections &* 0x1_0000)
      (own.activity, own.pitchSource) = (next.energy, 0)
      if case .none = next.source { own.table = nil }
      deviceInstruments[index].adopt(own, at: now)
      if !former.source.isSame(as: next.source) { deviceLimits[index].reset() }
      // The notes on the former channel end.
      if former.channel != next.channel {
        playForDevice(.controlChange(Channel(wire: former.channel), controller: 123, value: 0))
      }
      index += 1
    }
  }

  /// Plays a message of a device, which arrived at `now`.
  @_noLocks @_noAllocation
  mutating func playDevice(_ index: Int, _ message: Message, at now: Instant) {
    guard message.isOfChannel else { return }
    if case .controlChange(_, let controller, _) = message, controller.value == 11 {
      rings.events.push(.device(index, message, at: now))
      return
    }
    if message.startsNote {
      if devices[index].isMuted { return }
      rings.events.push(.device(index, message, at: now))
    }
    if deviceInstruments[index].receive(message, at: now) { return }
    playForDevice(message.on(Channel(wire: devices[index].channel)))
  }

  /// Plays the messages of devices that were collected while a packet was decoded.
  @_noLocks @_noAllocation
  mutating func playDeviceMessages() {
    var index = 0
    while index < deviceMessages.count {
      let next = deviceMessages[index]
      index += 1
      playDevice(next.index, next.message, at: MonotonicClock.now)
    }
    deviceMessages.removeAll()
  }

  /// Plays the values that have waited in the limits of local programs and of devices, and reports the messages that these limits have
  /// dropped.
  @_noLocks @_noAllocation
  mutating func playLimited() {
    let now = MonotonicClock.now
    while let due = receiver.nextOfLimit(at: now) {
      switch due {
      case .value(let message): if !isForInstrument(message, at: now) { play(unchanged: message) }
      case .report(let count): pass(.refused(nil, count: count))
      }
      rings.bell.ring()
    }
    var index = 0
    while hasDevices, index < AdoptedDevice.maximumCount {
      while let due = deviceLimits[index].due(at: now) {
        switch due {
        case .value(let message): playDevice(index, message, at: now)
        case .report(let count): pass(.refused(nil, count: count))
        }
        rings.bell.ring()
      }
      index += 1
    }
  }

  @_noLocks @_noAllocation
  private mutating func playForDevice(_ message: Message) {
    receiver.execute(.playForPage(message))
    while let output = receiver.next() { perform(output) }
  }
}

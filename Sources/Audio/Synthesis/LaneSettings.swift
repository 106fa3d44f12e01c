import MIDI

/// The settings of the sixteen channels of a ``ChannelSynthesizer``: everything that messages other than notes have changed. A new lane gets
/// them before its first note, so that it sounds like the lanes that got the messages themselves.
///
/// The values are those at the beginning until a message changes them. Reset All Controllers restores the values of the beginning as
/// FluidSynth does: all except the bank, volume, pan, balance, sound controllers, effect depths and the range of the pitch bend
/// (MIDI 1.0, RP-015). `ChannelSettings` of the module Ensemble keeps the messages themselves, but allocates memory.
///
/// Real-time: safe.
struct LaneSettings: BitwiseCopyable {
  /// Stands for a value that no message has changed. Greater than every 7-bit and 14-bit value.
  private static var unchanged: UInt16 { @_noLocks @_noAllocation get { .max } }

  // Each array has one element per channel, or 128 per channel.
  private var controllers = InlineArray<2048, UInt16>(repeating: .max)
  private var keyPressures = InlineArray<2048, UInt16>(repeating: .max)
  private var pressures = InlineArray<16, UInt16>(repeating: .max)
  private var bends = InlineArray<16, UInt16>(repeating: .max)
  /// The program, and the bank (CC 0 and CC 32) when it was selected.
  private var programs = InlineArray<16, UInt16>(repeating: .max)
  private var banks = InlineArray<32, UInt16>(repeating: .max)
  /// The registered parameters 0...2 of each channel: bend range, fine and coarse tuning.
  private var parameters = InlineArray<48, UInt16>(repeating: .max)

  @_noLocks @_noAllocation
  init() {}

  /// Records a message other than a note.
  @_noLocks @_noAllocation
  mutating func record(_ message: Message) {
    switch message {
    case .controlChange(let channel, let controller, let value):
      record(Int(controller.value), UInt16(value.value), on: Int(channel.wire))
    case .programChange(let channel, let program):
      let wire = Int(channel.wire)
      programs[wire] = UInt16(program.value)
      banks[2 &* wire] = controllers[128 &* wire]
      banks[2 &* wire &+ 1] = controllers[128 &* wire &+ 32]
    case .polyphonicPressure(let channel, let key, let pressure):
      keyPressures[128 &* Int(channel.wire) &+ Int(key.value)] = UInt16(pressure.value)
    case .channelPressure(let channel, let pressure): pressures[Int(channel.wire)] = UInt16(pressure.value)
    case .pitchBend(let channel, let bend): bends[Int(channel.wire)] = bend.value
    default: break
    }
  }

  @_noLocks @_noAllocation
  private mutating func record(_ controller: Int, _ value: UInt16, on wire: Int) {
    let first = 128 &* wire
    switch controller {
    case 121: reset(wire)
    // Controllers from 120 on are commands. ``ChannelLane`` replaces non-registered parameters (98, 99) by the null parameter.
    case 120...127: break
    case 98, 99: (controllers[first &+ 100], controllers[first &+ 101]) = (127, 127)
    case 6:
      let parameter = controllers[first &+ 100]
      guard controllers[first &+ 101] == 0, parameter <= 2 else { return }
      let low = controllers[first &+ 38]
      parameters[3 &* wire &+ Int(parameter)] = value &<< 7 | (low == Self.unchanged ? 0 : low)
    default: controllers[first &+ controller] = value
    }
  }

  @_noLocks @_noAllocation
  private mutating func reset(_ wire: Int) {
    var index = 0
    while index < 128 {
      let isKept =
        index % 32 == 0 && index < 64 || index == 7 || index == 39 || index == 8 || index == 40 || index == 10
        || index == 42 || index >= 70 && index <= 79 || index >= 91 && index <= 95
      if !isKept { controllers[128 &* wire &+ index] = Self.unchanged }
      keyPressures[128 &* wire &+ index] = Self.unchanged
      index += 1
    }
    (pressures[wire], bends[wire]) = (Self.unchanged, Self.unchanged)
    (parameters[3 &* wire &+ 1], parameters[3 &* wire &+ 2]) = (Self.unchanged, Self.unchanged)
  }

  /// Sends all changed settings to `lane`, which has no voices.
  @_noLocks @_noAllocation
  func send(to lane: inout ChannelLane) {
    var wire = 0
    while wire < 16 {
      send(wire, to: &lane)
      wire += 1
    }
  }

  @_noLocks @_noAllocation
  private func send(_ wire: Int, to lane: inout ChannelLane) {
    let channel = Channel(wire: UInt8(truncatingIfNeeded: wire))
    let first = 128 &* wire
    if programs[wire] != Self.unchanged {
      control(channel, 0, banks[2 &* wire], &lane)
      control(channel, 32, banks[2 &* wire &+ 1], &lane)
      lane.play(.programChange(channel, program: Self.data(programs[wire])))
    }
    var parameter = 0
    while parameter < 3 {
      let value = parameters[3 &* wire &+ parameter]
      if value != Self.unchanged {
        control(channel, 101, 0, &lane)
        control(channel, 100, UInt16(truncatingIfNeeded: parameter), &lane)
        control(channel, 38, value & 0x7F, &lane)
        control(channel, 6, value &>> 7, &lane)
        // The values at the beginning, unless the loop below sends others.
        control(channel, 38, 0, &lane)
        control(channel, 101, 127, &lane)
        control(channel, 100, 127, &lane)
      }
      parameter += 1
    }
    var index = 0
    while index < 128 {
      control(channel, index, controllers[first &+ index], &lane)
      let pressure = keyPressures[first &+ index]
      if pressure != Self.unchanged {
        let key = Self.data(UInt16(truncatingIfNeeded: index))
        lane.play(.polyphonicPressure(channel, key: key, pressure: Self.data(pressure)))
      }
      index += 1
    }
    if pressures[wire] != Self.unchanged { lane.play(.channelPressure(channel, pressure: Self.data(pressures[wire]))) }
    if bends[wire] != Self.unchanged {
      lane.play(.pitchBend(channel, UInt14(low: Self.data(bends[wire] & 0x7F), high: Self.data(bends[wire] &>> 7))))
    }
  }

  @_noLocks @_noAllocation
  private func control(_ channel: Channel, _ controller: Int, _ value: UInt16, _ lane: inout ChannelLane) {
    guard value != Self.unchanged else { return }
    let controller = Self.data(UInt16(truncatingIfNeeded: controller))
    lane.play(.controlChange(channel, controller: controller, value: Self.data(value)))
  }

  @_noLocks @_noAllocation
  private static func data(_ value: UInt16) -> UInt7 { UInt7(masking: UInt8(truncatingIfNeeded: value)) }
}

import CFluidSynth
public import MIDI

// What each message does to the synthesizer.
extension ChannelSynthesizer {
  /// The General MIDI program with which `channel` begins, 0...127; on channel 10 the kit.
  ///
  /// Peers are told apart by their channels, lowest first, so neighbours differ in kind: struck, plucked, blown, bowed.
  /// All are soft enough to sound well together whatever is played, and answer a touch within 40 ms, which the slow
  /// strings and pads of General MIDI do not.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func program(of channel: Channel) -> UInt7 {
    switch channel.number {
    case 2: 11  // Vibraphone
    case 3: 24  // Acoustic Guitar (nylon)
    case 4: 12  // Marimba
    case 5: 46  // Orchestral Harp
    case 6: 4  // Electric Piano 1
    case 7: 71  // Clarinet
    case 8: 108  // Kalimba
    case 9: 88  // Pad 1 (new age), which begins as a bell
    case 11: 45  // Pizzicato Strings
    case 12: 8  // Celesta
    case 13: 75  // Pan Flute
    case 14: 114  // Steel Drums
    case 15: 107  // Koto
    case 16: 21  // Accordion
    default: 0  // Channel 10: the standard kit
    }
  }

  /// How many changes it takes to start a voice; FluidSynth 2.3.1 makes 49.
  static var changesOfStart: Int32 { @_noLocks @_noAllocation get { 50 } }

  /// How many changes `message` may bring while `voices` sound: no fewer than measured with FluidSynth 2.3.1 and its
  /// default SoundFont, where Reset All Controllers changes a voice in ten places, pan in two, everything else in one, and
  /// a note starts up to six voices.
  @_noLocks @_noAllocation
  static func changes(by message: Message, voices: Int32) -> Int32 {
    switch message {
    case .noteOn: 6 &* changesOfStart &+ 2 &* voices
    case .controlChange(_, let controller, _) where controller.value == 121: 16 &* voices
    default: 2 &* voices
    }
  }

  /// Hands `message` on, unless it is of channel 1 or of no channel.
  @_noLocks @_noAllocation
  static func send(_ message: Message, to synthesizer: OpaquePointer) {
    let octets = message.bytes.octets
    let channel = Int32(octets[0] & 0x0F)
    guard channel != 0 else { return }
    switch message {
    case .noteOff(_, let key, _): lane_note_off(synthesizer, channel, Int32(key.value))
    case .noteOn(_, let key, let velocity): lane_note_on(synthesizer, channel, Int32(key.value), Int32(velocity.value))
    case .polyphonicPressure(_, let key, let pressure):
      lane_key_pressure(synthesizer, channel, Int32(key.value), Int32(pressure.value))
    case .controlChange(_, let controller, let value):
      control(synthesizer, channel, controller.value, Int32(value.value))
    case .programChange(_, let program): lane_program(synthesizer, channel, Int32(program.value))
    case .channelPressure(_, let pressure): lane_channel_pressure(synthesizer, channel, Int32(pressure.value))
    case .pitchBend(_, let bend): lane_pitch_bend(synthesizer, channel, Int32(bend.value))
    default: return
    }
  }

  /// Sets a controller, with three exceptions:
  ///
  /// - Of the registered parameters only pitch bend range, fine and coarse tuning can be chosen. Choosing a tuning program
  ///   allocates, without end.
  /// - Non-registered parameters cannot be chosen. FluidSynth adds up the number of a SoundFont generator without bound.
  /// - Omni, mono and poly mode, of which FluidSynth makes nothing here, end notes, as MIDI 1.0 asks of them.
  @_noLocks @_noAllocation
  private static func control(_ synthesizer: OpaquePointer, _ channel: Int32, _ controller: UInt8, _ value: Int32) {
    switch controller {
    case 98, 99:
      lane_controller(synthesizer, channel, 101, 127)
      lane_controller(synthesizer, channel, 100, 127)
    case 100: lane_controller(synthesizer, channel, 100, value <= 2 ? value : 127)
    case 101: lane_controller(synthesizer, channel, 101, value == 0 ? 0 : 127)
    case 122: return
    case 123...127: lane_controller(synthesizer, channel, 123, 0)
    default: lane_controller(synthesizer, channel, Int32(controller), value)
    }
  }
}

import CFluidSynth
import MIDI

// The effect of each message on the synthesizer.
extension ChannelLane {
  /// An upper bound of the number of parameter changes that FluidSynth makes to start a voice. Version 2.3.1 makes 49.
  static var changesPerVoiceStart: Int32 { @_noLocks @_noAllocation get { 50 } }

  /// Returns an upper bound of the parameter changes that `message` causes while `voices` voices sound.
  ///
  /// FluidSynth stores the parameter changes of a block in a ring of fixed size. ``accepts(_:)`` uses the result to accept no
  /// more messages than the ring can store. In measurements with FluidSynth 2.3.1 and its default SoundFont, Reset All
  /// Controllers (121) makes ten changes per voice, pan makes two, any other message makes one, and a note starts up to six
  /// voices. The result has a reserve: 16 changes per voice for Reset All Controllers, and two per voice for any other message.
  /// The changes of six voice starts are added for a Note On, which can also change the voices that sound already.
  @_noLocks @_noAllocation
  static func changeBound(of message: Message, voices: Int32) -> Int32 {
    switch message {
    case .noteOn: 6 &* changesPerVoiceStart &+ 2 &* voices
    case .controlChange(_, let controller, _) where controller.value == 121: 16 &* voices
    default: 2 &* voices
    }
  }

  /// Passes a channel message to `synthesizer`. Messages without a channel are ignored. So are messages on channel 1, which carries
  /// the activity and belongs to no player. The functions `lane_...` call FluidSynth (`shim.h`).
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

  /// Sets a controller, with these exceptions:
  ///
  /// - Of the registered parameters (RPN), only 0 to 2 can be selected: pitch bend range, fine tuning and coarse tuning. An MSB
  ///   other than 0, or an LSB above 2, is replaced by 127. With 127, FluidSynth selects no parameter. RPN 3, the tuning program,
  ///   would allocate memory at each selection.
  /// - Non-registered parameters (NRPN) cannot be selected. FluidSynth would interpret them as SoundFont generators and add
  ///   their numbers without a limit. The null parameter, RPN 127 127, is selected instead.
  /// - Local Control has no effect.
  /// - Omni, mono and poly mode messages, which FluidSynth ignores here, end all notes, as MIDI 1.0 requires.
  @_noLocks @_noAllocation
  private static func control(_ synthesizer: OpaquePointer, _ channel: Int32, _ controller: UInt8, _ value: Int32) {
    switch controller {
    // The LSB and the MSB of a non-registered parameter number.
    case 98, 99:
      lane_controller(synthesizer, channel, 101, 127)
      lane_controller(synthesizer, channel, 100, 127)
    // The LSB of a registered parameter number.
    case 100: lane_controller(synthesizer, channel, 100, value <= 2 ? value : 127)
    // The MSB of a registered parameter number.
    case 101: lane_controller(synthesizer, channel, 101, value == 0 ? 0 : 127)
    // Local Control.
    case 122: return
    // All Notes Off, and the mode messages.
    case 123...127: lane_controller(synthesizer, channel, 123, 0)
    default: lane_controller(synthesizer, channel, Int32(controller), value)
    }
  }
}

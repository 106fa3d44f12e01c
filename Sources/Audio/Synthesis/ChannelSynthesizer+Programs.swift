import CFluidSynth
public import MIDI

// The initial instruments of the channels.
extension ChannelSynthesizer {
  /// Returns the initial General MIDI program of `channel`, 0...127; on channel 10 the drum kit.
  ///
  /// Adjacent channels have instruments of different kinds, such as struck, plucked and blown, because peers claim the lowest
  /// free channel and therefore use adjacent channels. All programs are soft enough to sound well together, and their attack takes
  /// less than 40 ms with the SoundFonts TimGM6mb and FluidR3, unlike that of the slow strings and pads of General MIDI.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func defaultProgram(of channel: Channel) -> UInt7 {
    switch channel.number {
    case 2: 11  // Vibraphone
    case 3: 24  // Acoustic Guitar (nylon)
    case 4: 12  // Marimba
    case 5: 46  // Orchestral Harp
    case 6: 4  // Electric Piano 1
    case 7: 69  // English Horn
    case 8: 108  // Kalimba
    case 9: 88  // Pad 1 (new age), which has a bell attack
    case 11: 45  // Pizzicato Strings
    case 12: 8  // Celesta
    case 13: 79  // Ocarina
    case 14: 114  // Steel Drums
    case 15: 107  // Koto
    case 16: 20  // Reed Organ
    default: 0  // Channel 10: the standard kit. Channel 1 carries only activity and plays no notes
    }
  }

  /// The programs with which the channels begin, 0...127, and the number of the standard drum kit.
  static var defaultPrograms: Set<UInt8> {
    Set((1...16).compactMap { number in Channel(number).map { defaultProgram(of: $0).value } })
  }
}

// The effect of the controller Brightness.
extension ChannelSynthesizer {
  /// How far the values 0 and 127 of Brightness move the cutoff frequency of the low-pass filter, in cents: four octaves.
  private static let brightnessRange = 4_800.0

  /// Lets Brightness (CC 74) move the cutoff frequency of all instruments. FluidSynth itself ignores this controller.
  ///
  /// At 64, the value after Reset All Controllers and at the beginning, the sound is unchanged (MIDI 1.0 Sound Controllers,
  /// RP-021). The modulator is bipolar and linear: 0 lowers the cutoff by four octaves, and 127 raises the cutoff by almost four
  /// octaves. A higher cutoff has an effect only on instruments with a filter.
  ///
  /// Real-time: not safe.
  static func addBrightness(to synthesizer: OpaquePointer) {
    guard let modulator = new_fluid_mod() else { return }
    let flags = FLUID_MOD_CC.rawValue | FLUID_MOD_LINEAR.rawValue | FLUID_MOD_BIPOLAR.rawValue
    fluid_mod_set_source1(modulator, 74, Int32(flags | FLUID_MOD_POSITIVE.rawValue))
    fluid_mod_set_source2(modulator, Int32(FLUID_MOD_NONE.rawValue), 0)
    fluid_mod_set_dest(modulator, Int32(GEN_FILTERFC.rawValue))
    fluid_mod_set_amount(modulator, brightnessRange)
    fluid_synth_add_default_mod(synthesizer, modulator, Int32(FLUID_SYNTH_ADD.rawValue))
    delete_fluid_mod(modulator)
  }
}

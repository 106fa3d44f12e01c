import CFluidSynth

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

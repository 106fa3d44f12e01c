import CFluidSynth

extension DrumLanes {
  /// The General MIDI SoundFont that comes with libfluidsynth3.
  public static let defaultSoundFont = "/usr/share/sounds/sf2/default-GM.sf2"

  /// The loudest single drum of the default kit then reaches a third of full scale, sixteenths of kick, snare, hi-hat,
  /// tom and crash together two thirds.
  private static let gain = 0.5

  /// How many voices a lane can hold; the oldest give way. A lane gets one hit in 64 frames at most, mostly far fewer.
  static var voices: Int32 { @_noLocks @_noAllocation get { 16 } }

  /// The 64 synthesizers, each of whose groups is a drum kit, and the lowest General MIDI drum of the kit.
  static func load(
    _ soundFont: SoundFont
  ) throws(AudioFileError) -> (lanes: UnsafeMutablePointer<OpaquePointer>, primer: UInt8) {
    let lanes = soundFont.synthesizers(blockFrames, voices: voices, gain: gain)
    for lane in 0..<blockFrames {
      for group in 0...groups {
        fluid_synth_set_channel_type(lanes[lane], channel(of: group), Int32(CHANNEL_TYPE_DRUM.rawValue))
        fluid_synth_program_change(lanes[lane], channel(of: group), 0)
      }
    }
    for note in 35...81 {
      lane_note_on(lanes[0], channel(of: 0), Int32(note), 127)
      if lane_voices(lanes[0]) > 0 { return (lanes, UInt8(note)) }
    }
    soundFont.end(lanes, count: blockFrames)
    throw AudioFileError(
      .malformed, path: soundFont.path, reason: "the SoundFont has no drum kit (bank 128)", remedy: SoundFont.remedy)
  }
}

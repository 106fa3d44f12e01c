import CFluidSynth

// Loading the drum kit into the synthesizers.
extension DrumLanes {
  /// The FluidSynth gain. With this value, the rhythms in `Patches/rhythms` have a loudness of about -20 LUFS at activity 64
  /// (Benchmarks/loudness.sh), and the loudest single drum of the default kit reaches full scale. ``SoftLimit`` limits the sum.
  private static let gain = 1.6

  /// The maximum number of voices of a lane, enough for four notes of two voices, so that all lanes together hold 256 of them. A new voice
  /// replaces the oldest voice. Each voice takes 11 kB in each of the 64 lanes.
  static var polyphony: Int32 { @_noLocks @_noAllocation get { 12 } }

  /// Creates `count` synthesizers, with memory for 64, and sets up a drum kit on the channel of each cut-off group.
  ///
  /// - Returns: the synthesizers, and a General MIDI drum note that sounds. ``prime(_:)`` plays this note inaudibly, so that the first
  ///   audible hit in a lane sounds like all later hits. The note has a single voice if there is such a note: the voices of a stereo drum
  ///   are panned left and right, and would leave the voice slots in different states.
  /// - Throws: ``AudioFileError`` if the SoundFont has no drum kit.
  static func load(
    _ soundFont: SoundFont, lanes count: Int
  ) throws(AudioFileError) -> (lanes: UnsafeMutablePointer<OpaquePointer>, primingNote: UInt8) {
    let lanes = soundFont.makeSynthesizers(count, capacity: blockFrames, polyphony: polyphony, gain: gain)
    for lane in 0..<count { setUp(lanes[lane]) }
    let block = UnsafeMutablePointer<Float>.allocate(capacity: 2 * blockFrames)
    defer { block.deallocate() }
    var primingNote: UInt8?
    // The range of General MIDI drums.
    for note in UInt8(35)...81 {
      lane_note_on(lanes[0], channel(of: 0), Int32(note), 127)
      let voices = lane_voices(lanes[0])
      // The voices end with the second block.
      lane_render(lanes[0], Int32(blockFrames), block, block + blockFrames)
      lane_silence(lanes[0], -1)
      lane_render(lanes[0], Int32(blockFrames), block, block + blockFrames)
      if voices == 1 { return (lanes, note) }
      if voices > 1, primingNote == nil { primingNote = note }
    }
    if let primingNote { return (lanes, primingNote) }
    soundFont.deleteSynthesizers(lanes, count: count)
    throw AudioFileError(
      .malformed, path: soundFont.path, reason: "the SoundFont has no drum kit (bank 128)", remedy: SoundFont.remedy)
  }

  /// Creates another lane like `lane`, which may be in use on another thread.
  static func makeLane(like lane: OpaquePointer, _ soundFont: SoundFont) -> OpaquePointer {
    let new = soundFont.makeSynthesizer(like: lane)
    setUp(new)
    return new
  }

  /// Sets up a drum kit on the channel of each cut-off group.
  private static func setUp(_ lane: OpaquePointer) {
    for group in 0...groupCount {
      fluid_synth_set_channel_type(lane, channel(of: group), Int32(CHANNEL_TYPE_DRUM.rawValue))
      fluid_synth_program_change(lane, channel(of: group), 0)
    }
  }
}

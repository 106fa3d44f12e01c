import CFluidSynth
import Glibc
import Synchronization

// FluidSynth prepares its tables when the first synthesizer is made and does not wait for a second maker: one at a
// time.
private let making = Mutex<Void>(())

extension DrumLanes {
  /// The General MIDI SoundFont that comes with libfluidsynth3.
  public static let defaultSoundFont = "/usr/share/sounds/sf2/default-GM.sf2"

  /// The loudest single drum of the default kit then reaches a third of full scale, sixteenths of kick, snare, hi-hat,
  /// tom and crash together two thirds.
  private static let gain = 0.5

  /// How many voices a lane can hold; the oldest give way. A lane gets one hit in 64 frames at most, mostly far fewer.
  static var voices: Int32 { @_noLocks @_noAllocation get { 16 } }

  /// The 64 synthesizers, the first of which owns the SoundFont, and the lowest General MIDI drum of the kit.
  static func load(
    _ path: String, rate: Int64
  ) throws(AudioFileError) -> (lanes: UnsafeMutablePointer<OpaquePointer>, primer: UInt8) {
    let remedy = "install libfluidsynth3 or fluid-soundfont-gm, or give --soundfont FILE"
    if let fault = try fault(of: path, remedy: remedy) {
      throw AudioFileError(.malformed, path: path, reason: fault, remedy: remedy)
    }
    // Its complaints go nowhere: what matters becomes an error, and the rest would disturb the screen of a performance.
    for level in 0..<Int32(LAST_LOG_LEVEL.rawValue) { fluid_set_log_function(level, nil, nil) }

    let lanes = making.withLock { _ in
      let lanes = UnsafeMutablePointer<OpaquePointer>.allocate(capacity: blockFrames)
      // One set of settings for all: making one looks for every sound card there could be.
      let settings = makeSettings(rate: rate)
      for lane in 0..<blockFrames {
        guard let synthesizer = new_fluid_synth(settings) else { fatalError("FluidSynth: out of memory") }
        lanes[lane] = synthesizer
      }
      return lanes
    }
    guard fluid_synth_sfload(lanes[0], path, 1) >= 0 else {
      unload(lanes)
      throw AudioFileError(.malformed, path: path, reason: "not a SoundFont FluidSynth can read", remedy: remedy)
    }
    for lane in 1..<blockFrames { fluid_synth_add_sfont(lanes[lane], fluid_synth_get_sfont(lanes[0], 0)) }
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
    unload(lanes)
    throw AudioFileError(.malformed, path: path, reason: "the SoundFont has no drum kit (bank 128)", remedy: remedy)
  }

  /// What is wrong with the head of a SoundFont, "RIFF", the length of what follows, "sfbk" (SoundFont 2.04, section
  /// 4): nil when nothing is. A file cut short is found here, as FluidSynth would try to read it as something else.
  private static func fault(of path: String, remedy: String) throws(AudioFileError) -> String? {
    let descriptor = try openRegularFile(path, flags: O_RDONLY, remedy: remedy)
    defer { close(descriptor) }
    var head = [UInt8](repeating: 0, count: 12)
    guard pread(descriptor, &head, 12, 0) == 12, head[0..<4].elementsEqual("RIFF".utf8),
      head[8..<12].elementsEqual("sfbk".utf8)
    else { return "not a SoundFont" }
    let length = 8 + head[4..<8].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
    var status = stat()
    let isWhole = fstat(descriptor, &status) == 0 && Int64(status.st_size) >= length
    return isWhole ? nil : "a SoundFont that is cut short"
  }

  /// Ends all synthesizers; the borrowers give the SoundFont back first.
  static func unload(_ lanes: UnsafeMutablePointer<OpaquePointer>) {
    let settings = fluid_synth_get_settings(lanes[0])
    for lane in (0..<blockFrames).reversed() {
      let synthesizer = lanes[lane]
      if lane > 0, let soundFont = fluid_synth_get_sfont(synthesizer, 0) {
        fluid_synth_remove_sfont(synthesizer, soundFont)
      }
      delete_fluid_synth(synthesizer)
    }
    delete_fluid_settings(settings)
    lanes.deallocate()
  }

  private static func makeSettings(rate: Int64) -> OpaquePointer {
    guard let settings = new_fluid_settings() else { fatalError("FluidSynth: out of memory") }
    fluid_settings_setnum(settings, "synth.sample-rate", Double(rate))
    fluid_settings_setnum(settings, "synth.gain", gain)
    fluid_settings_setint(settings, "synth.polyphony", voices)
    fluid_settings_setint(settings, "synth.reverb.active", 0)
    fluid_settings_setint(settings, "synth.chorus.active", 0)
    fluid_settings_setint(settings, "synth.threadsafe-api", 0)
    fluid_settings_setint(settings, "synth.dynamic-sample-loading", 0)
    return settings
  }
}

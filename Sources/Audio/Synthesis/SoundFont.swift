import CFluidSynth
import Glibc
import Synchronization

// FluidSynth changes global state without a lock: the tables that the first synthesizer initialises, and the reference counts of
// the samples of a file (fluid_samplecache_load of FluidSynth 2.3.1). Therefore only one thread at a time may create synthesizers,
// or load or delete SoundFonts.
private let fluidSynthLock = Mutex<Void>(())

/// A SoundFont in memory that several synthesizers share.
///
/// FluidSynth counts references to samples without locks, so all synthesizers of one SoundFont must be used by one thread
/// at a time. Real-time: not safe.
final class SoundFont {
  let path: String
  /// The sample rate of the synthesizers, in frames per second.
  let rate: Int64
  // This synthesizer plays nothing. FluidSynth deletes a SoundFont together with the synthesizer that loaded it, so this
  // synthesizer must outlive the others.
  private let owner: OpaquePointer
  /// The sample data, of which only the programs in use are resident (``SampleMemory``).
  let samples: SampleMemory

  static let remedy =
    "install the package timgm6mb-soundfont or fluid-soundfont-gm, or give a SoundFont with --soundfont (tutti peer, "
    + "tutti patch render)"

  /// Loads `path` for synthesizers of `rate` frames per second, with all samples.
  ///
  /// - Throws: ``AudioFileError`` if the file cannot be read or is not a SoundFont.
  init(_ path: String, rate: Int64) throws(AudioFileError) {
    let descriptor = try openRegularFile(path, flags: O_RDONLY, remedy: Self.remedy)
    let samples = SampleMemory(descriptor)
    if let defect = Self.headerDefect(of: descriptor) {
      throw AudioFileError(.malformed, path: path, reason: defect, remedy: Self.remedy)
    }
    // FluidSynth must not write to the terminal during a performance. Relevant failures are thrown as errors.
    for level in 0..<Int32(LAST_LOG_LEVEL.rawValue) { fluid_set_log_function(level, nil, nil) }
    (self.path, self.rate, self.samples) = (path, rate, samples)
    let synthesizers = Self.make(1, capacity: 1, rate: rate, polyphony: 1, gain: 1)
    owner = synthesizers[0]
    synthesizers.deallocate()
    let owner = owner
    guard fluidSynthLock.withLock({ _ in samples.load(into: owner) }) else {
      throw AudioFileError(
        .malformed, path: path, reason: "not a SoundFont that FluidSynth can read", remedy: Self.remedy)
    }
  }

  // Deleting the synthesizer deletes the SoundFont.
  deinit { fluidSynthLock.withLock { _ in Self.delete(owner) } }

  /// Creates `count` synthesizers with up to `polyphony` voices each, in memory for `capacity` of them. A new voice replaces the oldest
  /// voice. The caller deletes the synthesizers with ``deleteSynthesizers(_:count:)``.
  func makeSynthesizers(
    _ count: Int, capacity: Int? = nil, polyphony: Int32, gain: Double
  ) -> UnsafeMutablePointer<OpaquePointer> {
    let synthesizers = Self.make(count, capacity: capacity ?? count, rate: rate, polyphony: polyphony, gain: gain)
    for index in 0..<count { fluid_synth_add_sfont(synthesizers[index], fluid_synth_get_sfont(owner, 0)) }
    return synthesizers
  }

  /// Creates another synthesizer like `synthesizer`, which is a result of ``makeSynthesizers(_:capacity:polyphony:gain:)`` and may be in use
  /// on another thread. The caller deletes both together.
  func makeSynthesizer(like synthesizer: OpaquePointer) -> OpaquePointer {
    // Only this thread uses the settings and the new synthesizer.
    nonisolated(unsafe) let settings = fluid_synth_get_settings(synthesizer)
    nonisolated(unsafe) var new = synthesizer
    fluidSynthLock.withLock { _ in new = Self.make(settings) }
    fluid_synth_add_sfont(new, fluid_synth_get_sfont(owner, 0))
    return new
  }

  /// Deletes the result of ``makeSynthesizers(_:capacity:polyphony:gain:)``. Each synthesizer releases the shared SoundFont first.
  func deleteSynthesizers(_ synthesizers: UnsafeMutablePointer<OpaquePointer>, count: Int) {
    let settings = fluid_synth_get_settings(synthesizers[0])
    for index in 0..<count {
      fluid_synth_remove_sfont(synthesizers[index], fluid_synth_get_sfont(synthesizers[index], 0))
      delete_fluid_synth(synthesizers[index])
    }
    delete_fluid_settings(settings)
    synthesizers.deallocate()
  }

  /// Deletes a synthesizer and its settings.
  private static func delete(_ synthesizer: OpaquePointer) {
    let settings = fluid_synth_get_settings(synthesizer)
    delete_fluid_synth(synthesizer)
    delete_fluid_settings(settings)
  }

  /// Creates synthesizers that share one settings object, because the creation of settings searches for all sound cards.
  private static func make(
    _ count: Int, capacity: Int, rate: Int64, polyphony: Int32, gain: Double
  ) -> UnsafeMutablePointer<OpaquePointer> {
    fluidSynthLock.withLock { _ in
      guard let settings = new_fluid_settings() else { fatalError("FluidSynth: out of memory; close other programs") }
      fluid_settings_setnum(settings, "synth.sample-rate", Double(rate))
      fluid_settings_setnum(settings, "synth.gain", gain)
      fluid_settings_setint(settings, "synth.polyphony", polyphony)
      fluid_settings_setint(settings, "synth.reverb.active", 0)
      fluid_settings_setint(settings, "synth.chorus.active", 0)
      // With the following two settings, FluidSynth neither locks nor allocates while it plays (see CFluidSynth/shim.h).
      fluid_settings_setint(settings, "synth.threadsafe-api", 0)
      fluid_settings_setint(settings, "synth.dynamic-sample-loading", 0)
      // The peer locks its memory itself. FluidSynth would load and lock all samples.
      fluid_settings_setint(settings, "synth.lock-memory", 0)
      let synthesizers = UnsafeMutablePointer<OpaquePointer>.allocate(capacity: capacity)
      for index in 0..<count { synthesizers[index] = make(settings) }
      return synthesizers
    }
  }

  /// Creates a synthesizer. The caller holds ``fluidSynthLock``.
  private static func make(_ settings: OpaquePointer?) -> OpaquePointer {
    guard let synthesizer = new_fluid_synth(settings) else {
      fatalError("FluidSynth: out of memory; close other programs")
    }
    return synthesizer
  }

  /// Checks the header of a SoundFont: "RIFF", the length of the rest, "sfbk" (SoundFont 2.04, section 4). A truncated file
  /// is detected here, because FluidSynth would try to read it in another format.
  ///
  /// - Returns: the defect, or nil if the header is valid.
  private static func headerDefect(of descriptor: Int32) -> String? {
    guard let header = RIFFHeader(descriptor), header.form == "sfbk" else { return "not a SoundFont" }
    return header.isComplete ? nil : "the SoundFont is truncated"
  }
}

extension SoundModule {
  /// The path of the General MIDI SoundFont that is used if the user names none. It is installed with libfluidsynth3.
  public static let defaultSoundFont = "/usr/share/sounds/sf2/default-GM.sf2"
}

import CFluidSynth
import Glibc
import Synchronization

// FluidSynth prepares its tables when the first synthesizer is made and does not wait for a second maker: one at a
// time.
private let making = Mutex<Void>(())

/// A SoundFont in memory, and the synthesizers that share it.
///
/// FluidSynth counts the use of samples without locks, so all synthesizers of one SoundFont belong to one thread at a
/// time. Real-time: not safe.
final class SoundFont {
  let path: String
  /// Frames a second of the synthesizers made here.
  let rate: Int64
  // It plays nothing: FluidSynth deletes a SoundFont with the synthesizer that loaded it, which must outlive the others.
  private let owner: OpaquePointer

  static let remedy = "install libfluidsynth3 or fluid-soundfont-gm, or give --soundfont FILE"

  /// Loads `path` for synthesizers of `rate` frames a second.
  ///
  /// - Throws: ``AudioFileError`` when it cannot be read or is no SoundFont.
  init(_ path: String, rate: Int64) throws(AudioFileError) {
    if let fault = try Self.fault(of: path) {
      throw AudioFileError(.malformed, path: path, reason: fault, remedy: Self.remedy)
    }
    // Its complaints go nowhere: what matters becomes an error, and the rest would disturb the screen of a performance.
    for level in 0..<Int32(LAST_LOG_LEVEL.rawValue) { fluid_set_log_function(level, nil, nil) }
    (self.path, self.rate) = (path, rate)
    let synthesizers = Self.make(1, rate: rate, voices: 1, gain: 1)
    owner = synthesizers[0]
    synthesizers.deallocate()
    guard fluid_synth_sfload(owner, path, 1) >= 0 else {
      throw AudioFileError(
        .malformed, path: path, reason: "not a SoundFont FluidSynth can read", remedy: Self.remedy)
    }
  }

  deinit { Self.delete(owner) }

  /// `count` synthesizers with room for `voices` each, to be given back to ``end(_:count:)``. The oldest voices give
  /// way to new ones.
  func synthesizers(_ count: Int, voices: Int32, gain: Double) -> UnsafeMutablePointer<OpaquePointer> {
    let synthesizers = Self.make(count, rate: rate, voices: voices, gain: gain)
    for index in 0..<count { fluid_synth_add_sfont(synthesizers[index], fluid_synth_get_sfont(owner, 0)) }
    return synthesizers
  }

  /// Ends what ``synthesizers(_:voices:gain:)`` has made; the borrowers give the SoundFont back first.
  func end(_ synthesizers: UnsafeMutablePointer<OpaquePointer>, count: Int) {
    let settings = fluid_synth_get_settings(synthesizers[0])
    for index in 0..<count {
      fluid_synth_remove_sfont(synthesizers[index], fluid_synth_get_sfont(synthesizers[index], 0))
      delete_fluid_synth(synthesizers[index])
    }
    delete_fluid_settings(settings)
    synthesizers.deallocate()
  }

  private static func delete(_ synthesizer: OpaquePointer) {
    let settings = fluid_synth_get_settings(synthesizer)
    delete_fluid_synth(synthesizer)
    delete_fluid_settings(settings)
  }

  /// Synthesizers with one set of settings for all: making one looks for every sound card there could be.
  private static func make(
    _ count: Int, rate: Int64, voices: Int32, gain: Double
  ) -> UnsafeMutablePointer<OpaquePointer> {
    making.withLock { _ in
      guard let settings = new_fluid_settings() else { fatalError("FluidSynth: out of memory") }
      fluid_settings_setnum(settings, "synth.sample-rate", Double(rate))
      fluid_settings_setnum(settings, "synth.gain", gain)
      fluid_settings_setint(settings, "synth.polyphony", voices)
      fluid_settings_setint(settings, "synth.reverb.active", 0)
      fluid_settings_setint(settings, "synth.chorus.active", 0)
      fluid_settings_setint(settings, "synth.threadsafe-api", 0)
      fluid_settings_setint(settings, "synth.dynamic-sample-loading", 0)
      let synthesizers = UnsafeMutablePointer<OpaquePointer>.allocate(capacity: count)
      for index in 0..<count {
        guard let synthesizer = new_fluid_synth(settings) else { fatalError("FluidSynth: out of memory") }
        synthesizers[index] = synthesizer
      }
      return synthesizers
    }
  }

  /// What is wrong with the head of a SoundFont, "RIFF", the length of what follows, "sfbk" (SoundFont 2.04, section
  /// 4): nil when nothing is. A file cut short is found here, as FluidSynth would try to read it as something else.
  private static func fault(of path: String) throws(AudioFileError) -> String? {
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
}

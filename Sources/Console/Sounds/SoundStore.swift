import Audio
import Cryptography
import Dispatch
import Engine
import NIOCore
import Synchronization

/// Renders the sounds that the pages need, on a background queue, and keeps them in memory.
///
/// A sound is rendered once, and served as a FLAC file and as a WAV file. Its URL paths contain the hash of its samples, so browsers may
/// keep the sound for ever. If all sounds together have more than ``maximumSize`` octets, the sounds that the newest request does not
/// contain are discarded.
final class SoundStore: Sendable {
  /// The beginning of the URL paths of all sounds.
  static let pathPrefix = "/sounds/"
  /// The size of all sounds together, in octets, above which sounds are discarded.
  static let maximumSize = 64 << 20

  /// A file with its media type.
  struct File {
    var octets: ByteBuffer
    var type: String
  }

  /// A rendered sound.
  private struct Stored {
    /// The paths and the gain of the sound.
    var sample: SoundManifest.Sample
    /// The files at the paths of the sound.
    var files: [String: File]
  }

  private struct Contents {
    /// The rendered sounds. The value is nil for a sound that the SoundFont does not have.
    var sounds: [SampleRenderer.Sound: Stored?] = [:]
    /// The file at each URL path.
    var files: [String: File] = [:]
    /// The size of all files together, in octets.
    var size = 0
  }

  private let soundFont: String
  private let queue = DispatchQueue(label: "sounds", qos: .utility)
  private let contents = Mutex(Contents())
  /// The number of requests so far, and thus the number of the newest one. Older requests that have not begun are skipped.
  private let requestCount = Atomic<Int>(0)

  /// - Parameter soundFont: the path of a General MIDI SoundFont.
  init(soundFont: String) { self.soundFont = soundFont }

  /// The file at a URL path; nil if there is none.
  subscript(path: String) -> File? { contents.withLock { $0.files[path] } }

  /// Renders the missing sounds of `request` on the background queue, and passes the manifest to `deliver` there: when all sounds that
  /// every page loads are rendered, and again when further sounds were rendered. If another request arrives before the rendering begins,
  /// `request` is skipped: nothing is rendered or delivered for it. If it arrives before the further sounds, those are skipped.
  func prepare(_ request: SoundRequest, deliver: @escaping @Sendable (SoundManifest) -> Void) {
    let number = requestCount.add(1, ordering: .relaxed).newValue
    let isNewest = { @Sendable [self] in number == requestCount.load(ordering: .relaxed) }
    queue.async { [self] in
      guard isNewest() else { return }
      do throws(AudioFileError) {
        _ = try render(request.entries) { true }
        discardUnneeded(request)
        deliver(manifest(of: request))
        guard try render(request.furtherEntries, while: isNewest) else { return }
        discardUnneeded(request)
        deliver(manifest(of: request))
      } catch {
        deliver(SoundManifest(instruments: request.instruments, failure: "\(error)"))
      }
    }
  }

  /// Renders the sounds of `entries` that are not stored yet, as long as `isNeeded` returns true.
  ///
  /// - Returns: whether a sound was rendered.
  private func render(
    _ entries: [SoundRequest.Entry], while isNeeded: () -> Bool
  ) throws(AudioFileError) -> Bool {
    let missing = contents.withLock { contents in entries.filter { contents.sounds[$0.sound] == nil } }
    guard !missing.isEmpty else { return false }
    let renderer = try SampleRenderer(soundFont: soundFont)
    for entry in missing where isNeeded() {
      let stored = renderer.render(entry.sound, milliseconds: entry.milliseconds).map(Self.files)
      contents.withLock { contents in
        contents.sounds[entry.sound] = .some(stored)
        for (path, file) in stored?.files ?? [:] where contents.files.updateValue(file, forKey: path) == nil {
          contents.size += file.octets.readableBytes
        }
      }
    }
    return true
  }

  /// Encodes a rendered sound.
  private static func files(of sample: SampleRenderer.Sample) -> Stored {
    let wav = WAVData.octets(of: sample.levels, rate: sample.rate)
    let hash = SHA256.hash(of: Array(wav.readableBytesView)).prefix(16)
    let name = pathPrefix + hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    var stored = Stored(
      sample: SoundManifest.Sample(path: "\(name).wav", gain: sample.gain),
      files: ["\(name).wav": File(octets: wav, type: "audio/wav")])
    if let flac = FLACFile.octets(of: sample.levels, rate: sample.rate) {
      stored.sample.flac = "\(name).flac"
      stored.files["\(name).flac"] = File(octets: ByteBuffer(bytes: flac), type: "audio/flac")
    }
    return stored
  }

  /// Discards the sounds that `request` does not contain, if all sounds together have more than ``maximumSize`` octets.
  private func discardUnneeded(_ request: SoundRequest) {
    contents.withLock { contents in
      guard contents.size > Self.maximumSize else { return }
      let needed = Set((request.entries + request.furtherEntries).map(\.sound))
      contents.sounds = contents.sounds.filter { needed.contains($0.key) }
      let kept = contents.sounds.values.compactMap { $0 }.flatMap(\.files)
      contents.files = Dictionary(kept.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
      contents.size = contents.files.values.reduce(0) { $0 + $1.octets.readableBytes }
    }
  }

  /// The manifest of the sounds of `request`. Sounds that the SoundFont does not have are left out.
  private func manifest(of request: SoundRequest) -> SoundManifest {
    contents.withLock { contents in
      var manifest = SoundManifest(instruments: request.instruments)
      for (index, entry) in (request.entries + request.furtherEntries).enumerated() {
        let isFurther = index >= request.entries.count ? true : nil
        guard case .some(.some(let stored)) = contents.sounds[entry.sound] else { continue }
        switch entry.sound {
        case .drum(let note): manifest.drums["\(note)"] = stored.sample
        case .tone(let program, let key):
          manifest.tones["\(program)", default: []].append(
            SoundManifest.Tone(key: Int(key), sample: stored.sample, isFurther: isFurther))
        }
      }
      for program in manifest.tones.keys { manifest.tones[program]?.sort { $0.key < $1.key } }
      return manifest
    }
  }
}

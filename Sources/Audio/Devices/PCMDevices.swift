import CALSA
import Glibc
import MusicalTime
import Realtime

/// The sound cards and sound servers there are to play on.
public enum PCMDevices {
  /// One of them.
  public struct Entry: Hashable, Sendable {
    /// What to give to `--audio alsa:NAME`.
    public let name: String
    /// What it is, for people.
    public let description: String
  }

  /// How long a sound server may take to answer.
  private static var patience: Nanoseconds { .seconds(2) }

  /// The default and the sound servers that answer within two seconds, then what the cards have, by their names: an empty
  /// list where there is nothing.
  ///
  /// Real-time: not safe.
  public static var all: [Entry] {
    alsa_be_quiet()
    let deadline = MonotonicClock.now + patience
    let servers = [
      ("default", "the system's default output"), ("pipewire", "PipeWire"),
      ("pulse", "PulseAudio or what stands in for it"),
    ]
    // All at once, so that they share the two seconds.
    let answers = servers.map { server in Answer { opens(server.0) } }
    let present = zip(servers, answers).filter { $1.value(by: deadline) == true }
    return present.map { Entry(name: $0.0.0, description: $0.0.1) } + hardware
  }

  /// Whether `name` can be opened now: it is opened and closed again. What takes longer than two seconds cannot.
  ///
  /// Real-time: not safe.
  public static func canOpen(_ name: String = "default") -> Bool {
    alsa_be_quiet()
    return Answer { opens(name) }.value(by: MonotonicClock.now + patience) == true
  }

  private static func opens(_ name: String) -> Bool {
    var pcm: OpaquePointer?
    guard snd_pcm_open(&pcm, name, SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK) >= 0, let pcm else { return false }
    snd_pcm_close(pcm)
    return true
  }

  /// Whether there are cards and this user may use none of them. ALSA then finds no card of any name, and says that it is
  /// not there.
  ///
  /// Real-time: not safe.
  public static var areForbidden: Bool {
    // As many as the kernel has at most, unless it was built for more.
    let controls: [String] = (0..<32).map { "/dev/snd/controlC\($0)" }.filter { access($0, F_OK) == 0 }
    return !controls.isEmpty && controls.allSatisfy { access($0, R_OK | W_OK) != 0 && errno == EACCES }
  }

  /// The playback devices of all cards. None where even that takes two seconds: ALSA's configuration may ask a sound
  /// server, too.
  static var hardware: [Entry] {
    alsa_be_quiet()
    return Answer { findHardware() }.value(by: MonotonicClock.now + patience) ?? []
  }

  private static func findHardware() -> [Entry] {
    var entries: [Entry] = []
    var card: Int32 = -1
    while snd_card_next(&card) >= 0, card >= 0 {
      var control: OpaquePointer?
      guard snd_ctl_open(&control, "hw:\(card)", SND_CTL_NONBLOCK) >= 0, let control else { continue }
      defer { snd_ctl_close(control) }
      var cardInfo: OpaquePointer?
      var info: OpaquePointer?
      guard snd_ctl_card_info_malloc(&cardInfo) >= 0, snd_pcm_info_malloc(&info) >= 0 else { continue }
      defer {
        snd_ctl_card_info_free(cardInfo)
        snd_pcm_info_free(info)
      }
      guard snd_ctl_card_info(control, cardInfo) >= 0 else { continue }
      let (id, cardName) = (text(snd_ctl_card_info_get_id(cardInfo)), text(snd_ctl_card_info_get_name(cardInfo)))
      var device: Int32 = -1
      while snd_ctl_pcm_next_device(control, &device) >= 0, device >= 0 {
        snd_pcm_info_set_device(info, UInt32(device))
        snd_pcm_info_set_subdevice(info, 0)
        snd_pcm_info_set_stream(info, SND_PCM_STREAM_PLAYBACK)
        guard snd_ctl_pcm_info(control, info) >= 0 else { continue }
        let name = text(snd_pcm_info_get_name(info))
        entries.append(Entry(name: "hw:\(id),\(device)", description: "\(cardName), \(name)"))
      }
    }
    return entries
  }

  /// What a device says of itself, as it may stand on a terminal.
  private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
    pointer.map { String(cString: $0).printable() } ?? ""
  }
}

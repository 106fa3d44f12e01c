import CALSA
import Glibc
import MusicalTime
import Realtime
import Text

/// The sound cards and sound servers of this machine.
public enum PCMDevices {
  /// One playback device.
  public struct Entry: Hashable, Sendable {
    /// The NAME in `--audio alsa:NAME`.
    public let name: String
    /// A description for the user.
    public let description: String
  }

  /// The default device and the sound servers, whether they are available or not.
  public static let servers = [
    Entry(name: "default", description: "the system's default output"),
    Entry(name: "pipewire", description: "PipeWire"),
    Entry(name: "pulse", description: "PulseAudio or a compatible server"),
  ]

  /// The timeout for opening a device, which may block if it belongs to a sound server.
  private static var timeout: Nanoseconds { .seconds(2) }

  /// The default device and the sound servers that open within two seconds, then the playback devices of all cards. Empty
  /// on a machine without devices.
  ///
  /// Real-time: not safe.
  public static var all: [Entry] {
    alsa_be_quiet()
    let deadline = MonotonicClock.now + timeout
    // All calls run at the same time, so that they share the two seconds.
    let calls = servers.map { server in TimedCall { opens(server.name) } }
    let present = zip(servers, calls).filter { _, call in call.value(by: deadline) == true }
    return present.map { server, _ in server } + hardware
  }

  /// Whether `name` can be opened now. The function opens and closes the device. A device that does not open within two
  /// seconds counts as unavailable.
  ///
  /// Real-time: not safe.
  public static func canOpen(_ name: String = "default") -> Bool {
    alsa_be_quiet()
    return TimedCall { opens(name) }.value(by: MonotonicClock.now + timeout) == true
  }

  /// Opens and closes the device `name`. Returns whether this succeeded. May block for ever.
  private static func opens(_ name: String) -> Bool {
    var pcm: OpaquePointer?
    guard snd_pcm_open(&pcm, name, SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK) >= 0, let pcm else { return false }
    snd_pcm_close(pcm)
    return true
  }

  /// Whether sound cards exist but this user has no permission for any of them. ALSA then finds no card at all and reports
  /// that the card does not exist.
  ///
  /// Real-time: not safe.
  public static var isAccessDenied: Bool {
    // 32 is the default maximum number of cards of the kernel.
    let controls: [String] = (0..<32).map { "/dev/snd/controlC\($0)" }.filter { access($0, F_OK) == 0 }
    return !controls.isEmpty && controls.allSatisfy { access($0, R_OK | W_OK) != 0 && errno == EACCES }
  }

  /// The playback devices of all cards. Empty if the search takes more than two seconds. The search may block, because the
  /// ALSA configuration may involve a sound server here, too.
  static var hardware: [Entry] {
    alsa_be_quiet()
    return TimedCall { findHardware() }.value(by: MonotonicClock.now + timeout) ?? []
  }

  /// Asks ALSA for the playback devices of all cards. May block for ever.
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

  /// Returns a name reported by a device, with printable characters only. ALSA cuts names after 79 octets, possibly in the middle of a
  /// character.
  static func text(_ name: UnsafePointer<CChar>?) -> String {
    // Invariant: the library's names end with NUL and live as long as the structure that contains them.
    guard let name else { return "" }
    let octets = UnsafeBufferPointer(start: name, count: strlen(name)).map { UInt8(bitPattern: $0) }
    return String(name: octets).cleanName(octets: 79) ?? ""
  }
}

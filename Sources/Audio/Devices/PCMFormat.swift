import CALSA

/// A sample format of a device, in the byte order of the machine. The formats are in the order of preference.
public enum PCMFormat: Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// ALSA format S32.
  case s32
  /// ALSA format S24: the low three bytes of four.
  case s24
  /// ALSA format S24_3LE: three bytes, always little-endian, because ALSA has no name for this format in the byte order of the
  /// machine.
  case s24Packed
  /// ALSA format S16.
  case s16
  /// ALSA format FLOAT.
  case float

  /// The format in ALSA.
  var alsa: snd_pcm_format_t {
    switch self {
    case .s32: SND_PCM_FORMAT_S32
    case .s24: SND_PCM_FORMAT_S24
    case .s24Packed: SND_PCM_FORMAT_S24_3LE
    case .s16: SND_PCM_FORMAT_S16
    case .float: SND_PCM_FORMAT_FLOAT
    }
  }

  /// Bytes per sample.
  ///
  /// Real-time: safe.
  var size: Int {
    @_noLocks @_noAllocation get {
      switch self {
      case .s32, .s24, .float: 4
      case .s24Packed: 3
      case .s16: 2
      }
    }
  }
}

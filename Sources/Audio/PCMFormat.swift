import CALSA

/// How a device wants its samples, in the machine's byte order.
public enum PCMFormat: Hashable, Sendable, BitwiseCopyable, CaseIterable {
  case s32, s16, float

  var alsa: snd_pcm_format_t {
    switch self {
    case .s32: SND_PCM_FORMAT_S32
    case .s16: SND_PCM_FORMAT_S16
    case .float: SND_PCM_FORMAT_FLOAT
    }
  }

  /// Bytes a sample.
  ///
  /// Real-time: safe.
  var size: Int {
    @_noLocks @_noAllocation get {
      switch self {
      case .s32, .float: 4
      case .s16: 2
      }
    }
  }
}

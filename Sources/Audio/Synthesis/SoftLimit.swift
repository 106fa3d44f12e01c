/// Keeps the sum of all sounds within full scale.
///
/// Drums have a crest factor of about 20 dB: at the usual loudness of -20 LUFS, single strokes reach full scale, and many
/// simultaneous strokes exceed it. Up to the knee, a sample is unchanged. Beyond it, the sample approaches the ceiling along a
/// hyperbola with the same slope at the knee, so that no corner is audible. The ceiling leaves 1.9 dB for the peaks between
/// samples (ITU-R BS.1770-5, annex 2). Each sample is limited by itself. The result therefore does not depend on the past, and
/// peers that play the same hits produce the same samples.
enum SoftLimit {
  /// The largest magnitude that is unchanged.
  private static var knee: Float { @_noLocks @_noAllocation get { 0.5 } }
  /// The largest magnitude of the result.
  static var ceiling: Float { @_noLocks @_noAllocation get { 0.8 } }

  /// Limits all samples. NaN stays NaN.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  static func apply(to samples: inout MutableSpan<Float>) {
    var index = 0
    while index < samples.count {
      samples[index] = limited(samples[index])
      index += 1
    }
  }

  /// Limits one sample.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  static func limited(_ sample: Float) -> Float {
    let magnitude = sample < 0 ? -sample : sample
    guard magnitude > knee else { return sample }
    let room = ceiling - knee
    let excess = (magnitude - knee) / room
    // 1 - 1 / (1 + excess) instead of excess / (1 + excess), which would be NaN for an infinite sample.
    let limited = knee + room * (1 - 1 / (1 + excess))
    return sample < 0 ? -limited : limited
  }
}

import CALSA

extension PCMDevice {
  /// The rates that can be recorded, in frames per second.
  private static let captureRates: ClosedRange<UInt32> = 8_000...192_000
  /// The requested frames between two interrupts.
  private static let captureInterval: UInt = 1_024

  /// Opens and configures the input `name` with a buffer of about two seconds. The returned stream is prepared and not started.
  static func openCapture(_ name: String) throws(PCMError) -> PCMStream {
    try open(name, SND_PCM_STREAM_CAPTURE, listedBy: "arecord -L") { pcm throws(PCMError) in
      try configureCapture(pcm, name: name)
    }
  }

  /// Selects the sample format, the number of channels, the rate, the interrupts and the buffer of the opened input `pcm`.
  private static func configureCapture(_ pcm: OpaquePointer, name: String) throws(PCMError) -> PCMStream {
    var params: OpaquePointer?
    guard snd_pcm_hw_params_malloc(&params) >= 0, let params else { throw PCMError(device: name, code: -ENOMEM) }
    defer { snd_pcm_hw_params_free(params) }
    let otherDevice = "record from another device that `arecord -L` lists"
    // ALSA's plug device converts samples and rates, but does not change the sizes of periods and buffers.
    let remedy = name.hasPrefix("hw:") ? "record from plug\(name)" : otherDevice
    /// Throws an error if the device has rejected `feature` with a negative `code`. By default, the remedy is a conversion by
    /// ALSA, if possible.
    func check(_ code: Int32, _ feature: String, remedy other: String? = nil) throws(PCMError) {
      guard code < 0 else { return }
      throw PCMError(device: name, reason: "the device does not support \(feature)", remedy: other ?? remedy)
    }
    let initialization = snd_pcm_hw_params_any(pcm, params)
    guard initialization >= 0 else { throw PCMError(device: name, code: initialization) }
    // A conversion of the rate would delay the sounds by an unknown time.
    snd_pcm_hw_params_set_rate_resample(pcm, params, 0)
    try check(snd_pcm_hw_params_set_access(pcm, params, SND_PCM_ACCESS_RW_INTERLEAVED), "interleaved frames")
    let format = PCMFormat.allCases.first { snd_pcm_hw_params_test_format(pcm, params, $0.alsa) == 0 }
    let formats = "a sample format that Tutti can read (integers of 32, 24 or 16 bits, floating point)"
    try check(format == nil ? -1 : 0, formats)
    // The default value is never used, because `check` has thrown an error if `format` is nil.
    let usable = format ?? .s16
    try check(snd_pcm_hw_params_set_format(pcm, params, usable.alsa), "the sample format \(usable)")
    let channels = try setChannels(pcm, params, name: name, remedy: remedy)
    var hertz: UInt32 = 48_000
    try check(snd_pcm_hw_params_set_rate_near(pcm, params, &hertz, nil), "a sample rate near 48000 Hz")
    let rates = "a sample rate of \(captureRates.lowerBound)...\(captureRates.upperBound) Hz"
    try check(captureRates.contains(hertz) ? 0 : -1, rates)
    var interval = captureInterval
    try check(
      snd_pcm_hw_params_set_period_size_near(pcm, params, &interval, nil), "periods near \(captureInterval) frames",
      remedy: otherDevice)
    var buffer = UInt(2 * hertz)
    try check(
      snd_pcm_hw_params_set_buffer_size_near(pcm, params, &buffer), "a buffer near \(buffer) frames",
      remedy: otherDevice)
    try check(snd_pcm_hw_params(pcm, params), "\(hertz) Hz with \(channels) channels")
    try configureSoftwareParameters(pcm, name: name, buffer: buffer)
    return PCMStream(
      pcm: pcm, rate: Int64(hertz), channels: channels, format: usable, period: Int64(interval),
      interval: Int64(interval), buffer: Int64(buffer), isHardware: isHardware(pcm))
  }
}

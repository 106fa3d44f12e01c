import CALSA

// Opening a device and negotiating its parameters with ALSA.
extension PCMDevice {
  /// The requested rate in frames per second.
  private static let preferredRate: UInt32 = 48_000
  /// The rates that FluidSynth can render, in frames per second.
  private static let rates: ClosedRange<UInt32> = 8_000...96_000
  /// The requested frames between two interrupts: a block for a sound card, and a batch of four blocks for a sound server.
  private static func preferredInterval(isHardware: Bool) -> UInt { isHardware ? 64 : 256 }
  /// The requested buffer size of a sound card in frames.
  private static let preferredBuffer: UInt = 2_048
  /// The smallest accepted buffer in frames.
  private static let minimumBuffer: UInt = 512
  /// The largest accepted buffer in frames.
  private static let maximumBuffer: UInt = 1 << 20

  /// Opens and configures the device `name`. `period` is the number of frames that the device still holds when the next block is
  /// written (`--period`). The period of ALSA, the number of frames between two interrupts, is called *interval* here. If `rate` is not
  /// nil, no other rate is accepted.
  static func open(_ name: String, rate: Int64?, period: Int64) throws(PCMError) -> PCMStream {
    try open(name, SND_PCM_STREAM_PLAYBACK) { pcm throws(PCMError) in
      try configure(pcm, name: name, rate: rate, period: period)
    }
  }

  /// Opens a device, and closes it again if `configure` throws an error.
  ///
  /// - Parameter lister: the command that lists the devices that a measurement can use; nil for the output of a peer.
  static func open(
    _ name: String, _ direction: snd_pcm_stream_t, listedBy lister: String? = nil,
    configure: (OpaquePointer) throws(PCMError) -> PCMStream
  ) throws(PCMError) -> PCMStream {
    guard !name.utf8.contains(0), !name.isEmpty else {
      let remedy = lister.map { "give a device that `\($0)` lists" }
      throw PCMError(
        device: name, reason: "invalid device name",
        remedy: remedy ?? "use --audio alsa:DEVICE with a device that `tutti ports` lists")
    }
    alsa_be_quiet()
    var opened: OpaquePointer?
    let code = snd_pcm_open(&opened, name, direction, SND_PCM_NONBLOCK)
    guard code >= 0, let pcm = opened else { throw PCMError(device: name, code: code, listedBy: lister) }
    do throws(PCMError) { return try configure(pcm) } catch {
      snd_pcm_close(pcm)
      throw error
    }
  }

  /// Selects the sample format, the number of channels, the rate, the interrupts and the buffer of the opened device `pcm`.
  private static func configure(
    _ pcm: OpaquePointer, name: String, rate: Int64?, period: Int64
  ) throws(PCMError) -> PCMStream {
    var params: OpaquePointer?
    guard snd_pcm_hw_params_malloc(&params) >= 0, let params else { throw PCMError(device: name, code: -ENOMEM) }
    defer { snd_pcm_hw_params_free(params) }
    /// Throws an error if the device has rejected `feature` with a negative `code`. By default, the remedy is a conversion by
    /// ALSA, if possible.
    func check(_ code: Int32, _ feature: String, remedy: String? = nil) throws(PCMError) {
      guard code < 0 else { return }
      throw PCMError(
        device: name, reason: "the device does not support \(feature)", remedy: remedy ?? conversionRemedy(name))
    }
    let initialization = snd_pcm_hw_params_any(pcm, params)
    guard initialization >= 0 else { throw PCMError(device: name, code: initialization) }
    // The synthesizer renders at the rate of the card, so that no plugin converts the rate.
    snd_pcm_hw_params_set_rate_resample(pcm, params, 0)
    try check(snd_pcm_hw_params_set_access(pcm, params, SND_PCM_ACCESS_RW_INTERLEAVED), "interleaved frames")
    guard let format = PCMFormat.allCases.first(where: { snd_pcm_hw_params_test_format(pcm, params, $0.alsa) == 0 })
    else {
      let reason =
        "the device supports no sample format that Tutti can write (integers of 32, 24 or 16 bits, floating point)"
      throw PCMError(device: name, reason: reason, remedy: conversionRemedy(name))
    }
    try check(
      snd_pcm_hw_params_set_format(pcm, params, format.alsa),
      "the sample format \(format), although it lists this format")
    let channels = try setChannels(pcm, params, name: name, remedy: conversionRemedy(name))

    var hertz = rate.flatMap { UInt32(exactly: $0) } ?? preferredRate
    let requestedRate = hertz
    try check(snd_pcm_hw_params_set_rate_near(pcm, params, &hertz, nil), "a sample rate near \(requestedRate) Hz")
    guard rates.contains(hertz), rate == nil || Int64(hertz) == rate else {
      let requested = rate.map { "\($0)" } ?? "\(rates.lowerBound)...\(rates.upperBound)"
      throw PCMError(
        device: name, reason: "the device plays at \(hertz) Hz, not at \(requested) Hz", remedy: conversionRemedy(name))
    }
    let isHardware = Self.isHardware(pcm)
    // Some cards limit the number of interrupts per buffer, so a short interval would also limit the buffer. Therefore the minimum
    // size of the buffer, at least two periods, is set before the interval. If the card rejects this minimum, ALSA selects a size that
    // the card supports. This size is checked below.
    var minimum = max(minimumBuffer, UInt(2 * period))
    if isHardware { snd_pcm_hw_params_set_buffer_size_min(pcm, params, &minimum) }
    let preferredInterval = preferredInterval(isHardware: isHardware)
    var interval = preferredInterval
    try check(
      snd_pcm_hw_params_set_period_size_near(pcm, params, &interval, nil), "periods near \(preferredInterval) frames",
      remedy: otherDeviceRemedy)
    // A sound server may need many queued frames to play without gaps. The fill level adapts to this at run time.
    var buffer = max(isHardware ? preferredBuffer : 8 * preferredBuffer, 2 * interval)
    let requestedBuffer = buffer
    try check(
      snd_pcm_hw_params_set_buffer_size_near(pcm, params, &buffer), "a buffer near \(requestedBuffer) frames",
      remedy: otherDeviceRemedy)
    guard buffer >= minimumBuffer, buffer <= maximumBuffer else {
      let reason = "the buffer has \(buffer) frames, not \(minimumBuffer)...\(maximumBuffer)"
      throw PCMError(device: name, reason: reason, remedy: otherDeviceRemedy)
    }
    let code = snd_pcm_hw_params(pcm, params)
    guard code >= 0 else {
      let reason = "the device rejected \(hertz) Hz with \(channels) channels (\(PCMError.reason(of: code)))"
      throw PCMError(device: name, reason: reason, remedy: conversionRemedy(name))
    }
    try configureSoftwareParameters(pcm, name: name, buffer: buffer)
    let stream = PCMStream(
      pcm: pcm, rate: Int64(hertz), channels: channels, format: format,
      period: isHardware ? max(period, Int64(interval)) : Int64(interval), interval: Int64(interval),
      buffer: Int64(buffer), isHardware: isHardware)
    if !isHardware, !hasFiniteBuffer(stream) { throw PCMError(device: name, code: -ENOSTR) }
    return stream
  }

  /// Whether the buffer of `stream` fills up. The stream must be prepared and not started. A device that accepts frames for
  /// ever (ALSA's `null`, a file) has no clock, so the instant at which a frame sounds is unknown.
  private static func hasFiniteBuffer(_ stream: PCMStream) -> Bool {
    let silence = InterleavedBatch(
      blocks: stream.blocksPerBatch, format: stream.format, channels: stream.channels)
    var accepted: Int64 = 0
    while accepted < 4 * stream.buffer {
      let count = stream.write(silence.bytes(from: 0), silence.length)
      if count <= 0 { break }
      accepted += count
    }
    snd_pcm_drop(stream.pcm)
    return accepted < 4 * stream.buffer
  }

  /// Selects two channels. If the device does not support two, selects the next larger usual number that it supports, and one channel
  /// as the last resort. Throws an error with `remedy` if the device supports none of these numbers. Returns the number of channels.
  static func setChannels(
    _ pcm: OpaquePointer, _ params: OpaquePointer, name: String, remedy: String
  ) throws(PCMError) -> Int {
    for count in [2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 24, 26, 32, 64, 1] as [UInt32]
    where snd_pcm_hw_params_test_channels(pcm, params, count) == 0 {
      let code = snd_pcm_hw_params_set_channels(pcm, params, count)
      guard code >= 0 else { throw PCMError(device: name, code: code) }
      return Int(count)
    }
    var minimum: UInt32 = 0
    snd_pcm_hw_params_get_channels_min(params, &minimum)
    throw PCMError(
      device: name, reason: "the device needs at least \(minimum) channels, a number that Tutti does not support",
      remedy: remedy)
  }

  /// Sets ALSA's software parameters: an explicit start, a stop on underrun, and time stamps of CLOCK_REALTIME, which
  /// ``PCMStream/position(after:_:)`` converts to CLOCK_MONOTONIC.
  ///
  /// A start threshold equal to the boundary, which no number of queued frames reaches, disables the automatic start. A stop
  /// threshold of `buffer` free frames stops a device that has run out of frames.
  static func configureSoftwareParameters(_ pcm: OpaquePointer, name: String, buffer: UInt) throws(PCMError) {
    var params: OpaquePointer?
    guard snd_pcm_sw_params_malloc(&params) >= 0, let params else { throw PCMError(device: name, code: -ENOMEM) }
    defer { snd_pcm_sw_params_free(params) }
    var boundary: UInt = 0
    var code = snd_pcm_sw_params_current(pcm, params)
    if code >= 0 { code = snd_pcm_sw_params_get_boundary(params, &boundary) }
    if code >= 0 { code = snd_pcm_sw_params_set_start_threshold(pcm, params, boundary) }
    if code >= 0 { code = snd_pcm_sw_params_set_stop_threshold(pcm, params, buffer) }
    if code >= 0 { code = snd_pcm_sw_params_set_tstamp_mode(pcm, params, SND_PCM_TSTAMP_ENABLE) }
    // The result is ignored: if a plugin does not support this clock, `PCMStream.position` replaces the stamps of the plugin.
    if code >= 0 { snd_pcm_sw_params_set_tstamp_type(pcm, params, SND_PCM_TSTAMP_TYPE_GETTIMEOFDAY) }
    if code >= 0 { code = snd_pcm_sw_params(pcm, params) }
    guard code >= 0 else { throw PCMError(device: name, code: code) }
  }

  /// Whether `pcm` plays on a card, possibly through conversion or mixing. The devices of sound servers have no card.
  static func isHardware(_ pcm: OpaquePointer) -> Bool {
    var info: OpaquePointer?
    guard snd_pcm_info_malloc(&info) >= 0, let info else { return false }
    defer { snd_pcm_info_free(info) }
    return snd_pcm_info(pcm, info) >= 0 && snd_pcm_info_get_card(info) >= 0
  }

  /// The remedy for a device without usable periods or buffers. ALSA's plug device does not change their sizes.
  private static let otherDeviceRemedy = "use another device that `tutti ports` lists"

  /// Returns the remedy for a device without usable parameters: ALSA's plug device converts samples and rates.
  private static func conversionRemedy(_ name: String) -> String {
    name.hasPrefix("hw:") ? "to convert the samples, use the device plug\(name)" : otherDeviceRemedy
  }
}

import CALSA

extension PCMDevice {
  /// The rate asked for, and the rates FluidSynth can render.
  private static let preferredRate: UInt32 = 48_000
  private static let rates: ClosedRange<UInt32> = 8_000...96_000
  /// Frames a period and in the buffer as asked for; at least two of the renderer's periods must fit.
  private static let preferredPeriod: UInt = 256
  private static let preferredBuffer: UInt = 2_048
  private static let minimumBuffer = 2 * NominalDevice.period

  /// Opens and configures `name`; only at `rate` if that is given.
  static func open(_ name: String, rate: Int64?) throws(PCMError) -> PCMStream {
    guard !name.utf8.contains(0), !name.isEmpty else {
      throw PCMError(device: name, reason: "not a name", remedy: "give --audio alsa:DEVICE; `tutti ports` lists them")
    }
    alsa_be_quiet()
    var opened: OpaquePointer?
    let code = snd_pcm_open(&opened, name, SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK)
    guard code >= 0, let pcm = opened else {
      let isMissing = [-ENOENT, -ENODEV, -ENXIO].contains(code)
      throw PCMError(device: name, code: isMissing && PCMDevices.areForbidden ? -EACCES : code)
    }
    do {
      return try configure(pcm, name: name, rate: rate)
    } catch {
      snd_pcm_close(pcm)
      throw error
    }
  }

  private static func configure(_ pcm: OpaquePointer, name: String, rate: Int64?) throws(PCMError) -> PCMStream {
    var params: OpaquePointer?
    guard snd_pcm_hw_params_malloc(&params) >= 0, let params else { throw PCMError(device: name, code: -ENOMEM) }
    defer { snd_pcm_hw_params_free(params) }
    func check(_ code: Int32, _ what: String) throws(PCMError) {
      guard code < 0 else { return }
      throw PCMError(device: name, reason: "it cannot do \(what)", remedy: conversionRemedy(name))
    }
    let any = snd_pcm_hw_params_any(pcm, params)
    guard any >= 0 else { throw PCMError(device: name, code: any) }
    // The synthesizer renders at the card's own rate rather than have a plugin convert it.
    snd_pcm_hw_params_set_rate_resample(pcm, params, 0)
    try check(snd_pcm_hw_params_set_access(pcm, params, SND_PCM_ACCESS_RW_INTERLEAVED), "interleaved frames")
    guard let format = PCMFormat.allCases.first(where: { snd_pcm_hw_params_test_format(pcm, params, $0.alsa) == 0 })
    else {
      let reason = "it can do neither 32-bit, 24-bit nor 16-bit integers nor floating point"
      throw PCMError(device: name, reason: reason, remedy: conversionRemedy(name))
    }
    try check(snd_pcm_hw_params_set_format(pcm, params, format.alsa), "its own sample format")
    let channels = try setChannels(pcm, params, name: name)

    var hertz = rate.flatMap { UInt32(exactly: $0) } ?? preferredRate
    try check(snd_pcm_hw_params_set_rate_near(pcm, params, &hertz, nil), "a sample rate near \(preferredRate) Hz")
    guard rates.contains(hertz), rate == nil || Int64(hertz) == rate else {
      let wanted = rate.map { "\($0)" } ?? "\(rates.lowerBound)...\(rates.upperBound)"
      throw PCMError(
        device: name, reason: "it plays at \(hertz) Hz, not at \(wanted) Hz", remedy: conversionRemedy(name))
    }
    var period = preferredPeriod
    try check(
      snd_pcm_hw_params_set_period_size_near(pcm, params, &period, nil), "periods near \(preferredPeriod) frames")
    // A server may want much before it plays on without a gap; how much of the buffer is used shows then.
    let isHardware = hasCard(pcm)
    var buffer = max(isHardware ? preferredBuffer : 8 * preferredBuffer, 2 * period)
    try check(snd_pcm_hw_params_set_buffer_size_near(pcm, params, &buffer), "a buffer near \(preferredBuffer) frames")
    guard buffer >= minimumBuffer, buffer <= 1 << 20 else {
      let reason = "its buffer of \(buffer) frames is not \(minimumBuffer) or more"
      throw PCMError(device: name, reason: reason, remedy: conversionRemedy(name))
    }
    let code = snd_pcm_hw_params(pcm, params)
    guard code >= 0 else {
      let reason = "it does not take \(hertz) Hz, \(channels) channels (\(PCMError.reason(of: code)))"
      throw PCMError(device: name, reason: reason, remedy: conversionRemedy(name))
    }
    try configureStamps(pcm, name: name, buffer: buffer)
    let stream = PCMStream(
      pcm: pcm, rate: Int64(hertz), channels: channels, format: format, period: Int64(period), buffer: Int64(buffer),
      isHardware: isHardware)
    if !isHardware, !hasEnd(stream) { throw PCMError(device: name, code: -ENOSTR) }
    return stream
  }

  /// Whether `stream`, prepared and not started, is full at some time. What takes silence for ever (ALSA's null, a file)
  /// keeps no time, so nobody could tell when a frame of it sounds.
  private static func hasEnd(_ stream: PCMStream) -> Bool {
    let silence = InterleavedPeriod(format: stream.format, channels: stream.channels)
    var taken: Int64 = 0
    while taken < 4 * stream.buffer {
      let count = stream.write(silence.bytes(from: 0), NominalDevice.period)
      if count <= 0 { break }
      taken += count
    }
    snd_pcm_drop(stream.pcm)
    return taken < 4 * stream.buffer
  }

  /// Two channels, or the next more it can do, or one.
  private static func setChannels(
    _ pcm: OpaquePointer, _ params: OpaquePointer, name: String
  ) throws(PCMError) -> Int {
    for count in [2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 24, 26, 32, 64, 1] as [UInt32]
    where snd_pcm_hw_params_test_channels(pcm, params, count) == 0 {
      let code = snd_pcm_hw_params_set_channels(pcm, params, count)
      guard code >= 0 else { throw PCMError(device: name, code: code) }
      return Int(count)
    }
    throw PCMError(device: name, reason: "it has no usual number of channels", remedy: conversionRemedy(name))
  }

  /// Time stamps of CLOCK_REALTIME; starting by hand; stopping when it has run empty.
  private static func configureStamps(_ pcm: OpaquePointer, name: String, buffer: UInt) throws(PCMError) {
    var params: OpaquePointer?
    guard snd_pcm_sw_params_malloc(&params) >= 0, let params else { throw PCMError(device: name, code: -ENOMEM) }
    defer { snd_pcm_sw_params_free(params) }
    var boundary: UInt = 0
    var code = snd_pcm_sw_params_current(pcm, params)
    if code >= 0 { code = snd_pcm_sw_params_get_boundary(params, &boundary) }
    if code >= 0 { code = snd_pcm_sw_params_set_start_threshold(pcm, params, boundary) }
    if code >= 0 { code = snd_pcm_sw_params_set_stop_threshold(pcm, params, buffer) }
    if code >= 0 { code = snd_pcm_sw_params_set_avail_min(pcm, params, UInt(NominalDevice.period)) }
    if code >= 0 { code = snd_pcm_sw_params_set_tstamp_mode(pcm, params, SND_PCM_TSTAMP_ENABLE) }
    // A plugin that knows no such clock says so; then stamps are taken beside it.
    if code >= 0 { snd_pcm_sw_params_set_tstamp_type(pcm, params, SND_PCM_TSTAMP_TYPE_GETTIMEOFDAY) }
    if code >= 0 { code = snd_pcm_sw_params(pcm, params) }
    guard code >= 0 else { throw PCMError(device: name, code: code) }
  }

  /// Whether a card's own position stands behind `pcm`, possibly under conversions or mixing; sound servers have none.
  private static func hasCard(_ pcm: OpaquePointer) -> Bool {
    var info: OpaquePointer?
    guard snd_pcm_info_malloc(&info) >= 0, let info else { return false }
    defer { snd_pcm_info_free(info) }
    return snd_pcm_info(pcm, info) >= 0 && snd_pcm_info_get_card(info) >= 0
  }

  private static func conversionRemedy(_ name: String) -> String {
    name.hasPrefix("hw:")
      ? "give --audio alsa:plug\(name), which converts" : "give another device; `tutti ports` lists them"
  }
}

import CALSA
public import MusicalTime
import Realtime

/// Records a microphone: the capture stream of a sound card or of a sound server.
public enum PCMCapture {
  /// A recording of one channel.
  public struct Take: Sendable {
    /// The samples, -1...1 at full scale: the mean of the channels.
    public var samples: [Float]
    /// Frames per second.
    public var rate: Int
    /// When the first frame was at the converter, as far as the device reports its delay. What precedes the converter, such as a wireless
    /// microphone, and the filters of the converter are not included.
    public var firstInstant: Instant
  }

  /// The frames that are read at once, and the capacity of the buffer.
  private static let (batch, buffer): (Int, UInt) = (480, 48_000)
  /// The requested rate in frames per second.
  private static let rate: UInt32 = 48_000
  /// The device must deliver frames within this time.
  private static let patience: Int32 = 2_000

  /// Records from now until `end`.
  ///
  /// The first instant is the median of all position reports, so that a late report has no effect.
  ///
  /// - Parameter device: the ALSA name of the device, such as `default`.
  /// - Throws: ``PCMError`` if the device is missing, busy, not permitted, supports no usable parameters, or loses frames.
  ///
  /// Real-time: not safe.
  public static func record(_ device: String, until end: Instant) throws(PCMError) -> Take {
    let (pcm, channels, rate) = try open(device)
    defer { snd_pcm_close(pcm) }
    var samples: [Float] = []
    var beginnings: [Int64] = []
    // Invariant: large enough for `batch` frames of 16 bits in `channels` channels; used only by the read below.
    var frames = [Int16](repeating: 0, count: batch * channels)
    try check(snd_pcm_start(pcm), device)
    // A device without a clock, such as ALSA's `null`, delivers frames without waiting.
    let limit = Int(max((end - MonotonicClock.now).seconds, 0) * 1.1 * Double(rate)) + 2 * Int(buffer)
    while MonotonicClock.now < end {
      guard samples.count <= limit else {
        throw PCMError(device: device, reason: "delivers frames without a clock", remedy: remedy)
      }
      let ready = snd_pcm_wait(pcm, patience)
      if ready == 0 {
        throw PCMError(device: device, reason: "no sound arrives", remedy: "check that the microphone is connected")
      }
      try check(ready, device)
      if let instant = try converterInstant(pcm, device, rate: rate) {
        beginnings.append(instant.nanoseconds - Int64(samples.count) * 1_000_000_000 / Int64(rate))
      }
      let count = snd_pcm_readi(pcm, &frames, UInt(batch))
      if count == -Int(EAGAIN) { continue }
      try check(Int32(truncatingIfNeeded: count), device)
      for frame in 0..<count {
        let sum = frames[frame * channels..<(frame + 1) * channels].reduce(0) { $0 + Float($1) }
        samples.append(sum / Float(channels) / 32_768)
      }
    }
    beginnings.sort()
    guard !beginnings.isEmpty else {
      throw PCMError(device: device, reason: "no sound arrives", remedy: "check that the microphone is connected")
    }
    return Take(
      samples: samples, rate: rate, firstInstant: Instant(nanoseconds: beginnings[beginnings.count / 2]))
  }

  /// Returns when the next frame to be read was at the converter.
  private static func converterInstant(_ pcm: OpaquePointer, _ device: String, rate: Int) throws(PCMError) -> Instant? {
    var delay = 0
    let code = snd_pcm_delay(pcm, &delay)
    let now = MonotonicClock.now
    try check(code, device)
    return now - Nanoseconds(Int64(delay) * 1_000_000_000 / Int64(rate))
  }

  /// Opens the device for 16-bit samples in one channel, or in two.
  private static func open(_ device: String) throws(PCMError) -> (pcm: OpaquePointer, channels: Int, rate: Int) {
    guard !device.isEmpty, !device.utf8.contains(0) else {
      throw PCMError(device: device, reason: "invalid device name", remedy: remedy)
    }
    alsa_be_quiet()
    var opened: OpaquePointer?
    let code = snd_pcm_open(&opened, device, SND_PCM_STREAM_CAPTURE, SND_PCM_NONBLOCK)
    guard code >= 0, let pcm = opened else {
      let isMissing = [-ENOENT, -ENODEV, -ENXIO].contains(code)
      let reason = PCMError.reason(of: isMissing && PCMDevices.isAccessDenied ? -EACCES : code)
      throw PCMError(device: device, reason: "cannot record: \(reason)", remedy: remedy)
    }
    do {
      let (channels, rate) = try configure(pcm, device)
      return (pcm, channels, rate)
    } catch {
      snd_pcm_close(pcm)
      throw error
    }
  }

  private static func configure(_ pcm: OpaquePointer, _ device: String) throws(PCMError) -> (Int, Int) {
    var params: OpaquePointer?
    guard snd_pcm_hw_params_malloc(&params) >= 0, let params else { throw PCMError(device: device, code: -ENOMEM) }
    defer { snd_pcm_hw_params_free(params) }
    snd_pcm_hw_params_any(pcm, params)
    let channels = (1...8).first { snd_pcm_hw_params_test_channels(pcm, params, UInt32($0)) == 0 } ?? 1
    var (rate, size) = (Self.rate, buffer)
    let codes = [
      snd_pcm_hw_params_set_access(pcm, params, SND_PCM_ACCESS_RW_INTERLEAVED),
      snd_pcm_hw_params_set_format(pcm, params, SND_PCM_FORMAT_S16),
      snd_pcm_hw_params_set_channels(pcm, params, UInt32(channels)),
      snd_pcm_hw_params_set_rate_near(pcm, params, &rate, nil),
      snd_pcm_hw_params_set_buffer_size_near(pcm, params, &size),
    ]
    var period = UInt(batch)
    snd_pcm_hw_params_set_period_size_near(pcm, params, &period, nil)
    guard codes.allSatisfy({ $0 >= 0 }), snd_pcm_hw_params(pcm, params) >= 0, (8_000...384_000).contains(rate) else {
      throw PCMError(
        device: device, reason: "the device cannot record 16-bit samples",
        remedy: device.hasPrefix("hw:") ? "to convert the samples, use plug\(device)" : remedy)
    }
    return (channels, Int(rate))
  }

  private static func check(_ code: Int32, _ device: String) throws(PCMError) {
    guard code < 0 else { return }
    let reason = code == -EPIPE ? "frames were lost, because this machine is too busy" : PCMError.reason(of: code)
    throw PCMError(device: device, reason: "recording failed: \(reason)", remedy: "try again, or \(remedy)")
  }

  private static let remedy = "use --microphone alsa:DEVICE with another device; `arecord -L` lists them"
}

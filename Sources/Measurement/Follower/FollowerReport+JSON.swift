extension FollowerReport: Encodable {
  private enum CodingKeys: String, CodingKey {
    case provenance, stimulus, sounds, steady, transfer, steps, losses, warnings
    case offGrid = "off_grid"
    case delay = "delay_us"
    case tolerance = "tolerance_us"
    case keptLosses = "kept_losses"
    case drift = "recorder_drift_ppm"
    case driftError = "recorder_drift_standard_error_ppm"
  }

  /// Encodes the report. The key of a figure that the report does not have is omitted.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(provenance, forKey: .provenance)
    try container.encode(stimulus, forKey: .stimulus)
    try container.encode(sounds, forKey: .sounds)
    try container.encode(offGrid, forKey: .offGrid)
    try container.encodeIfPresent(delay.map { $0 / 1e3 }, forKey: .delay)
    try container.encodeIfPresent(steady, forKey: .steady)
    try container.encodeIfPresent(tolerance.map { $0 / 1e3 }, forKey: .tolerance)
    try container.encodeIfPresent(transfer, forKey: .transfer)
    try container.encode(steps, forKey: .steps)
    try container.encode(losses, forKey: .losses)
    if !losses.isEmpty { try container.encode(keptLosses, forKey: .keptLosses) }
    try container.encodeIfPresent(drift?.value, forKey: .drift)
    try container.encodeIfPresent(drift?.standardError, forKey: .driftError)
    try container.encode(warnings, forKey: .warnings)
  }
}

extension FollowerReport.Transfer: Encodable {
  private enum CodingKeys: String, CodingKey {
    case input = "input_sd_us"
    case output = "output_sd_us"
    case ratio
    case standardError = "ratio_standard_error"
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(input / 1e3, forKey: .input)
    try container.encode(output / 1e3, forKey: .output)
    try container.encode(ratio, forKey: .ratio)
    try container.encode(standardError, forKey: .standardError)
  }
}

extension FollowerReport.Step: Encodable {
  private enum CodingKeys: String, CodingKey {
    case fromTempo = "from_bpm"
    case toTempo = "to_bpm"
    case peak = "peak_us"
    case lag = "lag_us"
    case overshoot = "overshoot_us"
    case settling = "settling_s"
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(fromTempo, forKey: .fromTempo)
    try container.encode(toTempo, forKey: .toTempo)
    try container.encode(peak / 1e3, forKey: .peak)
    try container.encodeIfPresent(lag.map { $0 / 1e3 }, forKey: .lag)
    try container.encodeIfPresent(overshoot.map { $0 / 1e3 }, forKey: .overshoot)
    try container.encodeIfPresent(settling.map { $0 / 1e9 }, forKey: .settling)
  }
}

extension FollowerReport.Loss: Encodable {
  private enum CodingKeys: String, CodingKey {
    case tick
    case shift = "shift_us"
    case ticks = "shift_ticks"
    case peak = "peak_us"
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(tick, forKey: .tick)
    try container.encode(shift / 1e3, forKey: .shift)
    try container.encode(ticks, forKey: .ticks)
    try container.encode(peak / 1e3, forKey: .peak)
  }
}

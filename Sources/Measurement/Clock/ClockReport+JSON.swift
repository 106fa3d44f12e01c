extension ClockReport: Encodable {
  private enum CodingKeys: String, CodingKey {
    case provenance, source, ticks, runs, lost, doubled, late, interval, phase, stability, warnings, loopback
    case phaseMagnitude = "phase_magnitude"
    case peakToPeak = "phase_peak_to_peak_us"
    case tempo = "tempo_bpm"
    case tempoError = "tempo_standard_error_bpm"
    case nominalTempo = "nominal_bpm"
    case nominalSource = "nominal_source"
    case drift = "drift_ppm"
    case driftError = "drift_standard_error_ppm"
  }

  /// Encodes the report. The key of a figure that the report does not have is omitted.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(provenance, forKey: .provenance)
    try container.encodeIfPresent(source, forKey: .source)
    for (count, key) in [
      (ticks, CodingKeys.ticks), (runs, .runs), (lost, .lost), (doubled, .doubled), (late, .late),
    ] {
      try container.encode(count, forKey: key)
    }
    try container.encodeIfPresent(interval, forKey: .interval)
    try container.encode(phase, forKey: .phase)
    try container.encode(phaseMagnitude, forKey: .phaseMagnitude)
    try container.encode(peakToPeak / 1e3, forKey: .peakToPeak)
    try container.encode(tempo.value, forKey: .tempo)
    try container.encodeIfPresent(tempo.standardError, forKey: .tempoError)
    try container.encodeIfPresent(nominalTempo, forKey: .nominalTempo)
    try container.encodeIfPresent(nominalSource, forKey: .nominalSource)
    try container.encodeIfPresent(drift?.value, forKey: .drift)
    try container.encodeIfPresent(drift?.standardError, forKey: .driftError)
    try container.encode(stability, forKey: .stability)
    try container.encode(warnings, forKey: .warnings)
    try container.encodeIfPresent(loopback, forKey: .loopback)
  }
}

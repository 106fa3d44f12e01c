extension NetworkReport: Encodable {
  private enum CodingKeys: String, CodingKey {
    case provenance, peer, `protocol`, seconds, sent, answered, lost, implausible, unsolicited, clock, out, back, notes
    case roundTrip = "round_trip"
    case asymmetryBound = "asymmetry_bound_us"
  }

  /// Encodes the report. The key of a figure that the report does not have is omitted. ``Distribution`` itself converts its nanoseconds
  /// to microseconds.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(provenance, forKey: .provenance)
    try container.encode(peer, forKey: .peer)
    try container.encode(`protocol`, forKey: .protocol)
    try container.encode(seconds, forKey: .seconds)
    for (count, key) in [
      (sent, CodingKeys.sent), (answered, .answered), (lost, .lost), (implausible, .implausible),
      (unsolicited, .unsolicited),
    ] {
      try container.encode(count, forKey: key)
    }
    try container.encode(roundTrip, forKey: .roundTrip)
    try container.encode(asymmetryBound / 1e3, forKey: .asymmetryBound)
    try container.encodeIfPresent(clock, forKey: .clock)
    try container.encodeIfPresent(out, forKey: .out)
    try container.encodeIfPresent(back, forKey: .back)
    try container.encode(notes, forKey: .notes)
  }
}

extension NetworkReport.Direction: Encodable {
  private enum CodingKeys: String, CodingKey {
    case minimum = "min_us"
    case variation
    case jitter = "jitter_us"
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(minimum / 1e3, forKey: .minimum)
    try container.encode(variation, forKey: .variation)
    try container.encode(jitter / 1e3, forKey: .jitter)
  }
}

extension NetworkReport.Clock: Encodable {
  private enum CodingKeys: String, CodingKey {
    case offset = "offset_ns"
    case uncertainty = "uncertainty_us"
    case deviation = "deviation_us"
    case skew = "skew_ppm"
    case low = "skew_low_ppm"
    case high = "skew_high_ppm"
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(offset.count, forKey: .offset)
    try container.encode(uncertainty.microseconds, forKey: .uncertainty)
    try container.encode(deviation.microseconds, forKey: .deviation)
    try container.encode(skew, forKey: .skew)
    try container.encodeIfPresent(skewBounds?.lowerBound, forKey: .low)
    try container.encodeIfPresent(skewBounds?.upperBound, forKey: .high)
  }
}

extension NetworkReport: CustomStringConvertible {
  /// The report as text, with the provenance at the end, as `tutti measure network` prints it.
  public var description: String {
    let share = sent > 0 ? 100 * Double(lost) / Double(sent) : nil as Double?
    var text = "Network to \(peer), \((seconds as Double?).fixed(1)) s, protocol \(`protocol`.rawValue)\n"
    text += "requests \(sent), answers \(answered), lost \(lost) (\(share.fixed(2)) %), "
    text += "implausible \(implausible), unsolicited \(unsolicited)\n\n"
    var times = TextTable(columns: [""] + Distribution.columns)
    times.append(["round trip"] + roundTrip.row)
    for (name, direction) in [("variation out", out), ("variation back", back)] {
      if let direction { times.append([name] + direction.variation.row) }
    }
    text += "Times, us; variation is the one-way delay minus the smallest one\n\(times)\n"
    if let clock, let out, let back {
      var directions = TextTable(columns: ["", "out", "back"])
      directions.append(
        ["smallest one-way delay, by the estimated offset"] + [out, back].map { ($0.minimum as Double?).microseconds })
      directions.append(["jitter of RFC 3550"] + [out, back].map { ($0.jitter as Double?).microseconds })
      text += "Directions, us\n\(directions)\n"
      let microseconds = [clock.deviation, clock.uncertainty].map { (Double($0.count) as Double?).microseconds }
      text += "Clock of the peer\noffset \((Double(clock.offset.count) as Double?).fixed(9, scale: 1e-9)) s, "
      text += "standard deviation \(microseconds[0]) us, largest possible error \(microseconds[1]) us\n"
      text += "skew \((clock.skew as Double?).fixed(3)) ppm"
      if let bounds = clock.skewBounds {
        text +=
          ", between \((bounds.lowerBound as Double?).fixed(3)) and \((bounds.upperBound as Double?).fixed(3)) ppm"
      }
      text += "\n"
    }
    text += "Asymmetry bound \((asymmetryBound as Double?).microseconds) us: half of the smallest round trip\n"
    if !notes.isEmpty { text += "\nNotes\n" + notes.map { "\($0)\n" }.joined() }
    return text + "\nProvenance\n" + provenance.lines.map { "\($0)\n" }.joined()
  }
}

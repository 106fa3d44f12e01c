import Foundation
import Measurement

/// The delays in a recording of a calibration: one row for each phone, in the order in which the phones clicked.
struct CalibrationListing: Encodable, CustomStringConvertible {
  /// The result of one phone.
  struct Phone: Encodable {
    /// The number of the phone, from 1.
    let number: Int
    let part: CalibrationAnalysis.Part

    /// How much later than the peer the phone sounds; nil if it could not be measured.
    var delay: DeviceDelay? { try? part.delay.get() }
    /// Why there is no delay, with the remedy.
    var problem: String? {
      if case .failure(let error) = part.delay { "\(error)" } else { nil }
    }

    func encode(to encoder: any Encoder) throws {
      try encoder.encode([
        "phone": number,
        // The instant at which the peer began to click for this phone, in seconds since the first frame of the recording.
        "time_s": part.beginning, "delay_ms": delay?.milliseconds, "uncertainty_ms": delay?.uncertainty,
        "clicks_used": delay?.used, "clicks_rejected": delay?.rejected, "problem": problem,
      ])
    }
  }

  let provenance: Provenance
  let phones: [Phone]

  init(provenance: Provenance, parts: [CalibrationAnalysis.Part]) {
    self.provenance = provenance
    phones = parts.enumerated().map { Phone(number: $0 + 1, part: $1) }
  }

  /// The table.
  var description: String {
    func text(_ value: Double?) -> String { value.map { String(format: "%.1f", $0) } ?? "-" }
    return TextTable(
      columns: ["phone", "time / s", "delay / ms", "± / ms", "clicks", ""],
      rows: phones.map { phone in
        let clicks = phone.delay.map { "\($0.used)/\($0.used + $0.rejected)" } ?? "-"
        return [
          "\(phone.number)", text(phone.part.beginning), text(phone.delay?.milliseconds),
          text(phone.delay?.uncertainty),
          clicks, phone.problem ?? "",
        ]
      }
    ).description
  }
}

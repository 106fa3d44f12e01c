import Foundation
import Measurement

/// The delays in a recording of a calibration: one row for each phone, in the order in which the phones clicked.
struct CalibrationListing: Encodable {
  /// The result of one phone. Fields without a value are omitted.
  struct Phone: Encodable {
    /// The number of the phone, from 1.
    var phone: Int
    /// The instant at which the peer began to click for this phone, in seconds since the first frame of the recording.
    var beginning: Double
    /// How much later than the peer the phone sounds, in milliseconds.
    var delay: Double?
    /// The uncertainty of ``delay``, in milliseconds: 95 % of the errors are smaller.
    var uncertainty: Double?
    /// The number of clicks from which the delay was calculated.
    var used: Int?
    /// The number of clicks of the phone that were not found, or that were found but not used.
    var rejected: Int?
    /// Why there is no delay, with the remedy.
    var problem: String?

    private enum CodingKeys: String, CodingKey {
      case phone, problem
      case beginning = "time_s"
      case delay = "delay_ms"
      case uncertainty = "uncertainty_ms"
      case used = "clicks_used"
      case rejected = "clicks_rejected"
    }
  }

  var provenance: Provenance
  var phones: [Phone]

  init(provenance: Provenance, parts: [CalibrationAnalysis.Part]) {
    self.provenance = provenance
    phones = parts.enumerated().map { index, part in
      var phone = Phone(phone: index + 1, beginning: part.beginning)
      switch part.delay {
      case .success(let delay):
        (phone.delay, phone.uncertainty) = (delay.milliseconds, delay.uncertainty)
        (phone.used, phone.rejected) = (delay.used, delay.rejected)
      case .failure(let error): phone.problem = "\(error)"
      }
      return phone
    }
  }

  /// The table.
  var text: String {
    var table = TextTable(columns: ["phone", "time / s", "delay / ms", "± / ms", "clicks", ""])
    for phone in phones {
      func number(_ value: Double?) -> String { value.map { String(format: "%.1f", $0) } ?? "-" }
      let clicks = phone.used.map { "\($0)/\($0 + (phone.rejected ?? 0))" } ?? "-"
      table.append([
        "\(phone.phone)", number(phone.beginning), number(phone.delay), number(phone.uncertainty), clicks,
        phone.problem ?? "",
      ])
    }
    return table.description
  }
}

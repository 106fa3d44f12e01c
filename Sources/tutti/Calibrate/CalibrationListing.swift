import Foundation
import Measurement

/// The delays in a recording of a calibration: one row for each phone, in the order in which the phones clicked.
struct CalibrationListing: Encodable, CustomStringConvertible {
  let provenance: Provenance
  /// The results of the phones, in the order in which they clicked.
  let parts: [CalibrationAnalysis.Part]

  func encode(to encoder: any Encoder) throws {
    let phones = parts.enumerated().map { index, part in
      let delay = part.deviceDelay
      return [
        "phone": index + 1,
        // The instant at which the peer began to click for this phone, in seconds since the first frame of the recording.
        "time_s": part.beginning, "delay_ms": delay?.milliseconds, "uncertainty_ms": delay?.uncertainty,
        "clicks_used": delay?.used, "clicks_rejected": delay?.rejected, "problem": part.problem,
      ] as JSONObject
    }
    try encoder.encode(["provenance": provenance, "phones": phones])
  }

  /// The table.
  var description: String {
    func text(_ value: Double?) -> String { value.map { String(format: "%.1f", $0) } ?? "-" }
    return TextTable(
      columns: ["phone", "time / s", "delay / ms", "± / ms", "clicks", ""],
      rows: parts.enumerated().map { index, part in
        let delay = part.deviceDelay
        let clicks = delay.map { "\($0.used)/\($0.used + $0.rejected)" } ?? "-"
        return [
          "\(index + 1)", text(part.beginning), text(delay?.milliseconds), text(delay?.uncertainty), clicks,
          part.problem ?? "",
        ]
      }
    ).description
  }
}

extension CalibrationAnalysis.Part {
  /// How much later than the peer the phone sounds; nil if it could not be measured.
  var deviceDelay: DeviceDelay? { try? delay.get() }
  /// Why there is no delay, with the remedy.
  fileprivate var problem: String? { if case .failure(let error) = delay { "\(error)" } else { nil } }
}

import Foundation

/// The JSON schema of the output of a `tutti measure` command or of `tutti calibrate`: JSON Schema 2020-12. The schemas are the JSON
/// files beside this file. The parts that several of them use are in `common.json`.
///
/// The version of the schemas is ``Provenance/schema-swift.type.property``. Each output contains it.
public enum ReportSchema: String, Sendable, CaseIterable {
  case clock, follower, sync, audio, network, players, path, activity, calibrate

  /// The schema with the common parts, so that a validator needs no other file. The common parts are an embedded resource, to which the
  /// schema refers by its `$id` (JSON Schema 2020-12, section 9.3.1, "Bundling"). The members of each object are in alphabetical order.
  ///
  /// Real-time: not safe.
  public var document: String {
    var schema = Self.object(octets)
    var definitions = schema["$defs"] as? [String: Any] ?? [:]
    definitions["common"] = Self.object(PackageResources.common_json)
    schema["$defs"] = definitions
    // A decoded JSON object can always be encoded again.
    let data = try! JSONSerialization.data(
      withJSONObject: schema, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    return String(decoding: data, as: UTF8.self) + "\n"
  }

  /// The file of the schema.
  private var octets: [UInt8] {
    switch self {
    case .clock: PackageResources.measure_clock_json
    case .follower: PackageResources.measure_follower_json
    case .sync: PackageResources.measure_sync_json
    case .audio: PackageResources.measure_audio_json
    case .network: PackageResources.measure_network_json
    case .players: PackageResources.measure_players_json
    case .path: PackageResources.measure_path_json
    case .activity: PackageResources.measure_activity_json
    case .calibrate: PackageResources.calibrate_json
    }
  }

  /// Decodes a file of this folder. A test reads each of them.
  private static func object(_ octets: [UInt8]) -> [String: Any] {
    try! JSONSerialization.jsonObject(with: Data(octets)) as! [String: Any]
  }
}

/// The JSON schema of the output of a `tutti measure` command: JSON Schema 2020-12. The documents are the JSON files beside this file.
///
/// The version of the schemas is ``Provenance/schema-swift.type.property``. Each output contains it.
public enum ReportSchema: String, Sendable, CaseIterable {
  case clock, follower, sync, audio, network, players, path

  /// The schema document.
  ///
  /// Real-time: not safe.
  public var document: String {
    let octets =
      switch self {
      case .clock: PackageResources.measure_clock_json
      case .follower: PackageResources.measure_follower_json
      case .sync: PackageResources.measure_sync_json
      case .audio: PackageResources.measure_audio_json
      case .network: PackageResources.measure_network_json
      case .players: PackageResources.measure_players_json
      case .path: PackageResources.measure_path_json
      }
    return String(decoding: octets, as: UTF8.self)
  }
}

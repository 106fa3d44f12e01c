import Foundation
import Measurement
import Testing

/// Tests of the JSON schemas themselves. `SchemaTests` of the program compares them with real output.
struct ReportSchemaTests {
  /// The units that the names of properties end with, and the words of which a description must contain one.
  private static let units = [
    "_ns": ["nanosecond"], "_us": ["microsecond"], "_ms": ["millisecond"], "_s": ["second"],
    "_ppm": ["parts per million"], "_bpm": ["beats per minute", "BPM"],
  ]

  /// Returns the properties below `schema`, with their places.
  private static func properties(_ schema: [String: Any], at place: String) -> [(place: String, [String: Any])] {
    var result: [(String, [String: Any])] = []
    for keyword in ["properties", "$defs"] {
      for (name, member) in schema[keyword] as? [String: [String: Any]] ?? [:] {
        if keyword == "properties" { result.append(("\(place).\(name)", member)) }
        result += properties(member, at: "\(place).\(name)")
      }
    }
    for keyword in ["items", "additionalProperties"] {
      if let member = schema[keyword] as? [String: Any] { result += properties(member, at: "\(place)[]") }
    }
    return result
  }

  @Test(arguments: ReportSchema.allCases)
  func eachPropertyHasADescriptionWithItsUnit(schema: ReportSchema) throws {
    let document = try JSONSerialization.jsonObject(with: Data(schema.document.utf8)) as? [String: Any]
    let properties = Self.properties(try #require(document), at: "")
    #expect(properties.contains { $0.place == ".common.provenance.command" } && properties.count > 40)
    for (place, property) in properties {
      let description = property["description"] as? String ?? ""
      #expect(!description.isEmpty, "\(place) has no description")
      guard let unit = Self.units.first(where: { place.hasSuffix($0.key) }) else { continue }
      #expect(unit.value.contains { description.contains($0) }, "\(place): no unit in \"\(description)\"")
    }
  }
}

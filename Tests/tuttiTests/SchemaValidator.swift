import Foundation

/// Validates JSON against the part of JSON Schema 2020-12 that the schemas of this program use. An unknown keyword is an error, so that
/// no part of a schema is ignored.
struct SchemaValidator {
  /// A keyword of a schema that this validator does not know.
  struct UnknownKeyword: Error { let keyword: String }

  private let root: [String: Any]
  /// The deviations of the value that was validated last, each with its place in the JSON.
  private(set) var errors: [String] = []

  init(_ document: String) throws {
    root = try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any] ?? [:]
  }

  /// Returns the deviations of `json` from the schema, each with its place.
  mutating func validate(_ json: String) throws -> [String] {
    errors = []
    try check(try JSONSerialization.jsonObject(with: Data(json.utf8)), root, at: "")
    return errors
  }

  /// Appends the deviations of `value` from `schema` to ``errors``. `place` is the place of the value in the JSON.
  private mutating func check(_ value: Any, _ schema: [String: Any], at place: String) throws {
    for (keyword, content) in schema {
      switch keyword {
      case "$schema", "$id", "$defs", "title", "description": break
      case "$ref":
        guard let target = target(of: content as? String ?? "") else {
          throw UnknownKeyword(keyword: "$ref \(content)")
        }
        try check(value, target, at: place)
      case "type":
        let types = content as? [String] ?? [content as? String ?? ""]
        if !types.contains(where: { Self.has($0, value) }) { errors.append("\(place): not \(types)") }
      case "const": if !Self.equal(value, content) { errors.append("\(place): not \(content)") }
      case "enum":
        if !(content as? [Any] ?? []).contains(where: { Self.equal(value, $0) }) {
          errors.append("\(place): not one of \(content)")
        }
      case "minimum":
        if Self.number(value).map({ $0 >= Self.number(content)! }) == false { errors.append("\(place): too small") }
      case "maximum":
        if Self.number(value).map({ $0 <= Self.number(content)! }) == false { errors.append("\(place): too large") }
      case "pattern":
        let isMatch = (value as? String)?.range(of: content as? String ?? "", options: .regularExpression) != nil
        if !isMatch { errors.append("\(place): does not match \(content)") }
      case "required":
        for name in content as? [String] ?? [] where (value as? [String: Any])?[name] == nil {
          errors.append("\(place).\(name): missing")
        }
      case "properties":
        for (name, member) in content as? [String: [String: Any]] ?? [:] {
          if let value = (value as? [String: Any])?[name] { try check(value, member, at: "\(place).\(name)") }
        }
      case "additionalProperties":
        let known = Set((schema["properties"] as? [String: Any] ?? [:]).keys)
        for (name, member) in value as? [String: Any] ?? [:] where !known.contains(name) {
          if let schema = content as? [String: Any] {
            try check(member, schema, at: "\(place).\(name)")
          } else if Self.equal(content, false) {
            errors.append("\(place).\(name): not in the schema")
          }
        }
      case "items":
        for (index, item) in (value as? [Any] ?? []).enumerated() {
          try check(item, content as? [String: Any] ?? [:], at: "\(place)[\(index)]")
        }
      case "minItems":
        if let array = value as? [Any], array.count < content as? Int ?? 0 { errors.append("\(place): too short") }
      case "maxItems":
        if let array = value as? [Any], array.count > content as? Int ?? 0 { errors.append("\(place): too long") }
      default: throw UnknownKeyword(keyword: keyword)
      }
    }
  }

  /// Returns the schema to which `reference` refers; nil if there is none. The reference has the form `#/$defs/NAME` for a definition of
  /// this document, or `ID#/$defs/NAME` for a definition of the embedded document with the identifier ID.
  private func target(of reference: String) -> [String: Any]? {
    let parts = reference.components(separatedBy: "#/$defs/")
    guard parts.count == 2 else { return nil }
    let documents = [root] + (root["$defs"] as? [String: [String: Any]] ?? [:]).values
    let document = parts[0].isEmpty ? root : documents.first { $0["$id"] as? String == parts[0] }
    return (document?["$defs"] as? [String: Any])?[parts[1]] as? [String: Any]
  }

  /// Whether `value` has this type of JSON Schema.
  private static func has(_ type: String, _ value: Any) -> Bool {
    switch type {
    case "object": value is [String: Any]
    case "array": value is [Any]
    case "string": value is String
    case "null": value is NSNull
    case "boolean": isBoolean(value)
    case "number": number(value) != nil
    case "integer": number(value).map { $0.rounded() == $0 } == true
    default: false
    }
  }

  /// Whether `value` is true or false. Foundation decodes JSON numbers and booleans as `NSNumber`. Only a boolean has the Objective-C
  /// type `c` or `B`.
  private static func isBoolean(_ value: Any) -> Bool {
    (value as? NSNumber).map { String(cString: $0.objCType) == "c" || String(cString: $0.objCType) == "B" } ?? false
  }

  private static func number(_ value: Any) -> Double? { isBoolean(value) ? nil : (value as? NSNumber)?.doubleValue }

  private static func equal(_ a: Any, _ b: Any) -> Bool { (a as? NSObject) == (b as? NSObject) }
}

import CExpat
import Scores

/// Reads an XML document with expat and takes it apart into elements of bounded size.
///
/// The elements `score-partwise`, `part` and `measure` are entered, each inside the one before: the visitor hears their beginning and their
/// end. Every other element, also a `measure` outside a `part`, is a tree (``XMLTree``) that the visitor gets when it is complete. Entities,
/// external documents and elements nested more than ``maximumDepth`` deep are refused, so that no file of a few octets becomes gigabytes
/// ("billion laughs"). expat decodes UTF-8, UTF-16, ISO-8859-1 and US-ASCII.
final class XMLStream {
  /// What the visitor hears. The elements that are entered have their attributes in the tree's element 0.
  enum Step {
    case begin(XMLName)
    case tree
    case end(XMLName)
  }

  static let maximumDepth = 64
  /// The elements that are entered, from the outermost one.
  private static let levels: [XMLName] = [.scorePartwise, .part, .measure]
  /// The largest file in octets.
  static let maximumFile = 32 << 20

  private let file: String
  private let parser: XML_Parser
  private let visit: (XMLStream, Step) throws(ScoreFault) -> Void
  /// The element that the visitor is to use.
  var tree = XMLTree()
  private var depth = 0
  /// The elements that are entered and open.
  private var entered: [XMLName] = []
  private var isInTree = false
  private var fault: ScoreFault?

  /// The line of the current element in the file.
  private var line: Int { Int(XML_GetCurrentLineNumber(parser)) }

  private init(_ file: String, _ visit: @escaping (XMLStream, Step) throws(ScoreFault) -> Void) throws(ScoreFault) {
    guard let parser = XML_ParserCreate(nil) else {
      throw ScoreFault(file: file, "the file", "no memory for the XML parser", "close other programs")
    }
    (self.file, self.parser, self.visit) = (file, parser, visit)
  }

  deinit { XML_ParserFree(parser) }

  /// Reads `octets`.
  ///
  /// - Throws: ``ScoreFault`` at the first fault of the document, or the visitor's.
  static func read(
    _ octets: [UInt8], file: String, _ visit: @escaping (XMLStream, Step) throws(ScoreFault) -> Void
  ) throws(ScoreFault) {
    guard octets.count <= maximumFile else {
      throw ScoreFault(file: file, "the file", "has \(octets.count) octets", "use at most \(maximumFile)")
    }
    let stream = try XMLStream(file, visit)
    stream.install()
    let status = octets.withUnsafeBytes { buffer in
      XML_Parse(stream.parser, buffer.bindMemory(to: CChar.self).baseAddress, Int32(buffer.count), 1)
    }
    if let fault = stream.fault { throw fault }
    if status != XML_STATUS_OK { throw stream.syntaxFault }
  }

  private func install() {
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      parser, { XMLStream.of($0).begin($1, $2) }, { user, _ in XMLStream.of(user).end() })
    XML_SetCharacterDataHandler(parser) { user, text, count in
      let stream = XMLStream.of(user)
      guard stream.isInTree, let text else { return }
      text.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
        let octets = UnsafeBufferPointer(start: $0, count: Int(count))
        do throws(XMLTree.Refusal) { try stream.tree.add(text: octets) } catch { stream.refuse(error) }
      }
    }
    XML_SetEntityDeclHandler(parser) { user, name, _, _, _, _, _, _, _ in
      let stream = XMLStream.of(user)
      let text = name.map { String(cString: $0) } ?? ""
      stream.refuse(
        "entity \(text.prefix(40))", "entities are not permitted", "export the file again without a DTD of its own")
    }
    XML_SetSkippedEntityHandler(parser) { user, name, _ in
      let stream = XMLStream.of(user)
      let text = name.map { String(cString: $0) } ?? ""
      stream.refuse("entity \(text.prefix(40))", "is not defined", "write the character itself")
    }
  }

  /// The stream of a callback: expat passes the pointer of ``install()`` back. `read` keeps the stream alive while expat runs.
  private static func of(_ user: UnsafeMutableRawPointer?) -> XMLStream {
    Unmanaged<XMLStream>.fromOpaque(user!).takeUnretainedValue()
  }

  private func begin(_ name: UnsafePointer<XML_Char>?, _ list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?) {
    guard fault == nil, let name else { return }
    depth += 1
    if depth > Self.maximumDepth {
      return refuse("the file", "elements are nested more than \(Self.maximumDepth) deep", "export it again")
    }
    if !isInTree { tree.begin(offset: Int(XML_GetCurrentByteIndex(parser))) }
    let number: UInt16
    do throws(XMLTree.Refusal) { number = try tree.open(name, list) } catch { return refuse(error) }
    let known = XMLName(rawValue: number)
    if known == .scoreTimewise {
      return refuse(
        "score-timewise", "bars that contain parts are not supported",
        "export it as score-partwise (MusicXML's usual form)")
    }
    if depth == 1, known != .scorePartwise, known != .container {
      let name = tree.names.names[Int(number)].prefix(40)
      return refuse("the file", "the element \(name) is no score", "export it as MusicXML")
    }
    let isEntered = !isInTree && depth <= Self.levels.count && known == Self.levels[depth - 1]
    if isEntered, let known {
      entered.append(known)
      step(.begin(known))
    } else {
      isInTree = true
    }
  }

  private func end() {
    guard fault == nil else { return }
    depth -= 1
    if isInTree {
      if tree.close() {
        isInTree = false
        step(.tree)
      }
    } else if let name = entered.popLast() {
      step(.end(name))
    }
  }

  private func step(_ step: Step) {
    do throws(ScoreFault) {
      try visit(self, step)
    } catch {
      fault = error
      XML_StopParser(parser, XML_FALSE)
    }
  }

  private func refuse(_ reason: XMLTree.Refusal) {
    switch reason {
    case .names: refuse("the file", "more than \(NameTable.maximumForeign) names of elements", "export it again")
    case .attributes:
      refuse("the file", "an element has more than \(XMLTree.maximumAttributes) attributes", "export it again")
    case .nodes: refuse("the file", "an element has more than \(XMLTree.maximumNodes) elements", "export it again")
    case .octets:
      refuse("the file", "an element has more than \(XMLTree.maximumOctets) octets of text", "export it again")
    }
  }

  private func refuse(_ thing: String, _ reason: String, _ remedy: String) {
    if fault == nil { fault = ScoreFault(file: file, line: line, thing, reason, remedy) }
    XML_StopParser(parser, XML_FALSE)
  }

  private var syntaxFault: ScoreFault {
    let code = XML_GetErrorCode(parser)
    let text = XML_ErrorString(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
    let isEncoding = code == XML_ERROR_UNKNOWN_ENCODING || code == XML_ERROR_INCORRECT_ENCODING
    return ScoreFault(
      file: file, line: line, "the XML", text,
      isEncoding ? "save it as UTF-8" : "the file is damaged or not MusicXML: export it again")
  }
}

import Foundation
import FoundationXML

/// A packet as `tshark` takes it apart.
///
/// Fields stand in the order in which they stand in the packet: a flag that is set by its name, one that is not by
/// nothing, a number by name and value. Of `rtpmidi.cj_chapter_n_log_note` the name is `n_log_note`.
struct DecodedPacket: Sendable {
  /// What Wireshark 4.0 looks for in the wrong place, so that its value says nothing: Chapters E and A have a LEN of
  /// one octet, and it reads two; a quarter frame's value is in the same octet as its type, not in the next.
  private static let misread: Set = ["e_length", "a_length", "mtc_quarter_frame_value"]

  /// From the wire inwards; in the end `_ws.malformed` when it could make no sense of it.
  private(set) var protocols: [String] = []
  /// The command section.
  private(set) var commands: [String] = []
  /// The recovery journal.
  private(set) var journal: [String] = []
  /// The extension of the RTP header: its profile, its length in words, and its words.
  private(set) var headerExtension: [String] = []
  private var isInJournal = false

  /// A packet of the RTP stream, not of the session.
  var isOfStream: Bool { protocols.contains("rtpmidi") }
  var isMalformed: Bool { protocols.contains("_ws.malformed") }

  struct Fault: Error, CustomStringConvertible { let description: String }

  /// Reads PDML, the Packet Details Markup Language of `tshark -T pdml`.
  static func packets(in data: Data) throws -> [DecodedPacket] {
    let reader = Reader()
    let parser = XMLParser(data: data)
    parser.delegate = reader
    guard parser.parse() else {
      throw Fault(description: "tshark's PDML: \(parser.parserError.map { "\($0)" } ?? "not read")")
    }
    return reader.packets
  }

  private mutating func append(_ field: String, _ value: String) {
    // The journal's first.
    if field == "s_flag" { isInJournal = true }
    let name = field.replacing(#/^[cs]j_chapter_/#, with: "")
    let isFlag = name.contains(#/flag$|^chanjour_[sh]$|_toc_/#)
    guard !Self.misread.contains(name), !isFlag || value == "1" else { return }
    let number = value.hasPrefix("0x") ? UInt32(value.dropFirst(2), radix: 16) : nil
    let text = isFlag ? name : "\(name) \(number.map(String.init) ?? value)"
    if isInJournal { journal.append(text) } else { commands.append(text) }
  }

  private final class Reader: NSObject, XMLParserDelegate {
    var packets: [DecodedPacket] = []
    /// The newest field, while none has begun within it: one with others within is but their sum.
    private var leaf: (name: Substring, value: String)?

    func parser(
      _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) {
      leaf = nil
      switch element {
      case "packet": packets.append(DecodedPacket())
      case "proto": packets[packets.count - 1].protocols.append(attributes["name"] ?? "")
      case "field":
        guard let name = attributes["name"] else { return }
        if name.hasPrefix("rtp.ext.") || name == "rtp.hdr_ext" {
          packets[packets.count - 1].headerExtension.append(attributes["show"] ?? "")
        }
        guard name.hasPrefix("rtpmidi.") else { return }
        leaf = (name.dropFirst("rtpmidi.".count), attributes["show"] ?? "")
      default: break
      }
    }

    func parser(
      _ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?
    ) {
      if let leaf { packets[packets.count - 1].append(String(leaf.name), leaf.value) }
      leaf = nil
    }
  }
}

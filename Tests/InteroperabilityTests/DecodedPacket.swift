import Foundation
import FoundationXML

/// The protocols, the RTP-MIDI fields and the RTP header extension of one packet, as `tshark` decodes them.
///
/// Fields are in packet order. A flag that is set is listed by its name, and a flag that is not set is omitted. A number is listed
/// by its name and value. Names are shortened: `rtpmidi.cj_chapter_n_log_note` is `n_log_note`.
struct DecodedPacket: Sendable {
  /// Fields that are omitted, because Wireshark 4.0 reads them from the wrong octets. In Chapters E and A, the field LEN is part
  /// of one octet, but Wireshark reads two octets. The value of a quarter frame is in the same octet as its type, but Wireshark
  /// reads it from the next octet.
  private static let misread: Set = ["e_length", "a_length", "mtc_quarter_frame_value"]

  /// The protocols from the outermost to the innermost; the last is `_ws.malformed` if tshark could not decode the packet.
  private(set) var protocols: [String] = []
  /// Fields of the command section.
  private(set) var commands: [String] = []
  /// Fields of the recovery journal.
  private(set) var journal: [String] = []
  /// The extension of the RTP header: profile, length in words, and the words.
  private(set) var headerExtension: [String] = []
  private var isInJournal = false

  /// Whether the packet belongs to the RTP stream. Otherwise it belongs to the AppleMIDI session protocol.
  var isOfStream: Bool { protocols.contains("rtpmidi") }
  var isMalformed: Bool { protocols.contains("_ws.malformed") }

  struct Fault: Error, CustomStringConvertible { let description: String }

  /// Parses PDML, the Packet Details Markup Language of `tshark -T pdml`.
  static func packets(in data: Data) throws -> [DecodedPacket] {
    let reader = Reader()
    let parser = XMLParser(data: data)
    parser.delegate = reader
    guard parser.parse() else {
      throw Fault(description: "tshark's PDML: \(parser.parserError.map { "\($0)" } ?? "not read")")
    }
    return reader.packets
  }

  /// Appends a field to ``commands`` or ``journal``. The journal begins with the field `s_flag`.
  private mutating func append(_ field: String, _ value: String) {
    if field == "s_flag" { isInJournal = true }
    let name = field.replacing(#/^[cs]j_chapter_/#, with: "")
    // The flags of a channel journal are `chanjour_s` and `chanjour_h`. A flag with `_toc_` in its name states that a chapter is
    // present.
    let isFlag = name.contains(#/flag$|^chanjour_[sh]$|_toc_/#)
    guard !Self.misread.contains(name), !isFlag || value == "1" else { return }
    let number = value.hasPrefix("0x") ? UInt32(value.dropFirst(2), radix: 16) : nil
    let text = isFlag ? name : "\(name) \(number.map(String.init) ?? value)"
    if isInJournal { journal.append(text) } else { commands.append(text) }
  }

  /// Reads the packets from the elements of the PDML.
  private final class Reader: NSObject, XMLParserDelegate {
    var packets: [DecodedPacket] = []
    /// The field of the innermost open element, if this element has no child elements so far. The field is recorded when its
    /// element is closed. A field that contains other fields only repeats their contents, so it is not recorded.
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

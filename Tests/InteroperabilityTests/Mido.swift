import Foundation
import MIDI
import _TestSupport

/// mido, a Python library for Standard MIDI Files. It runs in separate processes with the script `midifiles.py`.
struct Mido {
  private let python: String
  private let package: String
  private let folder: TemporaryFolder

  /// - Parameter folder: the folder for the files of the processes.
  /// - Throws: ``Unavailable`` if Python, pip or PyPI is missing.
  init(in folder: TemporaryFolder) async throws {
    python = try Program.find("python3", package: "python3")
    package = try await PythonPackages.mido.folder(python: python, in: folder)
    self.folder = folder
  }

  /// Lets mido read the files at `paths`.
  func read(_ paths: [String]) async throws -> [MidoFile] { try await run(["read"] + paths) }

  /// Lets mido write `count` random files. Returns their contents.
  func write(seed: Int, count: Int) async throws -> [MidoFile] {
    try await run(["write", "\(seed)", "\(count)", folder.url.path])
  }

  /// Writes the hex dumps of mido's own tests to files, and lets mido read these files.
  ///
  /// - Throws: ``Unavailable`` if pip or PyPI is missing.
  func examples() async throws -> [MidoFile] {
    let source = try await PythonPackages.midoSource.folder(python: python, in: folder)
    return try await run(["examples", source + "/mido-1.3.3.tar.gz", folder.url.path])
  }

  /// Whether mido reads `content` without loss. It does not in three cases:
  ///
  /// - mido rejects status bytes in F7 packets. The specification requires F7 packets for system messages.
  /// - mido loses the delta times of meta events of unknown types.
  /// - mido rejects or shortens meta events of known types if their content is not what mido expects.
  static func reads(_ content: StandardMIDIFile.Event.Content) -> Bool {
    switch content {
    case .message(let message): return message.isOfChannel
    case .systemExclusive: return true
    case .escape(let bytes):
      let data = bytes.last == 0xF7 ? bytes.dropLast() : bytes[...]
      return (data.first == 0xF0 ? data.dropFirst() : data).allSatisfy { $0 < 0x80 }
    case .meta(let meta):
      let bytes = meta.bytes
      return switch meta.type {
      // Texts, Device Name, Sequencer-Specific.
      case 0x01...0x07, 0x09, 0x7F: true
      // Sequence Number.
      case 0x00: bytes.count == 2
      // MIDI Channel Prefix, MIDI Port.
      case 0x20, 0x21: bytes.count == 1
      // Set Tempo.
      case 0x51: bytes.count == 3
      // SMPTE Offset: hours and rate, minutes, seconds, frames, hundredths of a frame.
      case 0x54: bytes.count == 5 && bytes[0] < 0x80 && bytes[1] < 60 && bytes[2] < 60 && bytes[4] < 100
      // Time Signature. The second byte is the exponent of the denominator.
      case 0x58: bytes.count == 4 && bytes[1] < 6
      // Key Signature: the number of sharps, or of flats if negative; 0 for major or 1 for minor.
      case 0x59: bytes.count == 2 && (-7...7).contains(Int8(bitPattern: bytes[0])) && bytes[1] < 2
      default: false
      }
    }
  }

  /// Runs `midifiles.py`, which prints one JSON line for each file.
  private func run(_ arguments: [String]) async throws -> [MidoFile] {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("midifiles.py").path
    let process = try Child(
      "/usr/bin/env", ["PYTHONPATH=\(package)", python, script] + arguments, name: "midifiles", in: folder)
    let status = try await process.status()
    guard status == 0 else { throw Failure(description: "midifiles.py ended with \(status): \(process.errors)") }
    return try process.output.split(separator: "\n").map {
      try JSONDecoder().decode(MidoFile.self, from: Data($0.utf8))
    }
  }

  struct Failure: Error, CustomStringConvertible { let description: String }
}

import CSndfile
import Glibc

/// FLAC files in memory: 16-bit mono (RFC 9639). Encoding loses no information.
///
/// Real-time: not safe.
public enum FLACFile {
  /// Returns a file with the samples `levels` at a rate of `rate` frames per second. Nil if libsndfile was built without FLAC.
  public static func octets(of levels: [Int16], rate: Int64) -> [UInt8]? {
    let memory = MemoryFile()
    // Invariant: `memory` lives until the end of this function, and the handle is closed before this end.
    let context = Unmanaged.passUnretained(memory).toOpaque()
    let isComplete = withExtendedLifetime(memory) {
      var format = SF_INFO()
      (format.samplerate, format.channels) = (Int32(rate), 1)
      format.format = Int32(SF_FORMAT_FLAC) | Int32(SF_FORMAT_PCM_16)
      var access = MemoryFile.access
      guard let handle = sf_open_virtual(&access, Int32(SFM_WRITE), &format, context) else { return false }
      // The highest compression level. This level is the slowest, but a file is encoded only once.
      var level = 1.0
      sf_command(handle, Int32(SFC_SET_COMPRESSION_LEVEL), &level, Int32(MemoryLayout<Double>.size))
      let count = sf_writef_short(handle, levels, Int64(levels.count))
      // Closing writes the last block of samples, and completes the header.
      return sf_close(handle) == 0 && count == Int64(levels.count)
    }
    return isComplete ? memory.octets : nil
  }
}

/// A file in memory that libsndfile writes.
private final class MemoryFile {
  private(set) var octets: [UInt8] = []
  /// The index of the octet that is written next. It can be after the end of ``octets``.
  private var position = 0

  /// The functions with which libsndfile accesses the object to which their last argument points. Invariant: this object is a
  /// ``MemoryFile`` that lives until the handle is closed.
  static var access: SF_VIRTUAL_IO {
    SF_VIRTUAL_IO(
      get_filelen: { MemoryFile.object($0).map { sf_count_t($0.octets.count) } ?? -1 },
      seek: { offset, origin, context in MemoryFile.object(context)?.seek(offset, origin) ?? -1 },
      read: nil,
      write: { source, count, context in MemoryFile.object(context)?.write(source, count) ?? 0 },
      tell: { MemoryFile.object($0).map { sf_count_t($0.position) } ?? -1 })
  }

  private static func object(_ context: UnsafeMutableRawPointer?) -> MemoryFile? {
    context.map { Unmanaged<MemoryFile>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Sets the position relative to `origin`, as lseek(2). Returns the new position; -1 if it would be negative.
  private func seek(_ offset: sf_count_t, _ origin: Int32) -> sf_count_t {
    let base = origin == SEEK_CUR ? position : origin == SEEK_END ? octets.count : 0
    let (target, overflow) = base.addingReportingOverflow(Int(offset))
    guard !overflow, target >= 0 else { return -1 }
    position = target
    return sf_count_t(position)
  }

  /// Writes `count` octets at the position. Returns their number. Invariant: libsndfile passes a buffer of `count` octets.
  private func write(_ source: UnsafeRawPointer?, _ count: sf_count_t) -> sf_count_t {
    guard let source, count > 0 else { return 0 }
    let new = UnsafeRawBufferPointer(start: source, count: Int(count))
    if position > octets.count { octets.append(contentsOf: repeatElement(0, count: position - octets.count)) }
    let end = position + new.count
    octets.replaceSubrange(position..<min(end, octets.count), with: new)
    position = end
    return count
  }
}

import CFluidSynth
import Glibc

/// The sample data of a SoundFont in memory, of which only the programs in use are resident.
///
/// A General MIDI SoundFont of good quality has 150 MB of samples, and an ensemble plays a few of its 128 programs. FluidSynth can load
/// the samples of a program when it is selected (`synth.dynamic-sample-loading`), but it does so on the thread that selects the program,
/// which is the audio thread, and it counts the users of each sample without a lock. Therefore FluidSynth loads all samples here, because
/// it also computes the level of each one. It reads the file through the functions of this file, which remember where the sample data is
/// in memory. Then ``release(keeping:)`` gives the pages of the samples back to the kernel, and ``load(_:)`` reads the samples of a
/// program into the same place before the program plays. Until then, the samples are silent.
///
/// A SoundFont with little sample data, with compressed samples or with damaged tables stays in memory as a whole.
///
/// One thread at a time uses the value. Real-time: not safe.
final class SampleMemory: @unchecked Sendable {
  /// Up to this number of octets of sample data stay in memory as a whole.
  private static let smallSize = 16 << 20

  private let descriptor: Int32
  private let size: Int
  /// Nil if the sample data stays in memory as a whole.
  private let ranges: SampleRanges?
  /// The position in the file at which FluidSynth reads next, in octets.
  private var position = 0
  /// A part of the file. FluidSynth reads the tables number by number, 80 000 numbers of FluidR3.
  private var buffer: [UInt8] = []
  /// The position of ``buffer`` in the file.
  private var bufferStart = 0
  // Invariant: nil, or the memory of `ranges.block.count` octets that FluidSynth has allocated for the sample data. It lives as long as
  // the SoundFont.
  private(set) var data: UnsafeMutableRawPointer?
  /// Whether each sample is in memory. Empty before ``release(keeping:)``.
  private var isLoaded: [Bool] = []

  /// Takes the open file. The value closes it.
  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    var status = stat()
    size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    let ranges = SampleRanges(descriptor)
    self.ranges = ranges.flatMap { $0.block.count > Self.smallSize ? $0 : nil }
  }

  deinit { close(descriptor) }

  /// Loads the SoundFont into `synthesizer`. Returns whether FluidSynth has accepted it.
  func load(into synthesizer: OpaquePointer) -> Bool {
    guard let loader = new_fluid_defsfloader(fluid_synth_get_settings(synthesizer)) else { return false }
    // FluidSynth passes only a file name to the function that opens a file. The name is therefore the address of this object. FluidSynth
    // shares the samples of files with equal names, so the name must be unique anyway.
    fluid_sfloader_set_callbacks(
      loader,
      { name in name.flatMap { UnsafeMutableRawPointer(bitPattern: UInt(String(cString: $0), radix: 16) ?? 0) } },
      { buffer, count, file in SampleMemory.of(file).read(Int(count), into: buffer) ? FLUID_OK : FLUID_FAILED },
      { file, offset, origin in SampleMemory.of(file).seek(Int(offset), from: origin) ? FLUID_OK : FLUID_FAILED },
      { file in fluid_long_long_t(SampleMemory.of(file).position) },
      { _ in FLUID_OK })
    // The synthesizer deletes the loader.
    fluid_synth_add_sfloader(synthesizer, loader)
    let name = String(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()), radix: 16)
    defer { buffer = [] }
    return withExtendedLifetime(self) { fluid_synth_sfload(synthesizer, name, 1) >= 0 }
  }

  private static func of(_ file: UnsafeMutableRawPointer?) -> SampleMemory {
    Unmanaged<SampleMemory>.fromOpaque(file!).takeUnretainedValue()
  }

  /// Reads exactly `count` octets at ``position``.
  private func read(_ count: Int, into memory: UnsafeMutableRawPointer?) -> Bool {
    if count == 0 { return true }
    guard let memory, count > 0, count <= size - position else { return false }
    let place = position..<position + count
    if count <= 4096 {
      if place.lowerBound < bufferStart || place.upperBound > bufferStart + buffer.count {
        buffer = [UInt8](repeating: 0, count: min(1 << 16, size - position))
        bufferStart = position
        let isFilled = buffer.withUnsafeMutableBytes { fill($0.baseAddress!, bufferStart..<bufferStart + $0.count) }
        guard isFilled else {
          buffer = []
          return false
        }
      }
      buffer.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress! + (position - bufferStart), byteCount: count) }
    } else if !fill(memory, place) {
      return false
    }
    if let block = ranges?.block, place == block { data = memory }
    position += count
    return true
  }

  private func seek(_ offset: Int, from origin: Int32) -> Bool {
    let base = origin == SEEK_SET ? 0 : origin == SEEK_CUR ? position : size
    let (target, overflows) = base.addingReportingOverflow(offset)
    guard !overflows, target >= 0, target <= size else { return false }
    position = target
    return true
  }

  /// Reads a part of the file into `memory`. pread(2) may read less than it is asked to, in particular at most 2 GB.
  private func fill(_ memory: UnsafeMutableRawPointer, _ place: Range<Int>) -> Bool {
    var done = 0
    while done < place.count {
      let count = pread(descriptor, memory + done, place.count - done, off_t(place.lowerBound + done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  /// Gives the memory of the samples back to the kernel, and then loads those of `programs`, 0...127.
  func release(keeping programs: Set<UInt8>) {
    guard let ranges, let data else { return }
    // Only whole pages can be given back. Pages that are locked cannot.
    let page = Int(getpagesize())
    let first = (Int(bitPattern: data) + page - 1) / page * page
    let end = (Int(bitPattern: data) + ranges.block.count) / page * page
    guard let start = UnsafeMutableRawPointer(bitPattern: first) else { return }
    munlock(start, end - first)
    guard madvise(start, end - first, MADV_DONTNEED) == 0 else { return }
    isLoaded = [Bool](repeating: false, count: ranges.samples.count)
    for program in programs { load(program) }
  }

  /// Loads the samples of a program, 0...127, in all banks, unless they are in memory. A sample that cannot be read stays silent.
  func load(_ program: UInt8) {
    guard let ranges, let data, !isLoaded.isEmpty else { return }
    for sample in ranges.programs[Int(program)] where !isLoaded[sample] {
      let place = ranges.samples[sample]
      let block = ranges.block.lowerBound
      if fill(data + place.lowerBound, block + place.lowerBound..<block + place.upperBound) { isLoaded[sample] = true }
    }
  }
}

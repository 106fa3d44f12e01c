import CALSA
import Glibc

// The creation of the client and its ports.
extension Sequencer {
  /// Opens a client without ports, and returns its handle.
  ///
  /// - Parameter alternative: what the user can do without a sequencer, as the end of the remedy in errors.
  static func open(name: String, alternative: String = "") throws(TransportError) -> OpaquePointer {
    alsa_be_quiet()
    var handle: OpaquePointer?
    let code = snd_seq_open(&handle, "default", SND_SEQ_OPEN_DUPLEX, SND_SEQ_NONBLOCK)
    guard code == 0, let handle else { throw TransportError("ALSA sequencer: \(explanation(of: -code) + alternative)") }
    snd_seq_set_client_name(handle, name)
    return handle
  }

  /// Returns the reason and the remedy for errno `code` of `snd_seq_open`.
  private static func explanation(of code: Int32) -> String {
    switch code {
    // The device exists, so the missing file or entry belongs to the ALSA configuration.
    case ENOENT where access("/dev/snd/seq", F_OK) == 0, EINVAL:
      "the entry `default` is missing or invalid in the ALSA configuration; reinstall the package "
        + "libasound2-data or correct ~/.asoundrc"
    case ENOENT, ENODEV, ENXIO: "/dev/snd/seq does not exist; run `modprobe snd-seq` as root"
    case EACCES, EPERM:
      "no permission to open /dev/snd/seq; join the group audio (`usermod -aG audio NAME` as root) and log in again"
    case EBUSY, EMFILE, ENFILE, ENOMEM: "no further client possible (\(reason(code))); close other MIDI programs"
    default: "cannot open /dev/snd/seq (\(reason(code))); check with `ls -l` that you may read and write it"
    }
  }

  /// Enlarges the input pool in the kernel, and the input buffer of the ALSA library to the size of the complete pool. The library
  /// can never read an event that is longer than its buffer, such as a long System Exclusive of another program. Such an event
  /// would block the input permanently.
  static func enlarge(_ handle: OpaquePointer) throws(TransportError) {
    var pool: OpaquePointer?
    guard snd_seq_client_pool_malloc(&pool) == 0 else { throw outOfMemory }
    defer { snd_seq_client_pool_free(pool) }
    var code = snd_seq_get_client_pool(handle, pool)
    if code == 0 {
      snd_seq_client_pool_set_input_pool(pool, inputPoolSize)
      // Setting the output pool makes the kernel allocate it now. Otherwise the kernel would allocate it with the first tick.
      snd_seq_client_pool_set_output_pool(pool, 64)
      code = snd_seq_set_client_pool(handle, pool)
    }
    if code == 0 {
      code = snd_seq_set_input_buffer_size(handle, (inputPoolSize + 1) * MemoryLayout<snd_seq_event_t>.size)
    }
    guard code == 0 else {
      throw TransportError("ALSA sequencer: cannot enlarge the input pool (\(reason(code))); close other programs")
    }
  }

  private static var outOfMemory: TransportError {
    TransportError("ALSA sequencer: out of memory; close other programs")
  }

  /// Creates `port`. The kernel stamps arrivals at an input port with the time of `queue`.
  static func create(_ port: Port, on handle: OpaquePointer, stampedBy queue: Int32) throws(TransportError) {
    let capability =
      port.isOutput
      ? SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ : SND_SEQ_PORT_CAP_WRITE | SND_SEQ_PORT_CAP_SUBS_WRITE
    try create(port.number, port.name, capability: UInt32(capability), on: handle) { info in
      guard !port.isOutput else { return }
      snd_seq_port_info_set_timestamping(info, 1)
      snd_seq_port_info_set_timestamp_real(info, 1)
      snd_seq_port_info_set_timestamp_queue(info, queue)
    }
    if port == .notes { sequencer_reserve_exclusive(handle, Int32(port.number)) }
  }

  /// Creates the port for the announcements of the kernel and subscribes it to System:Announce. The port is not
  /// exported: it appears in no list, and other programs cannot connect it.
  static func listenToAnnouncements(_ handle: OpaquePointer) throws(TransportError) {
    let capability = SND_SEQ_PORT_CAP_WRITE | SND_SEQ_PORT_CAP_NO_EXPORT
    try create(announcements, "announcements", capability: UInt32(capability), on: handle) { _ in }
    let code = snd_seq_connect_from(
      handle, Int32(announcements), SND_SEQ_CLIENT_SYSTEM, SND_SEQ_PORT_SYSTEM_ANNOUNCE)
    guard code == 0 else {
      throw TransportError(
        "ALSA sequencer: cannot subscribe to System:Announce (\(reason(code))); close other MIDI programs")
    }
  }

  /// Creates the port with `number` and `name`. `configure` sets further properties before the port is created.
  private static func create(
    _ number: UInt8, _ name: String, capability: UInt32, on handle: OpaquePointer,
    configure: (OpaquePointer) -> Void
  ) throws(TransportError) {
    var info: OpaquePointer?
    guard snd_seq_port_info_malloc(&info) == 0, let info else { throw outOfMemory }
    defer { snd_seq_port_info_free(info) }
    snd_seq_port_info_set_port(info, Int32(number))
    snd_seq_port_info_set_port_specified(info, 1)
    snd_seq_port_info_set_name(info, name)
    snd_seq_port_info_set_capability(info, capability)
    let type =
      SND_SEQ_PORT_TYPE_MIDI_GENERIC | SND_SEQ_PORT_TYPE_SOFTWARE | SND_SEQ_PORT_TYPE_PORT
      | SND_SEQ_PORT_TYPE_APPLICATION
    snd_seq_port_info_set_type(info, UInt32(type))
    snd_seq_port_info_set_midi_channels(info, 16)
    configure(info)
    let code = snd_seq_create_port(handle, info)
    guard code == 0 else {
      throw TransportError(
        "ALSA sequencer: cannot create port \"\(name)\" (\(reason(code))); close other MIDI programs")
    }
  }
}

import CALSA
import Glibc

extension Sequencer {
  /// A client of no ports.
  static func open(name: String) throws(TransportError) -> OpaquePointer {
    alsa_be_quiet()
    var handle: OpaquePointer?
    let code = snd_seq_open(&handle, "default", SND_SEQ_OPEN_DUPLEX, SND_SEQ_NONBLOCK)
    guard code == 0, let handle else { throw TransportError("ALSA sequencer: \(explanation(of: -code))") }
    snd_seq_set_client_name(handle, name)
    return handle
  }

  private static func explanation(of code: Int32) -> String {
    switch code {
    case ENOENT where access("/dev/snd/seq", F_OK) == 0, EINVAL:
      "its entry `default` in the ALSA library's configuration is not there or not right; see /usr/share/alsa"
    case ENOENT, ENODEV, ENXIO: "/dev/snd/seq is not there; load it with `modprobe snd-seq`, or leave --midi away"
    case EACCES, EPERM: "no right to open /dev/snd/seq; join the group audio, or leave --midi away"
    case EBUSY, EMFILE, ENFILE, ENOMEM: "no room for another client (\(reason(code))); close other MIDI programs"
    default: "/dev/snd/seq does not open (\(reason(code))); leave --midi away"
    }
  }

  /// Makes room for a flood: in the kernel, and in the library for all that the kernel may have. An event longer than
  /// the library's buffer (System Exclusive of another program) would stay the first in the kernel for ever.
  static func enlarge(_ handle: OpaquePointer) throws(TransportError) {
    var pool: OpaquePointer?
    guard snd_seq_client_pool_malloc(&pool) == 0 else { throw TransportError("ALSA sequencer: no memory") }
    defer { snd_seq_client_pool_free(pool) }
    var code = snd_seq_get_client_pool(handle, pool)
    if code == 0 {
      snd_seq_client_pool_set_input_pool(pool, room)
      // Setting the other pool, too, has the kernel allocate it now rather than when the first tick goes out.
      snd_seq_client_pool_set_output_pool(pool, 64)
      code = snd_seq_set_client_pool(handle, pool)
    }
    if code == 0 { code = snd_seq_set_input_buffer_size(handle, (room + 1) * MemoryLayout<snd_seq_event_t>.size) }
    guard code == 0 else {
      throw TransportError("ALSA sequencer: no room for arrivals (\(reason(code))); close other programs")
    }
  }

  static func create(_ port: Port, on handle: OpaquePointer, stampedBy queue: Int32) throws(TransportError) {
    let capability =
      port.gives
      ? SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ : SND_SEQ_PORT_CAP_WRITE | SND_SEQ_PORT_CAP_SUBS_WRITE
    try create(port.number, port.name, capability: UInt32(capability), on: handle) { info in
      guard !port.gives else { return }
      snd_seq_port_info_set_timestamping(info, 1)
      snd_seq_port_info_set_timestamp_real(info, 1)
      snd_seq_port_info_set_timestamp_queue(info, queue)
    }
  }

  /// A port that is not exported appears in no list and nobody else can connect it.
  static func listenToAnnouncements(_ handle: OpaquePointer) throws(TransportError) {
    let capability = SND_SEQ_PORT_CAP_WRITE | SND_SEQ_PORT_CAP_NO_EXPORT
    try create(announcements, "announcements", capability: UInt32(capability), on: handle) { _ in }
    let code = snd_seq_connect_from(
      handle, Int32(announcements), SND_SEQ_CLIENT_SYSTEM, SND_SEQ_PORT_SYSTEM_ANNOUNCE)
    guard code == 0 else {
      throw TransportError("ALSA sequencer: it announces nothing (\(reason(code))); leave --midi away")
    }
  }

  private static func create(
    _ number: UInt8, _ name: String, capability: UInt32, on handle: OpaquePointer,
    configure: (OpaquePointer) -> Void
  ) throws(TransportError) {
    var info: OpaquePointer?
    guard snd_seq_port_info_malloc(&info) == 0, let info else { throw TransportError("ALSA sequencer: no memory") }
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
      throw TransportError("ALSA sequencer: no port \"\(name)\" (\(reason(code))); close other MIDI programs")
    }
  }
}

import MIDI
import Testing

/// Tests that `tshark` 4.0 decodes the command lists of a `PacketSender`, and a journal that has every chapter. If `tshark` is
/// missing, the tests are cancelled with the reason.
@Suite struct TsharkCommandTests {
  private static let (second, last) = (Channel(2)!, Channel(16)!)

  /// Every kind of message with its fields in Wireshark. Wireshark shows the two data octets of Pitch Bend and Song Position in packet
  /// order, the lower seven bits first: 12345 is 57 + 96 * 128, and these two octets are 0x39 and 0x60.
  ///
  /// The sequencer messages are consecutive at the end, so that every Chapter Q refers to the previous packet. Wireshark decodes
  /// Chapter Q correctly only if it refers to the previous packet.
  private static let kinds: [(Message, String)] = [
    (.noteOff(second, key: 0, velocity: 127), "channel_status 8, channel 1, note 0, velocity 127"),
    (.noteOn(last, key: 127, velocity: 1), "channel_status 9, channel 15, note 127, velocity 1"),
    (.noteOn(second, key: 60, velocity: 0), "channel_status 9, channel 1, note 60, velocity 0"),
    (.polyphonicPressure(second, key: 61, pressure: 7), "channel_status 10, channel 1, note 61, pressure 7"),
    (
      .controlChange(second, controller: 7, value: 100),
      "channel_status 11, channel 1, controller 7, controller_value 100"
    ),
    (.programChange(second, program: 5), "channel_status 12, channel 1, program 5"),
    (.channelPressure(second, pressure: 9), "channel_status 13, channel 1, channel_pressure 9"),
    (.pitchBend(second, 12345), "channel_status 14, channel 1, pitch_bend \(0x3960)"),
    (.quarterFrame(0x35), "common_status \(0xF1), mtc_quarter_frame_type 3"),
    (.songSelect(5), "common_status \(0xF3), song_select 5"),
    (.tuneRequest, "common_status \(0xF6)"),
    (.activeSensing, "common_status \(0xFE)"),
    (.start, "common_status \(0xFA)"),
    (.clock, "common_status \(0xF8)"),
    (.stop, "common_status \(0xFC)"),
    (.continue, "common_status \(0xFB)"),
    (.songPosition(12345), "common_status \(0xF2), song_position_pointer \(0x3960)"),
    (.reset, "common_status \(0xFF)"),
  ]

  @Test func everyKindOfMessageIsDecoded() async throws {
    var session = try RecordedSession()
    for (message, _) in Self.kinds { try session.send(message) }
    try session.sendGuard()
    let octets = session.streamPackets
    let packets = try await session.decoded()
    for (packet, (message, command)) in zip(packets, Self.kinds) {
      let head = "j_flag, cmd_length_short \(message.bytes.count), "
      #expect(packet.commands == fields(head + command))
    }
    #expect(packets.last?.commands == fields("j_flag, cmd_length_short 0"))
    // Packet 8 is the quarter frame, whose value Wireshark misreads. After the RTP header follow the header of the command section
    // and the two octets of the quarter frame.
    #expect(hex(octets[8][12..<15]) == "42 f1 35")
  }

  /// A packet to a Tutti peer contains its send instant in the header extension.
  @Test func headerExtensionWithTheSendInstantIsDecoded() async throws {
    var session = try RecordedSession(sendsInstants: true)
    try session.send(.start, .clock)
    try session.send(systemExclusive: [0x7D, 1])
    try session.sendGuard()
    let octets = session.streamPackets
    // The header extension has the profile "TU" and two words. The send instant is 0, because the thread that sends the packet
    // writes it just before sending.
    #expect(octets.allSatisfy { hex($0[12..<24]) == "54 55 00 02 00 00 00 00 00 00 00 00" })
    let packets = try await session.decoded()
    #expect(packets.map(\.headerExtension) == Array(repeating: ["0x5455", "2", "0x00000000", "0x00000000"], count: 4))
    #expect(packets[1].commands == fields("j_flag, cmd_length_short 1, common_status \(0xF8)"))
    #expect(packets[3].commands == fields("j_flag, cmd_length_short 0"))
  }

  @Test func systemExclusivesAreDecoded() async throws {
    var session = try RecordedSession()
    let octets = (0..<100).map { UInt8($0) }
    try session.send(systemExclusive: [0x7D] + octets)
    // Master Volume, and a Full Frame of MIDI Time Code: 01:02:03:04 at 25 frames per second.
    try session.send(systemExclusive: [0x7F, 0x7F, 0x04, 0x01, 0x12, 0x34])
    try session.send(systemExclusive: [0x7F, 0x7F, 0x01, 0x01, 0x21, 0x02, 0x03, 0x04])
    #expect(
      try await session.decoded().map(\.commands) == [
        fields(
          """
          b_flag, j_flag, cmd_length_long 103,
          common_status \(0xF0), manufacturer_short \(0x7D), edu_data \(list(octets)), common_status \(0xF7)
          """),
        fields(
          """
          j_flag, cmd_length_short 8,
          common_status \(0xF0), manufacturer_short \(0x7F), sysex_common_device_id 127, sysex_common_realtime 4,
          sysex_common_realtime_dc 1, sysex_common_rt_dc_volume \(0x1234), common_status \(0xF7)
          """),
        fields(
          """
          j_flag, cmd_length_short 10,
          common_status \(0xF0), manufacturer_short \(0x7F), sysex_common_device_id 127, sysex_common_realtime 1,
          sysex_common_realtime_mtc 1, sysex_common_rt_mtc_fm_type 1, sysex_common_rt_mtc_fm_hour 1,
          sysex_common_rt_mtc_fm_minute 2, sysex_common_rt_mtc_fm_second 3, sysex_common_rt_mtc_fm_frame 4,
          common_status \(0xF7)
          """),
      ])
  }

  @Test func segmentsOfASystemExclusiveAreDecoded() async throws {
    var session = try RecordedSession()
    // The 201 data octets fill packets of at most 100, 100 and 1400 octets: 81, 77 and the other 43 data octets. The journals of the
    // last two packets are four octets longer than the first journal, because they have a Chapter X.
    let data = [0x43] + (0..<200).map { UInt8($0 & 0x7F) }
    try session.send(systemExclusive: data, rooms: [100, 100, 1400], isJournalled: false)
    #expect(
      try await session.decoded().map(\.commands) == [
        fields(
          """
          b_flag, j_flag, cmd_length_long 83, common_status \(0xF0),
          manufacturer_short \(0x43), manu_data \(list(data[1..<81])), common_status \(0xF0)
          """),
        fields(
          """
          b_flag, j_flag, cmd_length_long 79,
          common_status \(0xF7), unknown_data \(list(data[81..<158])), common_status \(0xF0)
          """),
        fields(
          """
          b_flag, j_flag, cmd_length_long 45,
          common_status \(0xF7), unknown_data \(list(data[158...])), common_status \(0xF7)
          """),
      ])
  }

  @Test func journalWithEveryChapterIsDecoded() async throws {
    var session = try RecordedSession()
    let (first, second) = (Channel(1)!, Channel(2)!)
    try session.send(
      .programChange(first, program: 5), .controlChange(first, controller: 7, value: 100),
      .controlChange(first, controller: 99, value: 1), .controlChange(first, controller: 98, value: 2),
      .controlChange(first, controller: 6, value: 3))
    try session.send(
      .pitchBend(first, 0), .noteOn(first, key: 60, velocity: 1), .noteOn(first, key: 60, velocity: 2),
      .channelPressure(first, pressure: 8), .polyphonicPressure(first, key: 60, pressure: 9),
      .noteOff(second, key: 0, velocity: 64))
    try session.send(.songSelect(4), .activeSensing, .quarterFrame(0x05))
    try session.send(systemExclusive: [0x7D, 1, 2])
    try session.send(.start)
    try session.sendGuard()
    // Packet 3 follows the MSB of a parameter number. Wireshark misreads the Chapter M of this packet
    // (``TsharkChannelTests/halfOfAParameterNumberIsPending()``). In the last packet, Wireshark omits the last data octet of Chapter X, 02
    // (``TsharkSystemTests/systemExclusivesAreDecoded()``).
    #expect(
      try await session.decoded(malformed: [3]).last?.journal
        == fields(
          """
          y_flag, a_flag, total_channels 1, check_Seq_num 65530,
          sysjour_toc_d, sysjour_toc_v, sysjour_toc_q, sysjour_toc_f, sysjour_toc_x, cmd_sysjour_len 16,
          d_sflag, d_hflag, d_song_sel_sflag, d_song_sel_value 4, v_sflag, v_count 1, q_nflag, q_top 0,
          f_sflag, f_pflag, f_qflag, f_point 0,
          f_mt0 5, f_mt1 0, f_mt2 0, f_mt3 0, f_mt4 0, f_mt5 0, f_mt6 0, f_mt7 0,
          x_sflag, x_cflag, x_dflag, x_lflag, x_sta 3, x_count 1, x_data 7d:01,
          chanjour_s, chanjour_channel 0, cmd_chanjour_len 28, chanjour_toc_p, chanjour_toc_c, chanjour_toc_m,
          chanjour_toc_w, chanjour_toc_n, chanjour_toc_e, chanjour_toc_t, chanjour_toc_a,
          p_sflag, p_program 5, p_bank_msb 0, p_bank_lsb 0, c_sflag, c_length 0, c_sflag, c_number 7, c_value 100,
          m_sflag, m_eflag, m_wflag, m_length 6,
          m_log_sflag, m_log_pnum_lsb 2, m_log_qflag, m_log_pnum_msb 1, m_log_jflag, m_log_vflag, m_log_msb 3,
          w_sflag, w_first 0, w_second 0,
          n_bflag, n_length 1, n_low 15, n_high 0, n_log_sflag, n_log_note 60, n_log_yflag, n_log_velocity 2,
          e_sflag, e_log_sflag, e_log_note 60, e_log_count 2, t_sflag, t_pressure 8,
          a_sflag, a_log_sflag, a_log_note 60, a_log_pressure 9,
          chanjour_s, chanjour_channel 1, cmd_chanjour_len 6, chanjour_toc_n,
          n_bflag, n_length 0, n_low 0, n_high 0, n_log_octet 128
          """))
  }
}

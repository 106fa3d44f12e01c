import MIDI
import Testing

/// Tests that `tshark` 4.0 decodes every field that a `PacketSender` can set in channel journals (RFC 6295, appendix A). Where
/// `tshark` decodes a field wrongly, the octets are compared instead. If `tshark` is missing, the tests are cancelled with the
/// reason.
///
/// The expected fields belong to the last packet, a guard packet, unless a test states another packet. The stream begins with
/// packet 65530, which is the checkpoint of every journal. The S flag of a part is not set, and so not listed, if the previous packet
/// contained a command of this part. Wireshark shows the values as they are in the packet: channels count from 0,
/// `total_channels` is the number of channels minus 1, and `c_length` is the number of controller logs minus 1.
@Suite struct TsharkChannelTests {
  private let first = Channel(1)!
  private let second = Channel(2)!
  private let third = Channel(3)!
  private let last = Channel(16)!

  /// On channel 1, Bank Select (controllers 0 and 32) precedes the Program Change. On channel 2, Reset All Controllers (121) comes
  /// between them, so the X flag is set. On channel 16, there is no Bank Select.
  @Test func programsAreDecoded() async throws {
    var session = try RecordedSession()
    try session.send(
      .controlChange(first, controller: 0, value: 1), .controlChange(first, controller: 32, value: 2),
      .programChange(first, program: 7))
    try session.send(
      .controlChange(second, controller: 0, value: 3), .controlChange(second, controller: 121, value: 0),
      .programChange(second, program: 8), .programChange(last, program: 127))
    try session.sendGuard()
    #expect(
      try await session.decoded().last?.journal
        == fields(
          """
          a_flag, total_channels 2, check_Seq_num 65530,
          chanjour_s, chanjour_channel 0, cmd_chanjour_len 6, chanjour_toc_p,
          p_sflag, p_program 7, p_bflag, p_bank_msb 1, p_bank_lsb 2,
          chanjour_s, chanjour_channel 1, cmd_chanjour_len 9, chanjour_toc_p, chanjour_toc_c,
          p_sflag, p_program 8, p_bflag, p_bank_msb 3, p_xflag, p_bank_lsb 0,
          c_sflag, c_length 0, c_sflag, c_number 121, c_aflag, c_tflag, c_alt 1,
          chanjour_channel 15, cmd_chanjour_len 6, chanjour_toc_p, p_program 127, p_bank_msb 0, p_bank_lsb 0
          """))
  }

  /// The log of a controller contains its last value. The log of All Sound Off (120) contains the count of the commands instead: 2.
  @Test func controllersAreDecoded() async throws {
    var session = try RecordedSession()
    try session.send(
      .controlChange(first, controller: 7, value: 100), .controlChange(first, controller: 64, value: 127),
      .controlChange(first, controller: 7, value: 101), .controlChange(first, controller: 120, value: 0),
      .controlChange(first, controller: 120, value: 0), .controlChange(first, controller: 122, value: 0))
    try session.sendGuard()
    #expect(
      try await session.decoded().last?.journal
        == fields(
          """
          a_flag, total_channels 0, check_Seq_num 65530,
          chanjour_channel 0, cmd_chanjour_len 12, chanjour_toc_c, c_length 3,
          c_sflag, c_number 64, c_value 127, c_sflag, c_number 7, c_value 101,
          c_sflag, c_number 120, c_aflag, c_tflag, c_alt 2, c_number 122, c_value 0
          """))
  }

  /// With the enhanced encoding of Chapter C, each command has a log for its count and a log for its value. Commands of the pedal
  /// (controller 64) also have a log for the number of changes of the pedal.
  @Test func enhancedControllersAreDecoded() async throws {
    var session = try RecordedSession(usesEnhancedControllers: true)
    try session.send(
      .controlChange(first, controller: 64, value: 127), .controlChange(first, controller: 64, value: 0),
      .controlChange(first, controller: 7, value: 64), .pitchBend(last, 8192),
      .controlChange(first, controller: 123, value: 2))
    try session.sendGuard()
    #expect(
      try await session.decoded().last?.journal
        == fields(
          """
          a_flag, h_flag, total_channels 1, check_Seq_num 65530,
          chanjour_channel 0, chanjour_h, cmd_chanjour_len 24, chanjour_toc_c, c_length 9,
          c_sflag, c_number 64, c_aflag, c_tflag, c_alt 1, c_sflag, c_number 64, c_value 127,
          c_sflag, c_number 64, c_aflag, c_alt 1,
          c_sflag, c_number 64, c_aflag, c_tflag, c_alt 2, c_sflag, c_number 64, c_value 0,
          c_sflag, c_number 64, c_aflag, c_alt 2,
          c_sflag, c_number 7, c_aflag, c_tflag, c_alt 1, c_sflag, c_number 7, c_value 64,
          c_number 123, c_aflag, c_tflag, c_alt 1, c_number 123, c_value 2,
          chanjour_s, chanjour_channel 15, cmd_chanjour_len 5, chanjour_toc_w, w_sflag, w_first 0, w_second 64
          """))
  }

  /// Controllers 101 and 100 select a registered parameter by MSB and LSB, and 99 and 98 a non-registered parameter. The value 127 for
  /// both selects no parameter. Controllers 6 and 38 set the MSB and the LSB of the value. Controllers 96 and 97 increment and
  /// decrement it.
  ///
  /// A journal contains PENDING if the MSB of a parameter number was sent, but not yet its LSB. Wireshark misreads such a journal
  /// (``halfOfAParameterNumberIsPending()``), so the packet after each MSB is malformed for Wireshark.
  @Test func parametersAreDecoded() async throws {
    var session = try RecordedSession()
    // Channel 1: the registered parameters 1 and 2. Parameter 2 is still selected.
    for (controller, value) in [(101, 0), (100, 1), (6, 64), (38, 2), (100, 2), (96, 0), (96, 0)] as [(UInt7, UInt7)] {
      try session.send(.controlChange(first, controller: controller, value: value))
    }
    // Channel 2: a non-registered parameter with the MSB 3 and the LSB 4, and then Reset All Controllers.
    for (controller, value) in [(99, 3), (98, 4), (6, 5), (38, 6), (97, 0), (121, 0)] as [(UInt7, UInt7)] {
      try session.send(.controlChange(second, controller: controller, value: value))
    }
    // Channel 3: a registered and a non-registered parameter. No parameter is selected at the end.
    for (controller, value) in [(101, 0), (100, 0), (6, 2), (99, 0), (98, 1), (38, 9), (101, 127), (100, 127)]
      as [(UInt7, UInt7)]
    {
      try session.send(.controlChange(third, controller: controller, value: value))
    }
    // Channel 16: a non-registered parameter with the MSB 0, which is still selected.
    for (controller, value) in [(99, 0), (98, 5), (6, 1)] as [(UInt7, UInt7)] {
      try session.send(.controlChange(last, controller: controller, value: value))
    }
    try session.sendGuard()
    #expect(
      try await session.decoded(malformed: [1, 8, 14, 17, 20, 22]).last?.journal
        == fields(
          """
          a_flag, total_channels 3, check_Seq_num 65530,
          chanjour_s, chanjour_channel 0, cmd_chanjour_len 13, chanjour_toc_m,
          m_sflag, m_eflag, m_uflag, m_zflag, m_length 10,
          m_log_sflag, m_log_pnum_lsb 1, m_log_jflag, m_log_kflag, m_log_vflag, m_log_msb 64, m_log_lsb 2,
          m_log_sflag, m_log_pnum_lsb 2, m_log_lflag, m_log_vflag, m_log_a_button 2,
          chanjour_s, chanjour_channel 1, cmd_chanjour_len 15, chanjour_toc_c, chanjour_toc_m,
          c_sflag, c_length 0, c_sflag, c_number 121, c_aflag, c_tflag, c_alt 1,
          m_sflag, m_wflag, m_length 9,
          m_log_sflag, m_log_pnum_lsb 4, m_log_qflag, m_log_pnum_msb 3,
          m_log_jflag, m_log_kflag, m_log_lflag, m_log_vflag, m_log_msb_xflag, m_log_msb 5,
          m_log_lsb_xflag, m_log_lsb 6, m_log_a_button_gflag, m_log_a_button_xflag, m_log_a_button 1,
          chanjour_s, chanjour_channel 2, cmd_chanjour_len 13, chanjour_toc_m, m_sflag, m_zflag, m_length 10,
          m_log_sflag, m_log_pnum_lsb 0, m_log_pnum_msb 0, m_log_jflag, m_log_vflag, m_log_msb 2,
          m_log_sflag, m_log_pnum_lsb 1, m_log_qflag, m_log_pnum_msb 0, m_log_kflag, m_log_vflag, m_log_lsb 9,
          chanjour_channel 15, cmd_chanjour_len 8, chanjour_toc_m, m_eflag, m_wflag, m_zflag, m_length 5,
          m_log_pnum_lsb 5, m_log_jflag, m_log_vflag, m_log_msb 1
          """))
  }

  /// After the MSB of a parameter number, Chapter M contains the octet PENDING. LENGTH counts all octets of the chapter, including
  /// PENDING (appendices A.1 and A.4). Wireshark does not subtract PENDING from LENGTH, so it reads the octet after the chapter as
  /// the beginning of another log.
  @Test func halfOfAParameterNumberIsPending() async throws {
    var session = try RecordedSession()
    for (controller, value) in [(101, 0), (100, 1), (6, 64), (101, 5)] as [(UInt7, UInt7)] {
      try session.send(.controlChange(first, controller: controller, value: value))
    }
    try session.send(.controlChange(last, controller: 99, value: 5))
    try session.sendGuard()
    let octets = session.streamPackets
    // Packets 1 and 4 follow an MSB on channel 1. In packet 5, the guard packet, both channels have PENDING. Wireshark
    // misreads this packet without an error.
    let packets = try await session.decoded(malformed: [1, 4])
    #expect(
      packets[1].journal
        == fields(
          """
          a_flag, total_channels 0, check_Seq_num 65530,
          chanjour_channel 0, cmd_chanjour_len 6, chanjour_toc_m, m_pflag, m_length 3, m_pending 0
          """))
    #expect(
      packets[4].journal
        == fields(
          """
          a_flag, total_channels 0, check_Seq_num 65530,
          chanjour_channel 0, cmd_chanjour_len 9, chanjour_toc_m, m_pflag, m_uflag, m_zflag, m_length 6, m_pending 5
          """))
    // The journal of packet 5:
    //   21 ff fa     A, two channels, checkpoint 65530
    //   80 09 20     S, channel 1, LENGTH 9, Chapter M
    //   d4 06 05     S, P, U and Z; LENGTH 6; PENDING: registered, MSB 5
    //   81 82 40     S, parameter 1; J and V; ENTRY-MSB 64
    //   78 06 20     channel 16, LENGTH 6, Chapter M
    //   40 03 85     P; LENGTH 3; PENDING: Q (non-registered), MSB 5
    #expect(hex(octets[5].suffix(18)) == "21 ff fa 80 09 20 d4 06 05 81 82 40 78 06 20 40 03 85")
  }

  /// Chapter N has a log for each note that sounds. The octets of OFFBITS (`n_log_octet`), from LOW to HIGH, have a bit for each note
  /// that was ended. Octet k contains the keys 8k to 8k + 7, and bit 7 of the octet is the key 8k. LOW 15 and HIGH 0 or 1 mean that
  /// there are no OFFBITS.
  ///
  /// - Channel 1: octet 8 is 128 (key 64), and octet 15 is 8 (key 124).
  /// - Channel 2: octet 7 is 8 (key 60).
  @Test func notesAreDecoded() async throws {
    var session = try RecordedSession()
    try session.send(.noteOn(last, key: 127, velocity: 1))
    try session.send(
      .noteOn(second, key: 60, velocity: 100), .noteOn(second, key: 60, velocity: 90),
      .noteOn(second, key: 60, velocity: 0), .noteOn(third, key: 7, velocity: 100))
    try session.send(
      .noteOn(first, key: 60, velocity: 100), .noteOn(first, key: 60, velocity: 90),
      .noteOn(first, key: 64, velocity: 80), .noteOff(first, key: 64, velocity: 33),
      .noteOff(first, key: 124, velocity: 64))
    try session.sendGuard()
    #expect(
      try await session.decoded().last?.journal
        == fields(
          """
          a_flag, total_channels 3, check_Seq_num 65530,
          chanjour_channel 0, cmd_chanjour_len 20, chanjour_toc_n, chanjour_toc_e,
          n_length 1, n_low 8, n_high 15, n_log_sflag, n_log_note 60, n_log_yflag, n_log_velocity 90,
          n_log_octet 128, n_log_octet 0, n_log_octet 0, n_log_octet 0,
          n_log_octet 0, n_log_octet 0, n_log_octet 0, n_log_octet 8,
          e_sflag, e_log_sflag, e_log_note 60, e_log_count 2,
          e_log_sflag, e_log_note 64, n_log_vflag, e_log_velocity 33,
          chanjour_s, chanjour_channel 1, cmd_chanjour_len 9, chanjour_toc_n, chanjour_toc_e,
          n_bflag, n_length 0, n_low 7, n_high 7, n_log_octet 8, e_sflag, e_log_sflag, e_log_note 60, e_log_count 1,
          chanjour_s, chanjour_channel 2, cmd_chanjour_len 7, chanjour_toc_n,
          n_bflag, n_length 1, n_low 15, n_high 0, n_log_sflag, n_log_note 7, n_log_yflag, n_log_velocity 100,
          chanjour_s, chanjour_channel 15, cmd_chanjour_len 7, chanjour_toc_n,
          n_bflag, n_length 1, n_low 15, n_high 0, n_log_sflag, n_log_note 127, n_log_yflag, n_log_velocity 1
          """))
  }

  /// LEN of Chapter N has seven bits and is 127 for both 127 and 128 note logs. If LOW is 15, HIGH = 0 means 128 logs, and HIGH = 1
  /// means 127 logs.
  @Test func journalsOf127And128NotesAreDecoded() async throws {
    for count in [127, 128] {
      var session = try RecordedSession()
      // The capture contains only the guard packet, because only its journal matters.
      for key in 0..<count { try session.sendLost(.noteOn(first, key: UInt7(clamping: key), velocity: 64)) }
      try session.sendLost(.noteOff(second, key: 0, velocity: 64))
      try session.sendGuard()
      let logs = (0..<count).map { "n_log_sflag, n_log_note \($0), n_log_yflag, n_log_velocity 64" }
      #expect(
        try await session.decoded().last?.journal
          == fields(
            """
            a_flag, total_channels 1, check_Seq_num 65530,
            chanjour_s, chanjour_channel 0, cmd_chanjour_len \(5 + 2 * count), chanjour_toc_n,
            n_bflag, n_length 127, n_low 15, n_high \(128 - count), \(logs.joined(separator: ", ")),
            chanjour_channel 1, cmd_chanjour_len 6, chanjour_toc_n, n_length 0, n_low 0, n_high 0, n_log_octet 128
            """))
    }
  }

  /// Chapter W contains the lower seven bits of the Pitch Bend first: 12345 = 57 + 96 * 128.
  @Test func wheelAndPressuresAreDecoded() async throws {
    var session = try RecordedSession()
    try session.send(
      .pitchBend(first, 12345), .channelPressure(first, pressure: 9),
      .polyphonicPressure(first, key: 5, pressure: 1), .polyphonicPressure(first, key: 3, pressure: 4),
      .polyphonicPressure(first, key: 5, pressure: 6), .channelPressure(second, pressure: 127))
    try session.sendGuard()
    #expect(
      try await session.decoded().last?.journal
        == fields(
          """
          a_flag, total_channels 1, check_Seq_num 65530,
          chanjour_s, chanjour_channel 0, cmd_chanjour_len 11, chanjour_toc_w, chanjour_toc_t, chanjour_toc_a,
          w_sflag, w_first 57, w_second 96, t_sflag, t_pressure 9,
          a_sflag, a_log_sflag, a_log_note 3, a_log_pressure 4, a_log_sflag, a_log_note 5, a_log_pressure 6,
          chanjour_channel 1, cmd_chanjour_len 4, chanjour_toc_t, t_pressure 127
          """))
  }
}

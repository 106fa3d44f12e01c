import MIDI
import Testing

/// Tests that `tshark` 4.0 decodes every field that a `PacketSender` can set in system journals (RFC 6295, appendix B). Where
/// `tshark` decodes a field wrongly, the octets are compared instead. If `tshark` is missing, the tests are cancelled with the
/// reason. The stream begins with packet 65530, which is the checkpoint of every journal. The S flag of a part is not set, and so
/// not listed, if the previous packet contained a command of this part.
@Suite struct TsharkSystemTests {
  @Test func simpleCommandsAndActiveSensingAreDecoded() async throws {
    var session = try RecordedSession()
    try session.send(.tuneRequest, .activeSensing, .tuneRequest, .activeSensing, .songSelect(5))
    try session.send(.reset, .reset)
    try session.sendGuard()
    let packets = try await session.decoded()
    // Packet 5 is the first Reset. Its journal contains the five commands before it.
    #expect(
      packets[5].journal
        == fields(
          """
          y_flag, total_channels 0, check_Seq_num 65530, sysjour_toc_d, sysjour_toc_v, cmd_sysjour_len 6,
          d_gflag, d_hflag, d_tune_sflag, d_tune_count 2, d_song_sel_value 5, v_sflag, v_count 2
          """))
    // Packet 7 is the guard packet.
    #expect(
      packets[7].journal
        == fields(
          """
          y_flag, total_channels 0, check_Seq_num 65530, sysjour_toc_d, cmd_sysjour_len 4, d_bflag, d_reset_count 2
          """))
  }

  @Test func songPositionOfThePreviousPacketIsDecoded() async throws {
    var session = try RecordedSession()
    try session.send(.start, .clock, .clock, .clock, .stop, .continue, .clock, .songPosition(16383), .clock, .clock)
    try session.sendGuard()
    // The fields of the system journal after each of the ten commands, without the four fields of the journal header. N: the sequencer
    // runs. D: the Clock at the position has been played; without D, the next Clock plays it. C: the position is not 0, and is in CLOCK.
    // Song Position 16383 is Clock 6 * 16383 = 98298.
    let journals = try await session.decoded().dropFirst().map { Array($0.journal.dropFirst(4)) }
    #expect(
      journals == [
        fields("cmd_sysjour_len 3, q_nflag, q_top 0"), fields("cmd_sysjour_len 3, q_nflag, q_dflag, q_top 0"),
        fields("cmd_sysjour_len 5, q_nflag, q_dflag, q_cflag, q_clock 1"),
        fields("cmd_sysjour_len 5, q_nflag, q_dflag, q_cflag, q_clock 2"),
        fields("cmd_sysjour_len 5, q_dflag, q_cflag, q_clock 2"),
        fields("cmd_sysjour_len 5, q_nflag, q_dflag, q_cflag, q_clock 2"),
        fields("cmd_sysjour_len 5, q_nflag, q_dflag, q_cflag, q_clock 3"),
        fields("cmd_sysjour_len 5, q_nflag, q_cflag, q_clock 98298"),
        fields("cmd_sysjour_len 5, q_nflag, q_dflag, q_cflag, q_clock 98298"),
        fields("cmd_sysjour_len 5, q_nflag, q_dflag, q_cflag, q_clock 98299"),
      ])
  }

  /// If Chapter Q refers to a packet before the previous packet, its S bit is 1. Wireshark reads the S bit as the T bit, and expects
  /// the three octets of TIMETOOLS. These packets are therefore malformed for Wireshark.
  @Test func songPositionOfEarlierPacketsHasTheSBit() async throws {
    var session = try RecordedSession()
    try session.send(.start)
    try session.sendGuard()
    try session.sendGuard()
    try session.send(.clock, .songPosition(16383), .clock, .clock)
    try session.sendGuard()
    try session.sendGuard()
    let octets = session.streamPackets
    _ = try await session.decoded(malformed: [2, 3, 8])
    // Both journals begin with the first two lines. Chapter Q follows, as in the third or in the fourth line.
    //   c0 ff fa     S, Y, checkpoint 65530
    //   90 03        S, Chapter Q, LENGTH (05 in packet 8)
    //   c0           Chapter Q of packet 2: S and N; Start has set the position 0
    //   f1 7f fb     Chapter Q of packet 8: S, N, D and C; TOP 1 and CLOCK 0x7FFB: position 98299
    #expect(hex(octets[2].suffix(6)) == "c0 ff fa 90 03 c0")
    #expect(hex(octets[8].suffix(8)) == "c0 ff fa 90 05 f1 7f fb")
  }

  @Test func timeCodeIsDecoded() async throws {
    var session = try RecordedSession()
    // The eight quarter frames of 07:06:05:12 (hours, minutes, seconds, frames at 25 frames per second), and the first two of the
    // next time code.
    for data in [0x0C, 0x10, 0x25, 0x30, 0x46, 0x50, 0x67, 0x72, 0x0E, 0x10] as [UInt7] {
      try session.send(.quarterFrame(data))
    }
    try session.sendGuard()
    let packets = try await session.decoded()
    // Packet 3 follows three quarter frames. Packet 8 follows the eight quarter frames of the first time code. Packet 10 follows
    // two quarter frames of the next time code.
    #expect(
      packets[3].journal
        == fields(
          """
          y_flag, total_channels 0, check_Seq_num 65530, sysjour_toc_f, cmd_sysjour_len 7,
          f_pflag, f_qflag, f_point 2, f_mt0 12, f_mt1 0, f_mt2 5, f_mt3 0, f_mt4 0, f_mt5 0, f_mt6 0, f_mt7 0
          """))
    #expect(
      packets[8].journal
        == fields(
          """
          y_flag, total_channels 0, check_Seq_num 65530, sysjour_toc_f, cmd_sysjour_len 7,
          f_cflag, f_qflag, f_point 7, f_mt0 12, f_mt1 0, f_mt2 5, f_mt3 0, f_mt4 6, f_mt5 0, f_mt6 7, f_mt7 2
          """))
    #expect(
      packets[10].journal
        == fields(
          """
          y_flag, total_channels 0, check_Seq_num 65530, sysjour_toc_f, cmd_sysjour_len 11,
          f_cflag, f_pflag, f_qflag, f_point 1,
          f_mt0 12, f_mt1 0, f_mt2 5, f_mt3 0, f_mt4 6, f_mt5 0, f_mt6 7, f_mt7 2,
          f_mt0 14, f_mt1 0, f_mt2 0, f_mt3 0, f_mt4 0, f_mt5 0, f_mt6 0, f_mt7 0
          """))
  }

  @Test func backwardsTimeCodeIsDecoded() async throws {
    var session = try RecordedSession()
    // The eight quarter frames of 07:06:05:12 in descending order, from 7 to 0, and the first two of the next time code. In the second
    // guard packet, every S bit is 1.
    for data in [0x72, 0x67, 0x50, 0x46, 0x30, 0x25, 0x10, 0x0C, 0x72, 0x67] as [UInt7] {
      try session.send(.quarterFrame(data))
    }
    try session.sendGuard()
    try session.sendGuard()
    #expect(
      try await session.decoded().last?.journal
        == fields(
          """
          s_flag, y_flag, total_channels 0, check_Seq_num 65530, sysjour_toc_s, sysjour_toc_f, cmd_sysjour_len 11,
          f_sflag, f_cflag, f_pflag, f_qflag, f_dflag, f_point 6,
          f_mt0 12, f_mt1 0, f_mt2 5, f_mt3 0, f_mt4 6, f_mt5 0, f_mt6 7, f_mt7 2,
          f_mt0 0, f_mt1 0, f_mt2 0, f_mt3 0, f_mt4 0, f_mt5 0, f_mt6 7, f_mt7 2
          """))
  }

  /// Wireshark omits the last data octet of a log, in which bit 7 is set. If Chapter X has several logs, Wireshark reads only the
  /// first. The other octets are therefore compared directly.
  @Test func systemExclusivesAreDecoded() async throws {
    var session = try RecordedSession()
    try session.send(systemExclusive: [0x7D, 1, 2, 3])
    try session.sendGuard()
    try session.send(systemExclusive: [0x43, 4])
    try session.sendGuard()
    let octets = session.streamPackets
    let packets = try await session.decoded()
    #expect(
      packets[1].journal
        == fields(
          """
          y_flag, total_channels 0, check_Seq_num 65530, sysjour_toc_x, cmd_sysjour_len 8,
          x_cflag, x_dflag, x_lflag, x_sta 3, x_count 1, x_data 7d:01:02
          """))
    // A log: 2f are the flags C, D and L and STA 3 (finished), then COUNT and DATA.
    #expect(hex(octets[1].suffix(6)) == "2f 01 7d 01 02 83")
    #expect(hex(octets[3].suffix(10)) == "2f 01 7d 01 02 83 2f 02 43 84")
  }

  @Test func systemExclusiveWithoutDataIsDecoded() async throws {
    var session = try RecordedSession()
    try session.send(systemExclusive: [0x7D, 1, 2, 3], isJournalled: false)
    try session.sendGuard()
    #expect(
      try await session.decoded().last?.journal
        == fields(
          """
          y_flag, total_channels 0, check_Seq_num 65530, sysjour_toc_x, cmd_sysjour_len 4,
          x_cflag, x_lflag, x_sta 3, x_count 1
          """))
  }

  @Test func unfinishedAndCancelledSystemExclusivesAreDecoded() async throws {
    var session = try RecordedSession()
    let data = [0x43] + (0..<100).map { UInt8($0) }
    try session.send(systemExclusive: data, rooms: [100])
    try session.sendGuard()
    // Another message begins, so the first message is cancelled.
    try session.send(systemExclusive: [0x43, 5])
    try session.sendGuard()
    let octets = session.streamPackets
    let packets = try await session.decoded()
    #expect(
      packets[1].journal
        == fields(
          """
          y_flag, total_channels 0, check_Seq_num 65530, sysjour_toc_x, cmd_sysjour_len 85,
          x_cflag, x_dflag, x_lflag, x_sta 0, x_count 1, x_data \(list(data[..<80]))
          """))
    // Fields 9 and 10 are STA and COUNT of the first log.
    #expect(packets[3].journal.prefix(10).suffix(2) == fields("x_sta 1, x_count 1"))
    // The first packet has room for 100 octets, of which 81 are data octets. The first octet of the log contains STA. Before the second
    // message, it is 2c: STA 0 (unfinished). After the second message, it is 2d: STA 1 (cancelled).
    let sent = hex(data[..<80] + [data[80] | 0x80])
    #expect(hex(octets[1].suffix(83)) == "2c 01 \(sent)")
    #expect(hex(octets[3].suffix(87)) == "2d 01 \(sent) 2f 02 43 85")
  }
}

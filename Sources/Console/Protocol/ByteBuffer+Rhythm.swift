import Engine
import Ensemble
import MusicalTime
import NIOCore
import PeerProtocol
import Playback

extension ByteBuffer {
  /// Appends the payload of a frame ``FrameKind/rhythm``. <doc:Protocol> describes its fields. The tick `Int64.max` means never.
  mutating func writeRhythm(_ snapshot: PeerSnapshot) {
    let schedule = snapshot.schedule
    let hasCountIn = schedule.countInStart.index != .max
    writeMultipleIntegers(
      schedule.run, schedule.firstRun, UInt8(snapshot.plays ? 1 : 0), UInt8(schedule.sends ? 1 : 0),
      schedule.total.value, schedule.total.next)
    writeMix(schedule.mix.value)
    writeMix(schedule.mix.next)
    writeInteger(hasCountIn ? UInt16(schedule.countIn.ticksPerClick) : 0)
    let (now, score) = (schedule.tick(at: snapshot.at), schedule.score)
    for tick in [
      schedule.start, schedule.end, schedule.total.tick, schedule.mix.tick, schedule.countInStart, schedule.fill,
      score.tick,
    ] { writeInteger(tick.index) }
    writeInteger(UInt8((score.value.playsRhythm ? 1 : 0) | (score.next.playsRhythm ? 2 : 0)))
    // The present segment, and those from the announced tempo changes on. A page with a long output delay needs them in advance. A segment
    // is most exact near its tick.
    let changes = schedule.tempo.changes.map(\.tick).filter { $0 > now }
    writeInteger(UInt8(changes.count + 1))
    for tick in [now] + changes { writeSegment(of: schedule, at: tick) }
  }

  /// Appends five octets: for each of the four parts, its level in percent, plus 128 if the part is stopped; then 1 if all parts are
  /// quiet, otherwise 0.
  private mutating func writeMix(_ mix: Mix) {
    for part in 0..<Mix.partCount {
      writeInteger(UInt8(mix.level(ofPart: part)) | (mix.plays(part: part) ? 0 : 0x80))
    }
    writeInteger(UInt8(mix.isQuiet ? 1 : 0))
  }

  /// Appends a segment of 24 octets: a tick, the instant of the tick in the peer's clock, and the length of a quarter note in nanoseconds
  /// as Float64.
  ///
  /// The length is the mean of the four quarter notes after the tick. The clock mapping of a follower consists of at most two lines, so
  /// the relative error of this length is at most the slew rate.
  private mutating func writeSegment(of schedule: PlaybackSchedule, at tick: Tick) {
    let timeline = schedule.tempo.timeline(at: tick)
    let first = schedule.clock.local(at: timeline.deadline(tick))
    let last = schedule.clock.local(at: timeline.deadline(tick + 4 * Tick.perQuarter))
    writeMultipleIntegers(tick.index, first.nanoseconds, (Double((last - first).count) / 4).bitPattern)
  }

  /// Appends the payload of a frame ``FrameKind/levels``. <doc:Protocol> describes its fields. An activity of 255 and an offset of
  /// `Int64.min` mean unknown.
  mutating func writeLevels(_ snapshot: PeerSnapshot) {
    writeMultipleIntegers(
      snapshot.total, snapshot.activity, UInt16(snapshot.members.count),
      UInt32(clamping: snapshot.lostTicks))
    for member in snapshot.members {
      let status = member.status
      // `uncertainty` is the bound that follows from the packet delays. `deviation` is statistical, and can be larger.
      let error = status.clock.map { Swift.max($0.uncertainty, $0.deviation) }
      writeMultipleIntegers(
        status.identity.bits, status.activity ?? 255, UInt8(status.takesPart ? 1 : 0),
        status.clock?.offset.count ?? .min, UInt32(clamping: error.map { $0.count / 1000 } ?? 0))
    }
    for player in snapshot.players { writeInteger(player.energy ?? 255) }
  }
}

import ClockSync
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
    for tick in [
      schedule.start, schedule.end, schedule.changeTick, schedule.total.tick, schedule.mix.tick,
      schedule.countInStart,
    ] { writeInteger(tick.index) }
    let now = schedule.tick(at: snapshot.at)
    // The page uses the first segment for positions before the tempo change, and the second segment for the other positions. After the
    // change, the timeline before the change is no longer needed, so both segments describe the new timeline. In this case, the tick of
    // the first segment is the last tick before the change, because a segment is most exact near its tick.
    let isChanged = now >= schedule.changeTick
    writeSegment(
      of: isChanged ? schedule.changed : schedule.timeline, by: schedule.clock,
      at: isChanged ? schedule.changeTick + -1 : now)
    writeSegment(
      of: schedule.changed, by: schedule.clock, at: schedule.changeTick.index == .max ? now : schedule.changeTick)
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
  private mutating func writeSegment(of timeline: Timeline, by clock: ClockMapping, at tick: Tick) {
    let first = clock.local(at: timeline.deadline(tick))
    let last = clock.local(at: timeline.deadline(tick + 4 * Tick.perQuarter))
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
  }
}

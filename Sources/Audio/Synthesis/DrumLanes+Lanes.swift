import CFluidSynth

// The selection and the rendering of the lanes. The phase of a lane is the first frame of its blocks, modulo 64 (``LaneTable``).
extension DrumLanes {
  /// The number of voices that sound. Real-time: safe.
  var voices: Int {
    @_noLocks @_noAllocation get {
      var count: Int32 = 0
      var lane = 0
      while lane < self.count {
        count += lane_voices(lanes[lane])
        lane += 1
      }
      return Int(count)
    }
  }

  /// Ends the voices of `channel`, zero-based, in all lanes; -1 for all channels.
  @_noLocks @_noAllocation
  mutating func silence(channel: Int32) {
    let mask: UInt16 = channel < 0 ? .max : 1 &<< UInt16(channel)
    var remaining = table.active
    while remaining != 0 {
      let lane = remaining.trailingZeroBitCount
      // Clears the lowest bit that is set.
      remaining &= remaining &- 1
      guard soundingChannels[lane] & mask != 0 else { continue }
      lane_silence(lanes[lane], channel)
      soundingChannels[lane] &= ~mask
    }
  }

  /// Returns the lane for a hit at `frame`. In the order of preference: the lane of another hit at this frame, an idle lane, another
  /// lane whose phase is that of `frame`, a lane whose voices end (see ``DrumLanes``, "Voice stealing"). Nil if the hits at this frame use
  /// all lanes.
  @_noLocks @_noAllocation
  mutating func selectLane(for frame: Int64) -> Int? {
    if let lane = table.lane(struckAt: frame), hasRoom(lane) { return lane }
    if table.idle != 0 { return table.idle.trailingZeroBitCount }
    var remaining = table.lanes(at: LaneTable.phase(of: frame))
    while remaining != 0 {
      let lane = remaining.trailingZeroBitCount
      if hasRoom(lane) { return lane }
      remaining &= remaining &- 1
    }
    guard let lane = table.oldest(before: frame, in: ~noteEnds.holding) ?? table.oldest(before: frame) else {
      return nil
    }
    // The voices end with the next block, which is rendered here and discarded.
    lane_silence(lanes[lane], -1)
    lane_render(lanes[lane], Int32(Self.blockFrames), block, block + Self.blockFrames)
    release(lane)
    return lane
  }

  /// Whether `lane` has free slots for the voices of one more hit, and a place for the end of one more note. A hit or a note of TimGM6mb
  /// starts up to six voices, and of FluidR3 up to four.
  @_noLocks @_noAllocation
  private func hasRoom(_ lane: Int) -> Bool {
    lane_voices(lanes[lane]) <= Self.polyphony &- 6 && noteEnds.hasRoom(lane)
  }

  /// Makes `lane`, which has no voice, idle.
  @_noLocks @_noAllocation
  private mutating func release(_ lane: Int) {
    table.release(lane)
    noteEnds.removeAll(of: lane)
    soundingChannels[lane] = 0
    prime(lane)
  }

  /// Renders every block that starts before `frame` and has not been rendered.
  @_noLocks @_noAllocation
  mutating func renderBlocks(before frame: Int64) {
    guard frame > renderedEnd else { return }
    while table.activePhases != 0 {
      // The active phases, rotated right by the phase of `renderedEnd`. Bit n of the result shows whether a block starts n
      // frames after `renderedEnd`.
      let phase = UInt64(LaneTable.phase(of: renderedEnd))
      let upcoming = (table.activePhases &>> phase) | (table.activePhases &<< ((64 &- phase) & 63))
      renderedEnd = renderedEnd &+ Int64(upcoming.trailingZeroBitCount)
      if renderedEnd >= frame { break }
      renderLanes()
      renderedEnd = renderedEnd &+ 1
      if renderedEnd == frame { break }
    }
    renderedEnd = frame
  }

  /// Renders the blocks that start at `renderedEnd` and adds them to the buffers.
  @_noLocks @_noAllocation
  private mutating func renderLanes() {
    releaseDueNotes()
    let start = Int(truncatingIfNeeded: renderedEnd &- position)
    var remaining = table.lanes(at: LaneTable.phase(of: renderedEnd))
    while remaining != 0 {
      let lane = remaining.trailingZeroBitCount
      remaining &= remaining &- 1
      lane_render(lanes[lane], Int32(Self.blockFrames), block, block + Self.blockFrames)
      var frame = 0
      while frame < Self.blockFrames {
        left[start &+ frame] += block[frame]
        right[start &+ frame] += block[Self.blockFrames &+ frame]
        frame += 1
      }
      if lane_voices(lanes[lane]) == 0 { release(lane) }
    }
  }

  /// Plays ``primingNote`` inaudibly in the used slots of a silent lane (see ``DrumLanes``, "Priming"). FluidSynth uses the slots in
  /// ascending order. A hit may start several voices, or none, so the loop counts voices and limits the number of hits. The first
  /// block sets the state of the slots, and the second block ends the voices. Both blocks are discarded.
  @_noLocks @_noAllocation
  mutating func prime(_ lane: Int) {
    var hits: Int32 = 0
    while hits < usedSlots[lane] && lane_voices(lanes[lane]) < usedSlots[lane] {
      lane_note_on(lanes[lane], Self.channel(of: 0), Int32(primingNote), 127)
      hits += 1
    }
    lane_render(lanes[lane], Int32(Self.blockFrames), block, block + Self.blockFrames)
    lane_silence(lanes[lane], -1)
    lane_render(lanes[lane], Int32(Self.blockFrames), block, block + Self.blockFrames)
    usedSlots[lane] = 0
  }
}

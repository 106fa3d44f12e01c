import MusicalTime
import Testing
import _TestSupport

@testable import Audio

/// Tests that no voice is lost, stolen or stuck when many voices sound in ``DrumLanes``.
@Suite struct VoiceCapacityTests {
  /// Renders each note of `hits` alone. Returns the sum of these sounds, each at the frame of its hit.
  private func sum(_ font: InstalledSoundFont, of hits: [(frame: Int, note: UInt8)], frames: Int) throws -> Sound {
    var lanes = try DrumLanes(font)
    var alone: [UInt8: Sound] = [:]
    var sum = Sound(left: [Float](repeating: 0, count: frames), right: [Float](repeating: 0, count: frames))
    for hit in hits {
      if alone[hit.note] == nil {
        lanes.fallSilent()
        let struck = lanes.strike(hit.note, velocity: 100, at: lanes.position)
        #expect(struck)
        alone[hit.note] = lanes.render(frames)
      }
      guard let sound = alone[hit.note] else { continue }
      for frame in hit.frame..<frames {
        sum.left[frame] += sound.left[frame - hit.frame]
        sum.right[frame] += sound.right[frame - hit.frame]
      }
    }
    return sum
  }

  /// The greatest difference between samples of two sounds. If the sounds add the same voices in different orders, rounding makes a
  /// difference of less than 1e-4.
  private func difference(_ a: Sound, _ b: Sound) -> Float {
    max(
      zip(a.left, b.left).reduce(0) { max($0, abs($1.0 - $1.1)) },
      zip(a.right, b.right).reduce(0) { max($0, abs($1.0 - $1.1)) })
  }

  /// The drums that cut off each other in General MIDI are left out: hi-hats, whistles, guiros, cuicas and triangles. 36 drums remain.
  @Test(arguments: InstalledSoundFont.all, [20, 21, 32, 36]) func allHitsOnOneFrameSound(
    font: InstalledSoundFont, count: Int
  ) throws {
    let drums = ([35...41, 43...43, 45...45, 47...70, 75...77] as [ClosedRange<UInt8>]).joined()
    let hits = drums.prefix(count).map { (frame: 0, note: $0) }
    #expect(hits.count == count)
    var lanes = try DrumLanes(font)
    for hit in hits {
      let struck = lanes.strike(hit.note, velocity: 100, at: 0)
      #expect(struck, "note \(hit.note)")
    }
    let sound = lanes.render(24_000)
    #expect(difference(sound, try sum(font, of: hits, frames: 24_000)) < 1e-4)
  }

  /// At these tempos, a step is a multiple of 64 frames at 48 kHz, so all hits have the same phase (``LaneTable``). Cymbals sound
  /// for many steps, so that more than 16 voices, but fewer than 64, sound at the same time.
  @Test(arguments: InstalledSoundFont.all, [75, 90, 125, 150]) func noVoiceIsStolenAtTemposWithOnePhase(
    font: InstalledSoundFont, bpm: Int
  ) throws {
    let spacing = 48_000 * 60 / (4 * bpm)
    #expect(spacing % 64 == 0)
    // A cymbal of FluidR3 has two voices.
    let cymbals: [UInt8] = font == .fluidR3 ? [49, 57] : [49, 57, 52, 55]
    let hits = (0..<14).flatMap { step in cymbals.map { (frame: step * spacing, note: $0) } }
    var lanes = try DrumLanes(font)
    var sound = Sound()
    var mostVoices = 0
    for step in 0..<14 {
      for hit in hits where hit.frame == step * spacing {
        let struck = lanes.strike(hit.note, velocity: 100, at: Int64(hit.frame))
        #expect(struck)
      }
      mostVoices = max(mostVoices, lanes.voices)
      sound += lanes.render(spacing)
    }
    #expect(mostVoices > 16 && mostVoices < 64, "\(mostVoices)")
    #expect(difference(sound, try sum(font, of: hits, frames: sound.left.count)) < 1e-4)
  }

  /// Dense random hits with cut-off groups need more than 64 voices. Each hit is accepted, and all voices end. With an even seed, all hits
  /// have the same phase. With an odd seed, each frame with hits has a random phase.
  @Test(arguments: InstalledSoundFont.all, UInt64(1)...4) func everyVoiceEndsAfterAnOverload(
    font: InstalledSoundFont, seed: UInt64
  ) throws {
    var random = SplitMix(seed: seed)
    var lanes = try DrumLanes(font)
    var mostVoices = 0
    for _ in 0..<150 {
      // The position is always a multiple of 64.
      let frame = lanes.position + (seed % 2 == 0 ? 0 : random.integer(in: 0...63))
      for _ in 0..<random.integer(in: 1...40) {
        let note = UInt8(random.integer(in: 35...81))
        let struck = lanes.strike(
          note, velocity: 127, group: UInt8(random.integer(in: 0...2)), at: frame)
        #expect(struck)
      }
      mostVoices = max(mostVoices, lanes.voices)
      _ = lanes.render(64 * Int(random.integer(in: 1...20)))
    }
    #expect(mostVoices > 64)
    // Ten seconds: every drum has decayed.
    _ = lanes.render(480_000)
    // All bits of `idle` are set, so all lanes are idle.
    #expect(lanes.voices == 0 && lanes.table.idle == .max)
  }
}

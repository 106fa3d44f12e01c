// Encodes and decodes the frames of the WebSocket. Protocol.md in the documentation of the module Console describes them.

export const VERSION = 1
/** The length of the header in octets. */
export const HEADER_LENGTH = 16

export const Kind = Object.freeze({
  welcome: 1, rhythm: 2, levels: 3, ensemble: 4, patch: 5, sounds: 6, library: 7, notices: 8, calibration: 9, partners: 10,
  alternatives: 11, notes: 12, score: 13, route: 14,
  clockReply: 16, clicks: 17, delay: 18,
  clockRequest: 128, command: 129, activity: 130, output: 131,
})

/** The tick that means "never". */
const MAXIMUM_TICK = (1n << 63n) - 1n
const text = new TextDecoder()

/** Decodes a frame from the peer; undefined if it is malformed or has another version. `at` is a BigInt in nanoseconds. */
export function decode(buffer) {
  if (buffer.byteLength < HEADER_LENGTH) return undefined
  const view = new DataView(buffer)
  if (view.getUint8(0) !== VERSION) return undefined
  return {
    kind: view.getUint8(1), sequence: view.getUint32(4), at: view.getBigInt64(8),
    payload: new DataView(buffer, HEADER_LENGTH),
  }
}

/** Encodes a frame to the peer. `at` is a BigInt in nanoseconds of the page's clock. */
export function encode(kind, sequence, at, payload = new Uint8Array()) {
  const octets = new Uint8Array(HEADER_LENGTH + payload.length)
  const view = new DataView(octets.buffer)
  view.setUint8(0, VERSION)
  view.setUint8(1, kind)
  view.setUint32(4, sequence)
  view.setBigInt64(8, at)
  octets.set(payload, HEADER_LENGTH)
  return octets
}

export function decodeJSON(payload) {
  return JSON.parse(text.decode(payload))
}

export function encodeJSON(value) {
  return new TextEncoder().encode(JSON.stringify(value))
}

/** A tick as a Number; Infinity for "never". */
function tick(payload, offset) {
  const value = payload.getBigInt64(offset)
  return value === MAXIMUM_TICK ? Infinity : Number(value)
}

/** A mix: `parts` are the octets of the four parts (the level in percent, plus 128 for a stopped part). */
function mix(payload, offset) {
  const parts = [0, 1, 2, 3].map((part) => payload.getUint8(offset + part))
  return { parts, isQuiet: payload.getUint8(offset + 4) === 1 }
}

/** A segment of the timeline: a tick, its instant, and the length of a quarter note in nanoseconds. */
function segment(payload, offset) {
  return {
    tick: Number(payload.getBigInt64(offset)), instant: payload.getBigInt64(offset + 8),
    quarter: payload.getFloat64(offset + 16),
  }
}

/** The offset of the first segment in a frame `rhythm`, and the length of a segment in octets. */
const [SEGMENTS, SEGMENT_LENGTH] = [82, 24]

/** Decodes the payload of a frame `rhythm`. Instants are BigInt nanoseconds of the peer's clock. */
export function decodeRhythm(payload) {
  return {
    run: payload.getUint32(0), firstRun: payload.getUint32(4), plays: payload.getUint8(8) === 1,
    sends: payload.getUint8(9) === 1, intensity: payload.getUint8(10), nextIntensity: payload.getUint8(11),
    mix: mix(payload, 12), nextMix: mix(payload, 17), ticksPerClick: payload.getUint16(22), start: tick(payload, 24),
    end: tick(payload, 32), intensityTick: tick(payload, 40), mixTick: tick(payload, 48), countInStart: tick(payload, 56),
    fill: tick(payload, 64), scoreTick: tick(payload, 72), sounds: (payload.getUint8(80) & 1) !== 0,
    soundsNext: (payload.getUint8(80) & 2) !== 0,
    segments: Array.from({ length: payload.getUint8(81) }, (_, n) => segment(payload, SEGMENTS + n * SEGMENT_LENGTH)),
  }
}

/** The length in octets of a frame `levels` before its first member, and of each member. */
const LEVELS_HEADER = 8
const MEMBER_LENGTH = 22
/** The offset of a member whose clock is unknown. */
const UNKNOWN_OFFSET = -(1n << 63n)

/** Decodes the payload of a frame `levels`. */
export function decodeLevels(payload) {
  const count = payload.getUint16(2)
  const members = []
  for (let n = 0; n < count; n += 1) {
    const start = LEVELS_HEADER + n * MEMBER_LENGTH
    const [activity, offset] = [payload.getUint8(start + 8), payload.getBigInt64(start + 10)]
    members.push({
      identity: payload.getBigUint64(start).toString(16).padStart(16, "0"),
      activity: activity > 127 ? undefined : activity, takesPart: payload.getUint8(start + 9) === 1,
      // The offset is in nanoseconds, its uncertainty in microseconds.
      offset: offset === UNKNOWN_OFFSET ? undefined : Number(offset), uncertainty: payload.getUint32(start + 18),
    })
  }
  // The energies of the players follow, in the order of the players in the frame `ensemble`.
  const energies = []
  for (let at = LEVELS_HEADER + count * MEMBER_LENGTH; at < payload.byteLength; at += 1) {
    const energy = payload.getUint8(at)
    energies.push(energy > 127 ? undefined : energy)
  }
  return {
    total: payload.getUint8(0), activity: payload.getUint8(1), lostTicks: payload.getUint32(4), members, energies,
  }
}

/** The length of a note in a frame `notes` in octets, and the largest number of notes. */
const [NOTE_LENGTH, MAXIMUM_NOTES] = [18, 64]

/**
 * Decodes the payload of a frame `notes`: the notes of other players. A velocity of 0 releases the key. `instant` is a BigInt in nanoseconds
 * of the peer's clock. Notes with impossible values are left out.
 */
export function decodeNotes(payload) {
  const count = Math.min(Math.floor(payload.byteLength / NOTE_LENGTH), MAXIMUM_NOTES)
  return Array.from({ length: count }, (_, n) => {
    const at = n * NOTE_LENGTH
    return {
      player: payload.getBigUint64(at).toString(16).padStart(16, "0"), key: payload.getUint8(at + 8), velocity: payload.getUint8(at + 9),
      instant: payload.getBigInt64(at + 10),
    }
  }).filter(({ key, velocity }) => key <= 127 && velocity <= 127)
}

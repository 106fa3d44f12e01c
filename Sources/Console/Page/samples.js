// Loads the sounds that the peer has rendered. A sample is the recording of one drum or of one key. The peer serves each sample as a FLAC
// file and as a WAV file. The page loads the FLAC file, which is smaller. If the browser cannot decode FLAC, the page loads the WAV file.
//
// The samples are loaded in the order of need: first those of the player's instrument, then those of the rhythm, then the others. Loading
// begins before the player joins. Decoding begins when the player joins, because it needs the AudioContext.

/** The largest number of requests at once. */
const MAXIMUM_REQUESTS = 4

/** The time limit of a request, in milliseconds. */
const REQUEST_LIMIT = 15_000
/** A sample is transposed by at most this number of semitones. It is half the distance between two sampled keys (SoundRequest). */
const REACH = 3
/** A request that has failed is repeated after this time, in milliseconds. */
const RETRY = 2000

const unique = (paths) => [...new Set(paths.filter((path) => path !== undefined))]

/** A signal that ends a request when `signal` does, or after REQUEST_LIMIT. Safari before version 17.4 has no AbortSignal.any. */
function limited(signal) {
  const limit = AbortSignal.timeout(REQUEST_LIMIT)
  if (AbortSignal.any) return AbortSignal.any([signal, limit])
  const controller = new AbortController()
  for (const each of [signal, limit]) each.addEventListener("abort", () => controller.abort(each.reason), { once: true })
  return controller.signal
}

/** The samples of the newest manifest. Events: `progress` after each attempt to load a sample. */
export class Samples extends EventTarget {
  /** Why there are no sounds; undefined if there are. */
  failure = undefined
  /** The AudioContext that decodes; undefined before the player joins. The decoded samples can also be played in another AudioContext. */
  #context
  /** The payload of the newest frame `sounds`. */
  #manifest
  /** The decoded samples by path. */
  #buffers = new Map()
  /** The loaded files that are not decoded yet, by path. */
  #files = new Map()
  /** All paths in the manifest, and those that every page loads. */
  #paths = new Set()
  #common = new Set()
  /** The player's instrument, the newest patch, and their paths. */
  #instrument
  #patch
  #ofInstrument = []
  #ofRhythm = []
  /** The paths that were needed for a sound, but not loaded. */
  #asked = new Set()
  /** The paths that are being loaded or decoded, and those whose loading has failed a short time ago. */
  #loading = new Set()
  #failed = new Set()
  /** The headers of the requests, with the join token. */
  #headers
  /** The paths of the FLAC files, by the path of the WAV file. */
  #flac = new Map()
  /** Whether the browser decodes FLAC, as far as this is known, and whether it has decoded a FLAC file. */
  #decodesFLAC = document.createElement("audio").canPlayType("audio/flac") !== ""
  #hasDecodedFLAC = false
  /** The beginning of the URLs of the samples. It belongs to the peer that has sent the manifest. */
  #origin
  /** Ends the requests to this origin. */
  #requests = new AbortController()

  constructor(headers) {
    super()
    this.#headers = headers
  }

  get instruments() {
    return this.#manifest?.instruments ?? []
  }

  /** The number of samples that are wanted and not decoded yet; undefined before the manifest has arrived. */
  get missing() {
    return this.#manifest && this.#wanted.filter((path) => !this.#buffers.has(path)).length
  }

  /** Sets the AudioContext that decodes, and decodes the samples that are loaded. */
  set context(context) {
    this.#context = context
    this.#loadNextOnes()
  }

  /** Sets the instrument of the player. Its samples are loaded first. */
  setInstrument(instrument) {
    this.#instrument = instrument
    this.#order()
  }

  /** Sets the newest patch, from a frame `patch`. Its samples are loaded after those of the instrument. */
  setPatch(patch) {
    this.#patch = patch
    this.#order()
  }

  /**
   * Loads the missing samples of a manifest, and forgets the samples that the manifest does not contain. A path contains the hash of the
   * sample. Therefore a sample that another peer has served is kept if its path is in the manifest.
   */
  setManifest(manifest, origin) {
    this.#manifest = manifest
    if (origin !== this.#origin) {
      // Requests to a peer that has disappeared would block those to the new peer.
      this.#requests.abort()
      this.#requests = new AbortController()
      this.#loading.clear()
    }
    this.#origin = origin
    this.failure = manifest.failure
    const tones = Object.values(manifest.tones).flat()
    const drums = Object.values(manifest.drums)
    const samples = [...drums, ...tones.map(({ sample }) => sample)]
    this.#paths = new Set(samples.map(({ path }) => path))
    this.#common = new Set([...drums, ...tones.filter(({ isFurther }) => !isFurther).map(({ sample }) => sample)].map(({ path }) => path))
    this.#flac = new Map(samples.map(({ path, flac }) => [path, flac]))
    for (const known of [this.#buffers, this.#files, this.#asked]) {
      for (const path of known.keys()) if (!this.#paths.has(path)) known.delete(path)
    }
    this.#order()
  }

  /** The paths of the samples of an instrument. */
  pathsOfInstrument({ drums, program, low, high, custom }) {
    const isUsable = ({ isFurther }) => custom || !isFurther
    const notes = drums.map((note) => this.#manifest.drums[note]?.path)
    const keys = drums.length > 0 ? [] : Array.from({ length: high - low + 1 }, (_, index) => low + index)
    return unique([...notes, ...keys.map((key) => this.#nearest(program, key, isUsable)?.sample.path)])
  }

  /** The paths of the samples of a patch: its drums, and the tones of its pitched parts. */
  pathsOfPatch({ voices, table }) {
    const parts = table.lines.filter(({ voice }) => voice > 127).map(({ voice }) => (voice & 0x7f) >> 4)
    const tones = [...new Set(parts)].flatMap((part) => this.#manifest.tones[table.programs[part]] ?? [])
    return unique([
      ...voices.map(({ note }) => this.#manifest.drums[note]?.path),
      ...tones.filter(({ isFurther }) => !isFurther).map(({ sample }) => sample.path),
    ])
  }

  /** Determines which samples come first, and loads. */
  #order() {
    if (!this.#manifest) return
    this.#ofInstrument = this.#instrument ? this.pathsOfInstrument(this.#instrument) : []
    this.#ofRhythm = this.#patch ? this.pathsOfPatch(this.#patch) : []
    // The page chooses the instrument during the same event in which the manifest arrives, so the requests begin after this event.
    queueMicrotask(() => this.#loadNextOnes())
  }

  /** The paths of the samples that this page needs, in the order of need. */
  get #wanted() {
    return unique([...this.#ofInstrument, ...this.#asked, ...this.#ofRhythm, ...this.#common])
  }

  #loadNextOnes() {
    for (const path of this.#wanted) {
      if (this.#loading.size >= MAXIMUM_REQUESTS) return
      const isDone = this.#buffers.has(path) || (!this.#context && this.#files.has(path))
      if (!isDone && !this.#loading.has(path) && !this.#failed.has(path)) this.#load(path)
    }
  }

  /** Loads a sample, unless it is loaded, and decodes it as soon as there is an AudioContext. */
  async #load(path) {
    this.#loading.add(path)
    const { signal } = this.#requests
    try {
      if (!this.#files.has(path)) await this.#request(path)
      if (this.#context && this.#files.has(path)) await this.#decode(path)
    } catch {
      // The page has moved to another peer, so `setManifest` has ended the request. The page loads the sample from the new peer.
      if (signal.aborted) return
      // The request or the decoding has failed.
      this.#failed.add(path)
      setTimeout(() => {
        this.#failed.delete(path)
        this.#loadNextOnes()
      }, RETRY)
    }
    if (signal.aborted) return
    this.#loading.delete(path)
    this.#loadNextOnes()
    this.dispatchEvent(new Event("progress"))
  }

  /** Loads the file of a sample. If it turns out that the browser cannot decode FLAC, the samples are loaded as WAV files from then on. */
  async #request(path) {
    const flac = this.#decodesFLAC ? this.#flac.get(path) : undefined
    const response = await fetch(this.#origin + (flac ?? path), { headers: this.#headers, signal: limited(this.#requests.signal) })
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    const octets = await response.arrayBuffer()
    if (flac && !this.#hasDecodedFLAC) await this.#testFLAC(octets.slice(0))
    if (!flac || this.#decodesFLAC) this.#files.set(path, octets)
  }

  /** Finds out whether the browser decodes a FLAC file. Before the player joins, only an OfflineAudioContext can decode. */
  async #testFLAC(octets) {
    try {
      await new OfflineAudioContext(1, 1, 48_000).decodeAudioData(octets)
      this.#hasDecodedFLAC = true
    } catch {
      this.#decodesFLAC = false
    }
  }

  /** Decodes a loaded file. */
  async #decode(path) {
    const octets = this.#files.get(path)
    this.#files.delete(path)
    this.#buffers.set(path, await this.#context.decodeAudioData(octets))
  }

  #sound(sample, rate = 1) {
    if (!sample) return undefined
    const buffer = this.#buffers.get(sample.path)
    if (buffer) return { buffer, gain: sample.gain, rate }
    // The sample is loaded soon, also if only a custom instrument of another player needs it.
    if (!this.#asked.has(sample.path)) {
      this.#asked.add(sample.path)
      this.#loadNextOnes()
    }
    return undefined
  }

  /** The buffer, the gain and the playback rate of a drum; undefined while it is not loaded. */
  drum(note) {
    return this.#sound(this.#manifest?.drums[note])
  }

  /** The same for a key of a General MIDI program. The buffer is that of the nearest sampled key, transposed to `key` by the rate. */
  tone(program, key) {
    // A sample that is loaded and near enough sounds now, also if another one is nearer.
    const isReady = (tone) => Math.abs(tone.key - key) <= REACH && this.#buffers.has(tone.sample.path)
    const tone = this.#nearest(program, key, isReady) ?? this.#nearest(program, key)
    return tone && this.#sound(tone.sample, 2 ** ((key - tone.key) / 12))
  }

  /** Of the sampled keys of a program that `isUsable` admits, the nearest to a key; undefined if there is none. */
  #nearest(program, key, isUsable = () => true) {
    let nearest
    for (const tone of this.#manifest?.tones[program] ?? []) {
      if (isUsable(tone) && (!nearest || Math.abs(tone.key - key) < Math.abs(nearest.key - key))) nearest = tone
    }
    return nearest
  }
}

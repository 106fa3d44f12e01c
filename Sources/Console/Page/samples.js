// Loads the sounds that the peer has rendered. A sample is the recording of one drum or of one key. The peer serves each sample as a FLAC
// file and as a WAV file. The page loads the FLAC file, which is smaller. If the browser cannot decode FLAC, the page loads the WAV file.

/** The largest number of requests at once. */
const MAXIMUM_REQUESTS = 4

/** The time limit of a request, in milliseconds. */
const REQUEST_LIMIT = 15_000
/** A request that has failed is repeated after this time, in milliseconds. */
const RETRY = 2000

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
  /** The AudioContext that decodes. The decoded samples can also be played in another AudioContext. */
  context
  /** The payload of the newest frame `sounds`. */
  #manifest
  /** The decoded samples by path. */
  #buffers = new Map()
  /** The paths in the manifest, and those of them that still have to be requested. */
  #paths = new Set()
  #queue = []
  /** The paths that are being loaded. */
  #loading = new Set()
  /** The headers of the requests, with the join token. */
  #headers
  /** The paths of the FLAC files, by the path of the WAV file. */
  #flac = new Map()
  /** Whether the browser decodes FLAC, as far as this is known. */
  #decodesFLAC = document.createElement("audio").canPlayType("audio/flac") !== ""
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

  /** The number of samples that are not loaded yet; undefined before the manifest has arrived. */
  get missing() {
    return this.#manifest && [...this.#paths].filter((path) => !this.#buffers.has(path)).length
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
    const tones = Object.values(manifest.tones).flat().map((tone) => tone.sample)
    const samples = [...Object.values(manifest.drums), ...tones]
    this.#paths = new Set(samples.map((sample) => sample.path))
    this.#flac = new Map(samples.map(({ path, flac }) => [path, flac]))
    for (const path of this.#buffers.keys()) if (!this.#paths.has(path)) this.#buffers.delete(path)
    this.#queue = [...this.#paths].filter((path) => !this.#buffers.has(path) && !this.#loading.has(path))
    this.#loadNextOnes()
  }

  #loadNextOnes() {
    while (this.#loading.size < MAXIMUM_REQUESTS && this.#queue.length > 0) this.#loadNext()
  }

  async #loadNext() {
    const path = this.#queue.shift()
    if (path === undefined) return
    this.#loading.add(path)
    const { signal } = this.#requests
    try {
      const flac = this.#decodesFLAC ? this.#flac.get(path) : undefined
      const buffer = (flac && await this.#decodeFLAC(await this.#request(flac)))
        ?? await this.context.decodeAudioData(await this.#request(path))
      this.#buffers.set(path, buffer)
    } catch {
      // The page has moved to another peer, so `setManifest` has ended the request. The page loads the sample from the new peer.
      if (signal.aborted) return
      // The request or the decoding has failed.
      setTimeout(() => this.#repeat(path), RETRY)
    }
    this.#loading.delete(path)
    this.#loadNext()
    this.dispatchEvent(new Event("progress"))
  }

  /** The contents of a file of the peer. */
  async #request(path) {
    const response = await fetch(this.#origin + path, { headers: this.#headers, signal: limited(this.#requests.signal) })
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    return response.arrayBuffer()
  }

  /** The decoded sample; undefined if the browser cannot decode FLAC. All further samples are then loaded as WAV files. */
  async #decodeFLAC(octets) {
    try {
      return await this.context.decodeAudioData(octets)
    } catch {
      this.#decodesFLAC = false
      return undefined
    }
  }

  #repeat(path) {
    const isWaiting = this.#queue.includes(path) || this.#loading.has(path) || this.#buffers.has(path)
    if (isWaiting || !this.#paths.has(path)) return
    this.#queue.push(path)
    this.#loadNextOnes()
  }

  #sound(sample, rate = 1) {
    const buffer = sample && this.#buffers.get(sample.path)
    return buffer && { buffer, gain: sample.gain, rate }
  }

  /** The buffer, the gain and the playback rate of a drum; undefined while it is not loaded. */
  drum(note) {
    return this.#sound(this.#manifest?.drums[note])
  }

  /** The same for a key of a General MIDI program. The buffer is that of the nearest sampled key, transposed to `key` by the rate. */
  tone(program, key) {
    const tones = this.#manifest?.tones[program] ?? []
    let nearest
    for (const tone of tones) if (!nearest || Math.abs(tone.key - key) < Math.abs(nearest.key - key)) nearest = tone
    return nearest && this.#sound(nearest.sample, 2 ** ((key - nearest.key) / 12))
  }
}

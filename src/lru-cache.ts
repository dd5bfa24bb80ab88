/** What an isolate remembers between requests, within a number of bytes: the least recently used goes first. */

/** What an entry takes besides its value and key, as measured in V8. */
const ENTRY_BYTES = 512

export class LruCache<Value> {
  readonly #maxBytes: number
  readonly #held = new Map<string, { value: Value; bytes: number }>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get(key: string): Value | undefined {
    const held = this.#held.get(key)
    if (!held) return undefined
    this.#held.delete(key)
    this.#held.set(key, held)
    return held.value
  }

  /** Keeps a value of about so many bytes, unless it would take more than an eighth of all there is. */
  set(key: string, value: Value, valueBytes: number): void {
    this.delete(key)
    const bytes = valueBytes + 2 * key.length + ENTRY_BYTES
    if (bytes > this.#maxBytes / 8) return
    this.#held.set(key, { value, bytes })
    this.#bytes += bytes
    for (const oldest of this.#held.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    this.#bytes -= this.#held.get(key)?.bytes ?? 0
    this.#held.delete(key)
  }
}

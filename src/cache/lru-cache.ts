/** Overhead of an entry beyond its key and value, measured in V8. */
const ENTRY_BYTES = 512

export class LruCache<Value> {
  /** Larger entries are not cached. */
  readonly maxEntryBytes: number
  readonly #maxBytes: number
  readonly #sizeOf: (value: Value) => number
  readonly #entries = new Map<string, { value: Value; bytes: number }>()
  #bytes = 0

  constructor(maxBytes: number, sizeOf: (value: Value) => number) {
    this.#maxBytes = maxBytes
    this.maxEntryBytes = maxBytes / 8
    this.#sizeOf = sizeOf
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  set(key: string, value: Value): void {
    this.delete(key)
    const bytes = this.#sizeOf(value) + 2 * key.length + ENTRY_BYTES
    if (bytes > this.maxEntryBytes) return
    this.#entries.set(key, { value, bytes })
    this.#bytes += bytes
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.delete(oldest)
    }
  }

  deleteWhere(matches: (value: Value) => boolean): void {
    for (const [key, { value }] of this.#entries) if (matches(value)) this.delete(key)
  }

  delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0
    this.#entries.delete(key)
  }
}

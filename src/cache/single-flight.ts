/** Work that many requests of an isolate want at once, done by one of them. */

/** Lets work go on after the request that has started it, whose client may have gone. */
type Defer = (work: Promise<unknown>) => void

type Flight<Result> = { number: number; landed: Promise<Result> }

export class SingleFlight<Result> {
  readonly #maxWaitMs: number
  readonly #flights = new Map<string, Flight<Result>>()
  #started = 0

  /** Should work never end, nobody waits for it longer than `maxWaitMs`. */
  constructor(maxWaitMs: number) {
    this.#maxWaitMs = maxWaitMs
  }

  /**
   * The result of work that was started after this call, by this request or another, so that it is as new as one's own. Work
   * that had been started before is waited for.
   *
   * @throws what the work throws, also that which had been started before
   */
  async share(key: string, work: () => Promise<Result>, defer: Defer): Promise<Result> {
    const before = this.#started
    for (let flight = this.#flights.get(key); flight; flight = this.#flights.get(key)) {
      const landed = await this.#wait(key, flight)
      if (landed && flight.number > before) return landed.result
    }
    return this.lead(key, work, defer)
  }

  /**
   * The result of the work that is under way; undefined if nobody waits for it any longer. Undefined at once if there is none.
   *
   * @throws what the work throws
   */
  underWay(key: string): Promise<Result | undefined> | undefined {
    const flight = this.#flights.get(key)
    return flight && this.#wait(key, flight).then((landed) => landed?.result)
  }

  /** Does the work, and lets others wait for it. */
  lead<Own extends Result>(key: string, work: () => Promise<Own>, defer: Defer): Promise<Own> {
    const number = ++this.#started
    const landed = work().finally(() => this.#end(key, number))
    this.#flights.set(key, { number, landed })
    defer(landed.catch(() => {}))
    return landed
  }

  async #wait(key: string, { number, landed }: Flight<Result>): Promise<{ result: Result } | undefined> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>()
    // Of this request. Without it, the runtime would end a request that waits for another alone.
    const timer = setTimeout(() => {
      this.#end(key, number)
      resolve(undefined)
    }, this.#maxWaitMs)
    try {
      return await Promise.race([landed.then((result) => ({ result })), late])
    } finally {
      clearTimeout(timer)
    }
  }

  #end(key: string, number: number): void {
    if (this.#flights.get(key)?.number === number) this.#flights.delete(key)
  }
}

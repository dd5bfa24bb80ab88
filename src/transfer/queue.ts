import type { OpenSpool, SpoolRange } from './spool.ts'

export async function openQueue<Item>(openSpool: OpenSpool) {
  const spool = await openSpool()
  let places: SpoolRange[] = []
  return {
    async add(item: Item): Promise<void> {
      places.push(await spool.append(JSON.stringify(item)))
    },
    size: () => places.length,
    /** Yields the items waiting now; items added meanwhile wait for the next call. */
    async *take(): AsyncIterable<Item> {
      const taken = places
      places = []
      for (const place of taken) yield JSON.parse(await spool.read(place))
    },
    [Symbol.asyncDispose]: () => spool.close(),
  }
}

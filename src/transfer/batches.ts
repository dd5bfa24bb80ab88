/** Splits bulk puts into bodies that the API accepts. */
import { MAX_ARTICLES, MAX_BODY_BYTES } from '../core/limits.ts'

const encoder = new TextEncoder()

/** Of a text in UTF-8. */
export const byteLength = (text: string) => encoder.encode(text).byteLength

/** The most of a bulk put, with room for the field around the items. */
export const BATCH = { count: MAX_ARTICLES, bytes: MAX_BODY_BYTES - 1024 }

/**
 * Cuts items, in order, into batches of at most `maxCount` whose JSON stays below 8 MiB. An item that is larger by
 * itself stands alone, for the API to refuse.
 */
export function inBatches<Item>(
  items: Item[],
  maxCount = BATCH.count,
  json = (item: Item): unknown => item,
): Item[][] {
  const batches: Item[][] = []
  let bytes = 0
  for (const item of items) {
    const size = byteLength(JSON.stringify(json(item))) + 1
    const last = batches.at(-1)
    if (last && last.length < maxCount && bytes + size <= BATCH.bytes) {
      last.push(item)
      bytes += size
    } else {
      batches.push([item])
      bytes = size
    }
  }
  return batches
}

/** The same of items that come one after another. */
export async function* streamInBatches<Item>(
  items: AsyncIterable<Item>,
  maxCount: number,
  json: (item: Item) => unknown,
): AsyncGenerator<Item[]> {
  let batch: Item[] = []
  let bytes = 0
  for await (const item of items) {
    const size = byteLength(JSON.stringify(json(item))) + 1
    if (batch.length > 0 && (batch.length >= maxCount || bytes + size > BATCH.bytes)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(item)
    bytes += size
  }
  if (batch.length > 0) yield batch
}

/** Orders items so that a source comes before its translations; otherwise the order stays. */
export function sourcesFirst<Item>(
  items: Item[],
  read: (item: Item) => { slug?: unknown; sourceSlug?: unknown },
): Item[] {
  const bySlug = new Map(items.map((item) => [read(item).slug, item]))
  const depth = (item: Item): number => {
    let steps = 0
    let source = read(item).sourceSlug
    // The API rejects cycles.
    while (source !== undefined && source !== null && steps < items.length) {
      const above = bySlug.get(source)
      if (!above) break
      source = read(above).sourceSlug
      steps++
    }
    return steps
  }
  return items
    .map((item) => ({ item, depth: depth(item) }))
    .sort((a, b) => a.depth - b.depth)
    .map(({ item }) => item)
}

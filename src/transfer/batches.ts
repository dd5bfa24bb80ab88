/** Splits bulk puts into bodies that the API accepts. */
import { MAX_ARTICLES, MAX_BODY_BYTES } from '../core/limits.ts'

const encoder = new TextEncoder()

export const byteLength = (text: string) => encoder.encode(text).byteLength

/** Limits of a bulk put; 1 KiB is left for the JSON around the items. */
export const BATCH = { count: MAX_ARTICLES, bytes: MAX_BODY_BYTES - 1024 }

/** Keeps the order. An item above the size limit gets a batch of its own, so that the API refuses only that one. */
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

/** Puts sources before their translations, and keeps the order otherwise. */
export function sourcesFirst<Item>(
  items: Item[],
  read: (item: Item) => { slug?: unknown; sourceSlug?: unknown },
): Item[] {
  const bySlug = new Map(items.map((item) => [read(item).slug, item]))
  const depth = (item: Item): number => {
    let steps = 0
    let source = read(item).sourceSlug
    // Stops at a cycle, which the API rejects.
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

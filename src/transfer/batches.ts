/** Splits bulk puts into bodies that the API accepts. */
import { MAX_ARTICLES, MAX_BODY_BYTES } from '../core/limits.ts'

const encoder = new TextEncoder()

export const byteLength = (text: string) => encoder.encode(text).byteLength

/** Limits of a bulk put; 1 KiB is left for the JSON around the items. */
export const BATCH = { count: MAX_ARTICLES, bytes: MAX_BODY_BYTES - 1024 }

/** Keeps the order. An item above the size limit gets a batch of its own, so that the API refuses only that one. */
export async function* inBatches<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  maxCount = BATCH.count,
  json = (item: Item): unknown => item,
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
  const depths = new Map<Item, number>()
  for (const item of items) {
    const above = new Set<Item>()
    let at: Item | undefined = item
    // Stops at a cycle, which the API refuses.
    while (at && !depths.has(at) && !above.has(at)) {
      above.add(at)
      at = bySlug.get(read(at).sourceSlug)
    }
    let depth = (at && depths.get(at)) ?? 0
    for (const each of [...above].reverse()) depths.set(each, ++depth)
  }
  return items.toSorted((a, b) => depths.get(a)! - depths.get(b)!)
}

/** Splits bulk puts into bodies that the API accepts. */
const MAX_COUNT = 100
// The API's limit is 8 MiB; the rest is for the field around the items.
const MAX_BYTES = 8 * 1024 * 1024 - 1024

/**
 * Cuts items, in order, into batches of at most `maxCount` whose JSON stays below 8 MiB. An item that is larger by
 * itself stands alone, for the API to refuse.
 */
export function inBatches<Item>(
  items: Item[],
  maxCount = MAX_COUNT,
  json = (item: Item): unknown => item,
): Item[][] {
  const batches: Item[][] = []
  let bytes = 0
  for (const item of items) {
    const size = Buffer.byteLength(JSON.stringify(json(item))) + 1
    const last = batches.at(-1)
    if (last && last.length < maxCount && bytes + size <= MAX_BYTES) {
      last.push(item)
      bytes += size
    } else {
      batches.push([item])
      bytes = size
    }
  }
  return batches
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

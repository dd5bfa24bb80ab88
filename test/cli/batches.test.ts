import { describe, expect, it } from 'vitest'
import { inBatches, sourcesFirst } from '../../src/transfer/batches.ts'

async function all<Item>(items: Item[]): Promise<Item[][]> {
  const batches: Item[][] = []
  for await (const batch of inBatches(items)) batches.push(batch)
  return batches
}

describe('batches', () => {
  it('hold at most 100 items', async () => {
    const items = Array.from({ length: 250 }, (_, i) => ({ i }))
    expect((await all(items)).map((batch) => batch.length)).toEqual([100, 100, 50])
    expect((await all(items)).flat()).toEqual(items)
  })

  it('stay below 8 MiB as encoded', async () => {
    const items = Array.from({ length: 20 }, (_, i) => ({ i, text: 'é"\n'.repeat(200_000) }))
    const sizes = (await all(items)).map((batch) => Buffer.byteLength(JSON.stringify({ posts: batch })))
    expect(Math.max(...sizes)).toBeLessThan(8 * 1024 * 1024)
    expect((await all(items)).flat()).toEqual(items)
  })

  it('put an item that is too large in a batch of its own', async () => {
    const sizes = (await all(['a', 'x'.repeat(9_000_000), 'b'])).map((batch) => batch.length)
    expect(sizes).toEqual([1, 1, 1])
  })
})

describe('sources first', () => {
  const order = (items: { slug: string; sourceSlug?: string }[]) =>
    sourcesFirst(items, (item) => item).map((item) => item.slug)

  it('otherwise keeps the order', () => {
    expect(
      order([{ slug: 'b', sourceSlug: 'a' }, { slug: 'c' }, { slug: 'd', sourceSlug: 'b' }, { slug: 'a' }]),
    ).toEqual(['c', 'a', 'b', 'd'])
  })

  it('terminates on a cycle', () => {
    const cycle = [{ slug: 'a', sourceSlug: 'b' }, { slug: 'b', sourceSlug: 'a' }, { slug: 'c' }]
    expect(order(cycle).sort()).toEqual(['a', 'b', 'c'])
  })
})

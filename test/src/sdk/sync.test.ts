import { describe, expect, it } from 'vitest'
import { memoryStore, type Store } from '../../../src/sdk/client.ts'
import { putGuide } from '../../support/content.ts'
import { connect, copyIn, expireCursor } from '../../support/sdk.ts'
import { makeSite } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'

/** A site with a client, and a store in sync with it. */
async function follow(slugs: string[]) {
  const site = await makeSite()
  for (const slug of slugs) await site.put(slug, { title: 'First' })
  await putGuide(site, 'g', { title: 'Guide' })
  const store = memoryStore()
  const connection = connect(site)
  await connection.client.sync(store)
  connection.statuses()
  return { site, store, ...connection }
}

type Feed = { items: { slug: string }[] }

const rename = (site: { id: string }, from: string, to: string) =>
  runSql('update posts set slug = $3 where site_id = $1 and slug = $2', [site.id, from, to])

describe('sync', () => {
  it('copies posts and guides, and reads them by slug', async () => {
    const { site, store } = await follow(['a', 'b'])
    expect(await copyIn(store)).toEqual(['guide g: Guide', 'post a: First', 'post b: First'])
    expect(await store.get('post', 'a')).toEqual(await site.json('/posts/a'))
    expect(await store.get('guide', 'g')).toEqual(await site.json('/guides/g'))
    expect(await store.get('guide', 'a')).toBeNull()
  })

  it('follows edits, deletes, unpublished guides and slugs that change or are reused', async () => {
    const { site, store, client } = await follow(['a', 'b', 'c', 'old'])
    await site.put('a', { title: 'Second' })
    await site.manage('DELETE', '/posts/b')
    await site.manage('DELETE', '/guides/g/publication')
    await rename(site, 'old', 'new')
    await rename(site, 'c', 'old')
    expect(await client.sync(store)).toEqual({ put: 3, removed: 2, restarted: false })
    expect(await copyIn(store)).toEqual(['post a: Second', 'post new: First', 'post old: First'])
  })

  it('costs one 304 while nothing changes', async () => {
    const { site, store, client, statuses } = await follow(['a'])
    await client.sync(store)
    await client.sync(store)
    expect(statuses()).toEqual([200, 304])
    // Another process continues from the state of the copy.
    const later = connect(site)
    await site.put('b', { title: 'New' })
    expect(await later.client.sync(store)).toMatchObject({ put: 1 })
    expect(later.exchanges).toHaveLength(1)
  })

  it('skips articles that were deleted or unpublished while their page was read', async () => {
    const site = await makeSite()
    for (const slug of ['deleted', 'hidden', 'kept']) await putGuide(site, slug)
    const store = memoryStore()
    let isRead = false
    const { client } = connect(site, {
      async between(_, pass) {
        if (isRead) return pass()
        isRead = true
        const feed = await (await pass()).json<Feed>()
        await site.manage('DELETE', '/guides/deleted')
        await site.manage('DELETE', '/guides/hidden/publication')
        // The service's answer when that happens between its two statements.
        const items = feed.items.map((item) => (item.slug === 'kept' ? item : { ...item, guide: undefined }))
        return Response.json({ ...feed, items })
      },
    })
    await client.sync(store)
    expect(await copyIn(store)).toEqual(['guide kept: A title'])
    await client.sync(store)
    expect(await copyIn(store)).toEqual(['guide kept: A title'])
  })

  it('refuses the copy of another site', async () => {
    const { store } = await follow(['a'])
    const other = connect(await makeSite())
    await expect(other.client.sync(store)).rejects.toThrow('another site')
  })

  it('stops between pages when its signal is aborted, and continues from there', async () => {
    const { site, store, client } = await follow([])
    for (const slug of ['a', 'b', 'c']) await site.put(slug, { title: 'New' })
    const aborted = new AbortController()
    const interrupted = { ...store, commit: commitThen(store, () => aborted.abort()) }
    await expect(client.sync(interrupted, { limit: 1, signal: aborted.signal })).rejects.toThrow()
    expect(await copyIn(store)).toEqual(['guide g: Guide', 'post a: New'])
    expect(await client.sync(store)).toMatchObject({ put: 2 })
  })
})

const commitThen =
  (store: Store, then: () => unknown): Store['commit'] =>
  async (commit) => {
    const isDone = await store.commit(commit)
    await then()
    return isDone
  }

describe('an expired cursor', () => {
  it('restarts the feed, and removes articles that are no longer there', async () => {
    const { site, store, client } = await follow(['a', 'b', 'forgotten'])
    await site.manage('DELETE', '/posts/forgotten')
    await runSql('delete from tombstones where site_id = $1', [site.id])
    await client.sync(store)
    expect(await copyIn(store)).toContain('post forgotten: First')
    await expireCursor(store)
    expect(await client.sync(store)).toEqual({ put: 3, removed: 1, restarted: true })
    expect(await client.sync(store, { again: true })).toEqual({ put: 3, removed: 0, restarted: true })
    expect(await copyIn(store)).toEqual(['guide g: Guide', 'post a: First', 'post b: First'])
  })

  it('keeps the copy complete until the end of the feed, also if that takes several syncs', async () => {
    const { site, store, client } = await follow(['a', 'b', 'forgotten'])
    await site.manage('DELETE', '/posts/forgotten')
    await runSql('delete from tombstones where site_id = $1', [site.id])
    await expireCursor(store)
    let commits = 0
    const dying = {
      ...store,
      commit: commitThen(store, () => {
        commits++
        if (commits > 1) throw new Error('The process ends')
      }),
    }
    const whole = ['guide g: Guide', 'post a: First', 'post b: First', 'post forgotten: First']
    for (let lives = 0; lives < 2; lives++) {
      await expect(client.sync(dying, { limit: 1 })).rejects.toThrow('The process ends')
      expect(await copyIn(store)).toEqual(whole)
      commits = 1
    }
    await client.sync(store)
    expect(await copyIn(store)).toEqual(whole.slice(0, 3))
  })
})

describe('a crash', () => {
  it.each([0, 1, Number.POSITIVE_INFINITY])(
    'after %s writes loses nothing, in a store without atomic commits',
    async (written) => {
      const { site, store, client } = await follow(['a', 'b', 'c'])
      await site.put('a', { title: 'Second' })
      await site.manage('DELETE', '/posts/b')
      await site.manage('DELETE', '/posts/c')
      await site.put('d', { title: 'New' })
      const crashing: Store = {
        ...store,
        async commit({ from, put, remove }) {
          const part = { from, put: put.slice(0, written), remove: remove.slice(0, written) }
          await store.commit({ ...part, to: from! })
          throw new Error('The process ends')
        },
      }
      await expect(client.sync(crashing)).rejects.toThrow('The process ends')
      // Concurrent changes.
      await site.manage('DELETE', '/posts/d')
      await site.put('b', { title: 'Back' })
      await client.sync(store)
      expect(await copyIn(store)).toEqual(['guide g: Guide', 'post a: Second', 'post b: Back'])
    },
  )
})

describe('two syncs at once', () => {
  it('of one store discard a page that the other one wrote first, however late they commit', async () => {
    const { site, store } = await follow(['a', 'b'])
    await site.put('a', { title: 'Second' })
    await site.put('b', { title: 'Second' })
    const [slow, fast] = [connect(site).client, connect(site).client]
    let isHeld = true
    const late: Store = {
      ...store,
      async commit(commit) {
        if (isHeld) {
          isHeld = false
          await site.put('a', { title: 'Third' })
          await site.manage('DELETE', '/posts/b')
          await fast.sync(store)
        }
        return store.commit(commit)
      },
    }
    expect(await slow.sync(late)).toEqual({ put: 0, removed: 0, restarted: false })
    expect(await copyIn(store)).toEqual(['guide g: Guide', 'post a: Third'])
  })
})

describe('follow', () => {
  it('syncs at once, at intervals, and when it is woken', async () => {
    const { site, store, client } = await follow(['a'])
    const synced: number[] = []
    let onNextSync = () => {}
    const nextSync = () => new Promise<void>((resolve) => (onNextSync = resolve))
    const onSync = ({ put }: { put: number }) => {
      synced.push(put)
      onNextSync()
    }
    let next = nextSync()
    const follower = client.follow(store, { everyMs: 3_600_000, onSync })
    await next
    await site.put('b', { title: 'New' })
    next = nextSync()
    follower.wake()
    await next
    expect(synced).toEqual([0, 1])
    await follower.stop()
    follower.wake()
    await client.sync(store)
    expect(synced).toEqual([0, 1])

    const often = client.follow(store, { everyMs: 10, onSync })
    while (synced.length < 5) await nextSync()
    await often.stop()
  })

  it('waits as long as the service says, even if it is woken', async () => {
    const { site, store } = await follow(['a'])
    let refusals = 0
    const busy = connect(site, {
      maxWaitMs: 0,
      between: async (_, pass) =>
        refusals++ > 0 ? pass() : new Response('', { status: 503, headers: { 'Retry-After': '1' } }),
    })
    const begun = Date.now()
    const errors: unknown[] = []
    await new Promise<void>((resolve) => {
      const follower = busy.client.follow(store, {
        everyMs: 10,
        onSync: () => void follower.stop().then(resolve),
        onError(error) {
          errors.push(error)
          setTimeout(() => follower.wake(), 10)
        },
      })
    })
    expect(Date.now() - begun).toBeGreaterThanOrEqual(990)
    expect(errors).toMatchObject([{ status: 503, retryAfterMs: 1_000 }])
  })
})

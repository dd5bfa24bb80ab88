import { join } from 'node:path'
import type { LoaderContext } from 'astro/loaders'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { formatChangeCursor } from '../../src/content/changes.ts'
import { DAY_MS } from '../../src/core/time.ts'
import { guideLoader, postLoader } from '../../src/sdk/astro.ts'
import { changesIn, startCountingProxy } from '../support/counting-proxy.ts'
import { hasTools, TOOLS } from '../support/examples.ts'
import { type Service, startService } from '../support/service.ts'

type Loader = ReturnType<typeof postLoader>

let service: Service
let proxy: Awaited<ReturnType<typeof startCountingProxy>>
let site: Awaited<ReturnType<Service['makeSite']>>
/** Astro's own store, as it is kept between builds. */
let store: Awaited<ReturnType<typeof openStore>>

beforeAll(async () => {
  if (!hasTools) return
  service = await startService()
  proxy = await startCountingProxy(service.origin)
})

beforeEach(async () => {
  if (!hasTools) return
  site = await service.makeSite()
  store = await openStore()
  proxy.take()
})

afterAll(async () => {
  proxy?.close()
  await service?.stop()
})

type StoredEntry = { id: string; data: { title: string }; rendered: { html: string }; digest: string }

async function openStore() {
  const { MutableDataStore } = await import(join(TOOLS, 'astro/dist/content/mutable-data-store.js'))
  const kept = new MutableDataStore()
  return {
    entries: kept.scopedStore('entries') as LoaderContext['store'] & {
      get(id: string): StoredEntry | undefined
    },
    meta: kept.metaStore('entries') as LoaderContext['meta'],
  }
}

const options = () => ({ url: proxy.origin, site: site.id, key: site.key })

/**
 * Loads as a build does.
 * @returns the requests
 */
async function build(loader: Loader, parseData: LoaderContext['parseData'] = async ({ data }) => data) {
  const { entries, meta } = store
  await loader.load({ store: entries, meta, logger: { info: () => {} }, parseData })
  return proxy.take()
}

const ids = () => store.entries.keys().toSorted()
const put = (kind: 'posts' | 'guides', slug: string, fields: object = {}) =>
  service.manage('PUT', `${site.path}/${kind}/${slug}`, {
    title: slug,
    contentHtml: `<p>${slug}</p>`,
    status: 'published',
    ...fields,
  })
/** By hand: the service itself never changes a slug. */
async function rename(kind: 'posts' | 'guides', slugs: [from: string, to: string][]) {
  for (const [from, to] of slugs) {
    await service.sql(`update ${kind} set slug = '${to}' where slug = '${from}' and site_id = '${site.id}'`)
  }
  await service.manage('POST', '/sweep')
}

describe.skipIf(!hasTools)('the loader of posts (skipped without `npm ci` in docs/examples)', () => {
  it('stores published posts by slug, with the HTML separate from the data', async () => {
    await put('posts', 'a')
    await put('posts', 'b', { status: 'draft' })
    await put('guides', 'c')
    await build(postLoader(options()))
    expect(ids()).toEqual(['a'])
    const { data, rendered } = store.entries.get('a')!
    const shown = await fetch(`${service.origin}/api/v1${site.path}/posts/a`, {
      headers: { Authorization: `Bearer ${site.key}` },
    })
    const { contentHtml, ...rest } = (await shown.json()) as { contentHtml: string }
    expect(data).toEqual(rest)
    expect(rendered).toEqual({ html: contentHtml })
  })

  it('stores drafts, or all posts, when configured', async () => {
    await put('posts', 'a')
    await put('posts', 'b', { status: 'draft' })
    await build(postLoader({ ...options(), status: 'draft' }))
    expect(ids()).toEqual(['b'])
    await build(postLoader({ ...options(), status: 'all' }))
    expect(ids()).toEqual(['a', 'b'])
    await build(postLoader(options()))
    expect(ids()).toEqual(['a'])
  })

  it('gives a slug to the post that has it now', async () => {
    await put('posts', 'a')
    await put('posts', 'b')
    await build(postLoader(options()))
    await rename('posts', [
      ['a', 'x'],
      ['b', 'a'],
      ['x', 'b'],
    ])
    await build(postLoader(options()))
    expect(ids()).toEqual(['a', 'b'])
    expect(store.entries.get('a')!.data.title).toBe('b')
    expect(store.entries.get('b')!.rendered.html).toBe('<p>a</p>')
  })

  it('reads everything again when its cursor has expired, and drops deleted posts', async () => {
    await put('posts', 'a')
    await put('posts', 'b')
    await build(postLoader(options()))
    const state = JSON.parse(store.meta.get('state')!)
    const cursor = await formatChangeCursor(site, { sequence: 0, caughtUp: Date.now() - 91 * DAY_MS })
    store.meta.set('state', JSON.stringify({ ...state, cursor }))
    await service.manage('DELETE', `${site.path}/posts/a`)
    await put('posts', 'c')
    const asked = await build(postLoader(options()))
    expect(asked.map(({ status }) => status)).toEqual([410, 200])
    expect(ids()).toEqual(['b', 'c'])
    expect(await build(postLoader(options()))).toHaveLength(1)
  })

  it('starts over for another site', async () => {
    await put('posts', 'a')
    await build(postLoader(options()))
    site = await service.makeSite()
    await put('posts', 'b')
    await build(postLoader(options()))
    expect(ids()).toEqual(['b'])
  })

  it('continues with another key, which it does not store', async () => {
    await put('posts', 'a')
    await build(postLoader(options()))
    const { key } = await service.manage<{ key: string }>('POST', `${site.path}/keys`, { name: 'new' })
    expect(changesIn(await build(postLoader({ ...options(), key })))).toEqual([])
    expect(store.meta.get('state')).not.toContain(site.key)
  })

  it('requests posts again after a failed build', async () => {
    await put('posts', 'a')
    await put('posts', 'b')
    const refuseB: LoaderContext['parseData'] = async ({ id, data }) => {
      if (id === 'b') throw new Error('b is not what the schema says')
      return data
    }
    await expect(build(postLoader(options()), refuseB)).rejects.toThrow('b is not')
    await build(postLoader(options()))
    expect(ids()).toEqual(['a', 'b'])
  })

  it('fails with a refused key, and keeps its entries', async () => {
    await put('posts', 'a')
    await build(postLoader(options()))
    await expect(build(postLoader({ ...options(), key: 'wrong' }))).rejects.toMatchObject({ status: 401 })
    expect(ids()).toEqual(['a'])
  })
})

describe.skipIf(!hasTools)('the loader of guides (skipped without `npm ci` in docs/examples)', () => {
  it('stores published guides, and requests only changed ones', async () => {
    await put('posts', 'z')
    for (const slug of ['a', 'b', 'c']) await put('guides', slug)
    await put('guides', 'd', { status: 'draft' })
    await build(guideLoader(options()))
    expect(ids()).toEqual(['a', 'b', 'c'])
    expect(store.entries.get('a')!.rendered.html).toBe('<p>a</p>')

    expect(await build(guideLoader(options()))).toHaveLength(1)

    await put('guides', 'a', { title: 'A' })
    await service.manage('DELETE', `${site.path}/guides/b`)
    await rename('guides', [['c', 'e']])
    const [feed, ...guides] = await build(guideLoader(options()))
    expect(changesIn([feed!])).toEqual(['upsert a', 'delete b', 'delete c', 'upsert e'])
    expect(guides.map(({ url }) => url.split('/').at(-1))).toEqual(['a', 'e'])
    expect(ids()).toEqual(['a', 'e'])
    expect(store.entries.get('a')!.data.title).toBe('A')
  })
  it('leaves out a guide that is deleted while the others are read', async () => {
    await put('guides', 'a')
    await put('guides', 'b')
    const deletingA = async (request: Request) => {
      const answer = await fetch(request)
      if (request.url.includes('/changes')) await service.manage('DELETE', `${site.path}/guides/a`)
      return answer
    }
    const asked = await build(guideLoader({ ...options(), fetch: deletingA }))
    expect(asked.map(({ status }) => status)).toEqual([200, 404, 200])
    expect(ids()).toEqual(['b'])
    await build(guideLoader(options()))
    expect(ids()).toEqual(['b'])
  })
})

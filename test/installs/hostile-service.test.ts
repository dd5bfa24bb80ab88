/** A service that is hostile, or was taken over, can change nothing outside of a copy. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { LoaderContext } from 'astro/loaders'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { SLUG } from '../../src/content/model/slug.ts'
import { UUID } from '../../src/core/ids.ts'
import { postLoader } from '../../src/sdk/astro.ts'
import { folderStore } from '../../src/sdk/client/folder.ts'
import { sqliteStore } from '../../src/sdk/client/sqlite.ts'
import { createClient, memoryStore, type Store } from '../../src/sdk/client.ts'
import { idOf, titlesIn } from '../sdk/support/content.ts'
import { type HttpServer, startHttpServer } from '../support/http-server.ts'

const SITE = '6f1c1d5e-0000-4000-8000-000000000001'
const NAMES = [
  ...['../../x', '..', '.', '/etc/x', 'a/b', 'a\\b', '..\\..\\x', 'C:x', 'a\0b', 'a\nb', '', ' ', 'x '],
  ...['x'.repeat(5_000), '%2e%2e%2fx', 'a:b', '\u202e', 7, null, {}, ['../../x'], undefined],
]
/** Valid slugs that are not ids. */
const NO_IDS = ['__proto__', 'constructor', 'CON', 'nul', 'com1', 'state', 'lock.2', idOf('a').toUpperCase()]

let server: HttpServer
let changes: object[]
let hasMore: boolean
let dir: string

beforeAll(async () => {
  server = await startHttpServer((_, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ items: changes, cursor: 'c', hasMore }))
  })
})

afterAll(() => server.close())

beforeEach(() => {
  hasMore = false
  dir = mkdtempSync(join(tmpdir(), 'hostile-'))
  // The target of a deletion of ../../x.
  mkdirSync(join(dir, 'in/copy'), { recursive: true })
  writeFileSync(join(dir, 'in/x.json'), 'kept')
  writeFileSync(join(dir, 'x.json'), 'kept')
})

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(dir, { recursive: true, force: true })
})

const client = () => createClient({ url: server.url, site: SITE, key: 'k' })
const post = (fields: object) => ({ id: idOf('a'), slug: 'a', title: 'A', status: 'published', ...fields })
const upsert = (fields: object, change: object = {}) => ({
  ...{ type: 'upsert', resource: 'post', id: idOf('a'), slug: 'a', post: post(fields), ...change },
})
const filesIn = () => readdirSync(dir, { recursive: true }).map(String).sort()

const HOSTILE = [
  ...[...NAMES, ...NO_IDS].flatMap((id) => [
    upsert({ id }),
    upsert({}, { id }),
    upsert({ id }, { id }),
    { type: 'delete', resource: 'post', id, slug: 'a' },
    { type: 'delete', resource: 'guide', id, slug: 'a' },
  ]),
  ...NAMES.map((slug) => upsert({ slug }, { slug })),
]

describe.each<[string, () => Store]>([
  ['memory', memoryStore],
  ['folder', () => folderStore(join(dir, 'in/copy'))],
  ['sqlite', () => sqliteStore(join(dir, 'in/copy.sqlite'))],
])('a copy in the %s store of a service that answers with hostile ids and slugs', (_, open) => {
  it('refuses each by name, and writes nothing outside or inside', async () => {
    const store = open()
    changes = [upsert({})]
    await client().sync(store)
    const before = filesIn()
    for (const change of HOSTILE) {
      changes = [upsert({ title: 'Another' }), change]
      await expect(client().sync(store, { again: true }), JSON.stringify(change)).rejects.toThrow(
        /^The service answered with a malformed (id|slug)/,
      )
      expect(await titlesIn(store)).toEqual(['A'])
    }
    // The folder's lock leaves a file of its own.
    const withoutLocks = (files: string[]) => files.filter((file) => !file.includes('lock'))
    expect(withoutLocks(filesIn())).toEqual(withoutLocks(before))
    await store.close()
  })

  it('refuses an article under the id of another', async () => {
    const store = open()
    changes = [upsert({ id: idOf('b') }), upsert({ id: idOf('b') }, { id: idOf('b') })]
    await expect(client().sync(store)).rejects.toThrow(`answered with ${idOf('b')} as ${idOf('a')}`)
    expect(await titlesIn(store)).toEqual([])
    await store.close()
  })

  it('does not request pages for ever', async () => {
    const store = open()
    changes = []
    hasMore = true
    await expect(client().sync(store)).rejects.toThrow('more pages after c, but repeats that cursor')
    const readAll = async () => {
      for await (const page of client().changePages({ cursor: 'c' })) expect(page.items).toEqual([])
    }
    await expect(readAll()).rejects.toThrow('more pages after c')
    await store.close()
  })

  it('skips unknown resources', async () => {
    const store = open()
    changes = [upsert({})]
    for (const resource of ['__proto__', 'toString', '../x', 'page'])
      changes.push({ type: 'delete', resource, id: idOf('a'), slug: 'a' }, upsert({}, { resource }))
    await client().sync(store)
    expect(await titlesIn(store)).toEqual(['A'])
    await store.close()
  })
})

it('the folder store refuses a hostile id from any caller', async () => {
  const store = folderStore(join(dir, 'in/copy'))
  const before = filesIn()
  const commit = { from: null, to: '1', put: [], remove: [{ resource: 'post', id: '../../x' } as const] }
  await expect(store.commit(commit)).rejects.toThrow('malformed id')
  expect(filesIn().filter((file) => !file.includes('in/copy/'))).toEqual(before)
})

describe('a site that is built', () => {
  it('with Astro has no entry with a hostile slug', async () => {
    const entries = new Map<string, unknown>()
    const meta = new Map<string, string>()
    const context = {
      store: {
        keys: () => [...entries.keys()],
        set: ({ id }: { id: string }) => entries.set(id, true),
        delete: (id: string) => entries.delete(id),
      },
      ...{ meta, logger: { info() {} }, parseData: async ({ data }: { data: object }) => data },
    } as unknown as LoaderContext
    const loader = postLoader({ url: server.url, site: SITE, key: 'k' })
    for (const slug of NAMES) {
      changes = [upsert({ slug })]
      await expect(loader.load(context)).rejects.toThrow('malformed slug')
    }
    expect(entries.size).toBe(0)
  })

  it('with Eleventy is not built from a hostile slug', async () => {
    vi.stubEnv('CONTENT_URL', server.url)
    vi.stubEnv('CONTENT_SITE', SITE)
    const file = join(import.meta.dirname, '../../docs/examples/eleventy/_data/posts.js')
    const { default: readPosts } = await import(/* @vite-ignore */ pathToFileURL(file).href)
    changes = [upsert({})]
    expect(await readPosts()).toHaveLength(1)
    for (const slug of ['../../x', '..', 'a/b', 'a\\b']) {
      changes = [upsert({ slug })]
      await expect(readPosts()).rejects.toThrow('malformed slug')
    }
  })
})

it('the client checks ids and slugs like the service', async () => {
  const { checkId, checkSlug } = await import('../../src/sdk/client/names.ts')
  const takes = (check: (value: unknown) => string, value: unknown) => {
    try {
      return check(value) === value
    } catch {
      return false
    }
  }
  const slugs = [
    'a',
    'Über-uns',
    '東京',
    'a.b~c_d',
    '...',
    'हिन्दी',
    'x'.repeat(200),
    'x'.repeat(201),
    '.',
    'a b',
    'a/b',
  ]
  expect(slugs.map((slug) => takes(checkSlug, slug))).toEqual(slugs.map((slug) => SLUG.test(slug)))
  const ids = [idOf('a'), idOf('b').toUpperCase(), `${idOf('a')}\n`, 'x']
  expect(ids.map((id) => takes(checkId, id))).toEqual(ids.map((id) => UUID.test(id)))
})

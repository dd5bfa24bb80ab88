import { describe, expect, it } from 'vitest'
import { slugVersionIn } from '../../src/db/content-version.ts'
import { askCanonical } from '../support/canonical.ts'
import { makeKey, putAll, putGuide } from '../support/content.ts'
import { makeSite, ORIGIN, type TestSite } from '../support/site.ts'
import { runSql } from '../support/sql.ts'

const ANSWERS = [
  ...['/posts', '/posts?status=draft', '/posts?search=out&sort=publishedAt', '/posts/out', '/guides'],
  ...['/guides/shown', '/changes', '/changes?include=content', '/redirects', '/sitemap.xml'],
]
const FILES = ['sitemap.xml', 'feed.xml', 'feed.json']
const SINGLE = ['/posts/out', '/guides/shown']

/** A tag with a version, and not one of a single uncached answer. */
const OF_A_VERSION = /^W\/"[0-9a-z]+-[0-9a-f]{16}"$/

/** 32 different part versions, so that the version of a slug shows its part. */
const PARTS = Array.from({ length: 32 }, (_, part) => part.toString(16).padStart(11, '0')).join('')

/** Slugs that share a part, whose version a write to one of them raises too. */
async function slugsBeside(slug: string, count: number): Promise<string[]> {
  const part = await slugVersionIn(PARTS, slug)
  const found: string[] = []
  for (let n = 0; found.length < count; n += 1) {
    if ((await slugVersionIn(PARTS, `draft-${n}`)) === part) found.push(`draft-${n}`)
  }
  return found
}

type Answer = { etag: string; body: string }
type Drafts = { post: string; other: string; third: string; renamed: string; guide: string }
type Write = (site: TestSite, drafts: Drafts) => Promise<unknown>

/** Published posts and guides, one of each renamed, and drafts whose slugs share their parts. */
async function siteWithDrafts() {
  const site = await makeSite()
  await site.put('older', { title: 'Out', status: 'published' })
  await site.manage('PUT', '/posts/older/slug', { slug: 'out' })
  await putGuide(site, 'shown')
  const [post, other, third, renamed] = (await slugsBeside('out', 4)) as [string, string, string, string]
  const [guide] = (await slugsBeside('shown', 1)) as [string]
  const drafts = { post, other, third, renamed, guide }
  await site.put(post, { qualityBand: 'premium' })
  await putGuide(site, guide, { status: 'draft' })
  const { key } = await makeKey(site, { access: 'published' })
  const files = (await site.manage('PUT', '/sitemap')).url.replace(ORIGIN, '')
  const bodies = new Map<string, string>()
  /** The answers to the key, and the published files. No tag may repeat for another body. */
  const read = async () => {
    const answers: Record<string, Answer> = {}
    const keep = async (name: string, response: Response) => {
      const body = await response.text()
      expect([200, 404], `${name}: ${body}`).toContain(response.status)
      answers[name] = { etag: response.headers.get('ETag') ?? 'none', body: response.ok ? body : 'none' }
      if (!response.ok) return
      const at = `${name} ${answers[name]!.etag}`
      expect(bodies.get(at) ?? body, at).toBe(body)
      bodies.set(at, body)
    }
    for (const below of ANSWERS) await keep(below, await site.get(below, { key }))
    for (const file of FILES) await keep(file, await askCanonical(files.replace('sitemap.xml', file)))
    return answers
  }
  return { site, key, drafts, read }
}

/** In an order in which each succeeds. */
const OF_DRAFTS: [string, Write][] = [
  ['a draft is created', (site, { other }) => site.put(other, { title: 'Out of sight' })],
  [
    'drafts are created in bulk',
    (site, { third }) =>
      putAll(
        site,
        [third, 'more'].map((slug) => ({ slug, title: 'out' })),
      ),
  ],
  [
    'a draft is edited',
    (site, { post }) => site.put(post, { title: 'Out of sight', qualityBand: 'premium' }),
  ],
  ['a draft is marked ready', (site, { post }) => site.manage('PUT', `/posts/${post}/readiness`)],
  [
    'changes to a draft are requested',
    (site, { post }) => site.manage('PUT', `/posts/${post}/change-request`, { note: 'Please' }),
  ],
  [
    'a draft is a translation of a published post',
    (site, { other }) => site.put(other, { language: 'de', sourceSlug: 'out' }),
  ],
  [
    'a draft is renamed',
    (site, { post, renamed }) => site.manage('PUT', `/posts/${post}/slug`, { slug: renamed }),
  ],
  ['a draft is deleted', (site, { renamed }) => site.manage('DELETE', `/posts/${renamed}`)],
  ['a draft of a guide is created', (site) => putGuide(site, 'hidden', { status: 'draft' })],
  [
    'a draft of a guide is edited',
    (site, { guide }) => putGuide(site, guide, { status: 'draft', title: 'B' }),
  ],
  [
    'a draft of a guide is renamed',
    (site, { guide }) => site.manage('PUT', `/guides/${guide}/slug`, { slug: 'hidden-2' }),
  ],
  ['a draft of a guide is deleted', (site) => site.manage('DELETE', '/guides/hidden')],
  [
    'a training row is added',
    (site) =>
      site.manage('POST', '/training-rows', { rows: [{ prompt: 'Why?', completion: 'So.', optIn: true }] }),
  ],
  [
    'a draft is edited by SQL',
    (site, { other }) =>
      runSql('update posts set title = $1 where site_id = $2 and slug = $3', ['By hand', site.id, other]),
  ],
]

const publish: Write = (site) => site.manage('PUT', '/posts/out/publication')

const OF_WHAT_IS_PUBLISHED: [string, Write][] = [
  ['a draft is published', (site, { post }) => site.manage('PUT', `/posts/${post}/publication`)],
  ['a post is edited', (site) => site.put('out', { status: 'published', title: 'Out again' })],
  [
    'a post is edited by SQL',
    (site) => runSql("update posts set title = 'Out by hand' where site_id = $1 and slug = 'out'", [site.id]),
  ],
  ['a post is unpublished', (site) => site.manage('DELETE', '/posts/out/publication')],
  ['it is published again', publish],
  [
    'a post is unpublished with other content',
    (site) => site.put('out', { status: 'draft', title: 'Not out' }),
  ],
  ['it is published with that content', publish],
  ['a post is renamed', (site) => site.manage('PUT', '/posts/out/slug', { slug: 'out-2' })],
  ['a draft takes an old slug', (site) => site.put('older', { title: 'Takes it' })],
  ['a post is deleted', (site) => site.manage('DELETE', '/posts/out-2')],
  ['a post is created as published', (site) => site.put('out', { status: 'published' })],
  [
    'a manual redirect is added',
    (site) => site.manage('PUT', '/redirects', { redirects: [{ from: '/old', to: '/new' }] }),
  ],
  ['a guide is published', (site, { guide }) => site.manage('PUT', `/guides/${guide}/publication`)],
  ['a guide is edited', (site) => putGuide(site, 'shown', { title: 'B' })],
  ['a guide is unpublished', (site) => site.manage('DELETE', '/guides/shown/publication')],
  ['that guide is published again', (site) => site.manage('PUT', '/guides/shown/publication')],
  ['a guide is renamed', (site) => site.manage('PUT', '/guides/shown/slug', { slug: 'shown-2' })],
  ['a guide is deleted', (site) => site.manage('DELETE', '/guides/shown-2')],
  ['the domain changes', (site) => site.manage('PATCH', '', { domain: 'new.example.com' })],
  ['the name changes', (site) => site.manage('PATCH', '', { name: 'New' })],
  ['the paths change', (site) => site.manage('PATCH', '', { postPath: '/n/{slug}', guidePath: '/g/{slug}' })],
  ['the language changes', (site) => site.manage('PATCH', '', { defaultLanguage: 'de' })],
  ['feeds switch to the full text', (site) => site.manage('PATCH', '', { feedContent: 'full' })],
]

describe('the tags of published files, and of answers to a key for published content', () => {
  it('stay the same whatever is written to drafts', async () => {
    const { site, key, drafts, read } = await siteWithDrafts()
    const before = await read()
    for (const [answer, { etag }] of Object.entries(before)) expect(etag, answer).toMatch(OF_A_VERSION)
    const tagOfAll = async () => (await site.get('/posts')).headers.get('ETag')
    for (const [name, write] of OF_DRAFTS) {
      const all = await tagOfAll()
      await write(site, drafts)
      expect(await read(), name).toEqual(before)
      if (!name.endsWith('by SQL')) expect(await tagOfAll(), name).not.toBe(all)
    }
    for (const below of ANSWERS) {
      const headers = { 'If-None-Match': before[below]!.etag }
      expect((await site.get(below, { key, headers })).status, below).toBe(304)
    }
  })

  it('move with whatever is published, and never repeat for another body', async () => {
    const { site, key, drafts, read } = await siteWithDrafts()
    await site.put(drafts.other)
    const lists = [...ANSWERS, ...FILES].filter((answer) => !SINGLE.includes(answer))
    let before = await read()
    for (const [name, write] of OF_WHAT_IS_PUBLISHED) {
      await write(site, drafts)
      // SQL by hand takes effect with the next write of the service, or with the sweep.
      if (name.endsWith('by SQL')) await site.put(drafts.other, { title: 'Any' })
      const after = await read()
      const differing = (part: keyof Answer) =>
        Object.keys(before).filter((answer) => before[answer]![part] !== after[answer]![part])
      expect(differing('etag'), name).toEqual(expect.arrayContaining([...differing('body'), ...lists]))
      for (const answer of lists) expect(after[answer]!.etag, answer).toMatch(OF_A_VERSION)
      before = after
    }
    for (const below of ['/posts?status=published', '/guides', '/sitemap.xml']) {
      // A key with more access requests the same, and shares the cached body.
      const [full, own] = [await site.get(below), await site.get(below, { key })]
      expect(await full.text()).toBe(await own.text())
    }
  })

  it('never repeat for another body, whatever the order of writes', async () => {
    const { site, drafts, read } = await siteWithDrafts()
    const at = `/posts/${drafts.post}`
    const writes: (() => Promise<unknown>)[] = [
      () => site.put(drafts.post, { title: 'Out of sight', qualityBand: 'premium' }),
      () => site.manage('PUT', `${at}/publication`),
      () => site.put(drafts.post, { status: 'published', title: 'Edited' }),
      () => site.manage('DELETE', `${at}/publication`),
      () => site.put(drafts.post, { title: 'Out of sight' }),
      () => site.manage('PUT', `${at}/slug`, { slug: drafts.other }),
      () => site.manage('PUT', `/posts/${drafts.other}/publication`),
      () => site.manage('DELETE', `/posts/${drafts.other}`),
      () => site.put(drafts.other, { title: 'Out of sight' }),
      () => site.manage('DELETE', '/posts/out/publication'),
      () => site.put('out', { title: 'Draft of out' }),
      () => site.manage('PUT', '/posts/out/publication'),
    ]
    for (const write of writes) {
      await write()
      await read()
    }
  })

  it('do not reveal that a draft was written', async () => {
    const { site, drafts, read } = await siteWithDrafts()
    await new Promise((done) => setTimeout(done, 20))
    const between = Date.now()
    await new Promise((done) => setTimeout(done, 20))
    await site.put(drafts.post, { title: 'Later' })
    for (const [name, { etag }] of Object.entries(await read())) {
      const [, version = ''] = /^W\/"(\w+)-/.exec(etag) ?? []
      expect(Number.parseInt(version, 36), name).toBeLessThan(between)
    }
  })
})

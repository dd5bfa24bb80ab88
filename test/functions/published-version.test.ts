import { describe, expect, it } from 'vitest'
import { slugVersionIn } from '../../src/db/content-version.ts'
import { askCanonical } from '../support/canonical.ts'
import { makeKey, putGuide } from '../support/content.ts'
import { makeSite, ORIGIN, type TestSite } from '../support/site.ts'
import { runSql } from '../support/sql.ts'

const ANSWERS = [
  '/posts',
  '/posts?status=draft',
  '/posts?search=out&sort=publishedAt',
  '/posts/out',
  '/guides',
  '/guides/shown',
  '/changes',
  '/changes?include=content',
  '/redirects',
  '/sitemap.xml',
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
type Drafts = { post: string; other: string; guide: string }
type Write = (site: TestSite, drafts: Drafts) => Promise<unknown>

/** Published posts and guides, one of each renamed, and drafts whose slugs share their parts. */
async function siteWithDrafts() {
  const site = await makeSite()
  await site.put('older', { title: 'Out', status: 'published' })
  await site.manage('PUT', '/posts/older/slug', { slug: 'out' })
  await putGuide(site, 'shown')
  const [post, other] = (await slugsBeside('out', 2)) as [string, string]
  const [guide] = (await slugsBeside('shown', 1)) as [string]
  const drafts = { post, other, guide }
  await site.put(post, { qualityBand: 'premium' })
  await putGuide(site, guide, { status: 'draft' })
  const { key } = await makeKey(site, { access: 'published' })
  const files = (await site.manage('PUT', '/sitemap')).url.replace(ORIGIN, '')
  /** The answers to the key, and the published files. */
  const read = async () => {
    const answers: Record<string, Answer> = {}
    const keep = async (name: string, response: Response) => {
      const body = await response.text()
      expect(response.status === 200 || response.status === 404, `${name}: ${response.status} ${body}`).toBe(
        true,
      )
      answers[name] = { etag: response.headers.get('ETag') ?? 'none', body: response.ok ? body : 'none' }
    }
    for (const below of ANSWERS) await keep(below, await site.get(below, { key }))
    for (const file of FILES) await keep(file, await askCanonical(files.replace('sitemap.xml', file)))
    return answers
  }
  return { site, key, drafts, read }
}

const moved = (before: Record<string, Answer>, after: Record<string, Answer>) =>
  Object.keys(before).filter((name) => before[name]!.etag !== after[name]!.etag)
const changed = (before: Record<string, Answer>, after: Record<string, Answer>) =>
  Object.keys(before).filter((name) => before[name]!.body !== after[name]!.body)

const OF_DRAFTS: Record<string, Write> = {
  'a draft is created': (site, { other }) => site.put(other, { title: 'Out of sight' }),
  'drafts are created in bulk': (site, { other }) =>
    site.manage('PUT', '/posts', {
      posts: [
        { slug: other, title: 'out', contentHtml: '' },
        { slug: 'more', title: 'out', contentHtml: '' },
      ],
    }),
  'a draft is edited': (site, { post }) => site.put(post, { title: 'Out of sight' }),
  'a draft is marked ready': (site, { post }) => site.manage('PUT', `/posts/${post}/readiness`),
  'changes to a draft are requested': (site, { post }) =>
    site.manage('PUT', `/posts/${post}/change-request`, { note: 'Please' }),
  'a draft is renamed': (site, { post, other }) => site.manage('PUT', `/posts/${post}/slug`, { slug: other }),
  'a draft is deleted': (site, { post }) => site.manage('DELETE', `/posts/${post}`),
  'a draft is a translation of a published post': async (site, { other }) => {
    const { id } = await site.json<{ id: string }>('/posts/out')
    await site.put(other, { language: 'de', sourcePostId: id })
  },
  'a draft of a guide is created': (site) => putGuide(site, 'hidden', { status: 'draft' }),
  'a draft of a guide is edited': (site, { guide }) => putGuide(site, guide, { status: 'draft', title: 'B' }),
  'a draft of a guide is renamed': (site, { guide }) =>
    site.manage('PUT', `/guides/${guide}/slug`, { slug: 'hidden' }),
  'a draft of a guide is deleted': (site, { guide }) => site.manage('DELETE', `/guides/${guide}`),
  'a training row is added': (site) =>
    site.manage('POST', '/training-rows', { rows: [{ prompt: 'Why?', completion: 'So.', optIn: true }] }),
  'a draft is edited by SQL': (site, { post }) =>
    runSql('update posts set title = $1 where site_id = $2 and slug = $3', ['By hand', site.id, post]),
}

const OF_WHAT_IS_PUBLISHED: Record<string, Write> = {
  'a draft is published': (site, { post }) => site.manage('PUT', `/posts/${post}/publication`),
  'a post is created as published': (site) => site.put('new', { status: 'published' }),
  'a post is edited': (site) => site.put('out', { status: 'published', title: 'Out again' }),
  'a post is edited by SQL': (site) =>
    runSql("update posts set title = 'Out by hand' where site_id = $1 and slug = 'out'", [site.id]),
  'a post is unpublished': (site) => site.manage('DELETE', '/posts/out/publication'),
  'a post is unpublished with other content': (site) =>
    site.put('out', { status: 'draft', title: 'Not out' }),
  'a post is renamed': (site) => site.manage('PUT', '/posts/out/slug', { slug: 'out-2' }),
  'a post is deleted': (site) => site.manage('DELETE', '/posts/out'),
  'a draft takes an old slug': (site) => site.put('older', { title: 'Takes it' }),
  'a manual redirect is added': (site) =>
    site.manage('PUT', '/redirects', { redirects: [{ from: '/old', to: '/new' }] }),
  'a guide is published': (site, { guide }) => site.manage('PUT', `/guides/${guide}/publication`),
  'a guide is edited': (site) => putGuide(site, 'shown', { title: 'B' }),
  'a guide is unpublished': (site) => site.manage('DELETE', '/guides/shown/publication'),
  'a guide is renamed': (site) => site.manage('PUT', '/guides/shown/slug', { slug: 'shown-2' }),
  'a guide is deleted': (site) => site.manage('DELETE', '/guides/shown'),
  'the domain changes': (site) => site.manage('PATCH', '', { domain: 'new.example.com' }),
  'the name changes': (site) => site.manage('PATCH', '', { name: 'New' }),
  'the paths change': (site) => site.manage('PATCH', '', { postPath: '/n/{slug}', guidePath: '/g/{slug}' }),
  'the language changes': (site) => site.manage('PATCH', '', { defaultLanguage: 'de' }),
  'feeds switch to the full text': (site) => site.manage('PATCH', '', { feedContent: 'full' }),
}

describe('the tags of published files, and of answers to a key for published content', () => {
  it.each(Object.entries(OF_DRAFTS))('stay the same when %s', async (name, write) => {
    const { site, key, drafts, read } = await siteWithDrafts()
    const before = await read()
    for (const [answer, { etag }] of Object.entries(before)) expect(etag, answer).toMatch(OF_A_VERSION)
    const full = (await site.get('/posts')).headers.get('ETag')
    await write(site, drafts)
    expect(await read()).toEqual(before)
    for (const below of ANSWERS) {
      const headers = { 'If-None-Match': before[below]!.etag }
      expect((await site.get(below, { key, headers })).status, below).toBe(304)
    }
    if (!name.endsWith('by SQL')) expect((await site.get('/posts')).headers.get('ETag')).not.toBe(full)
  })

  it.each(Object.entries(OF_WHAT_IS_PUBLISHED))('move when %s', async (name, write) => {
    const { site, drafts, read } = await siteWithDrafts()
    const before = await read()
    await write(site, drafts)
    // SQL by hand takes effect with the next write of the service, or with the sweep.
    if (name.endsWith('by SQL')) await site.put(drafts.post, { title: 'Any' })
    const after = await read()
    const tags = moved(before, after)
    expect(tags).toEqual(expect.arrayContaining(changed(before, after)))
    const lists = [...ANSWERS, ...FILES].filter((answer) => !SINGLE.includes(answer))
    expect(tags).toEqual(expect.arrayContaining(lists))
    for (const answer of lists) expect(after[answer]!.etag, answer).toMatch(OF_A_VERSION)
  })

  it('never repeat for another body, whatever the order of writes', async () => {
    const { site, key, drafts, read } = await siteWithDrafts()
    const bodies = new Map<string, string>()
    const writes: Write[] = [
      OF_DRAFTS['a draft is edited']!,
      OF_WHAT_IS_PUBLISHED['a draft is published']!,
      (site, { post }) => site.put(post, { status: 'published', title: 'Edited' }),
      (site, { post }) => site.manage('DELETE', `/posts/${post}/publication`),
      OF_DRAFTS['a draft is edited']!,
      OF_DRAFTS['a draft is renamed']!,
      (site, { other }) => site.manage('PUT', `/posts/${other}/publication`),
      (site, { other }) => site.manage('DELETE', `/posts/${other}`),
      OF_DRAFTS['a draft is created']!,
      OF_WHAT_IS_PUBLISHED['a post is unpublished']!,
      (site) => site.put('out', { title: 'Draft of out' }),
      (site) => site.manage('PUT', '/posts/out/publication'),
    ]
    for (const write of writes) {
      await write(site, drafts)
      for (const [name, { etag, body }] of Object.entries(await read())) {
        if (etag === 'none') continue
        const at = `${name} ${etag}`
        expect(bodies.get(at) ?? body, at).toBe(body)
        bodies.set(at, body)
      }
      for (const below of ['/posts?status=published', '/guides', '/sitemap.xml']) {
        // A key with more access requests the same, and shares the cached body.
        const [full, own] = [await site.get(below), await site.get(below, { key })]
        expect(await full.text()).toBe(await own.text())
      }
    }
  })

  it('change with drafts for a preview link, and for a key that reads drafts', async () => {
    const { site, drafts } = await siteWithDrafts()
    const link = await site.manage('POST', `/posts/${drafts.post}/preview-links`)
    const read = async (below: string, key: string) => {
      const response = await site.get(below, { key })
      expect(response.headers.get('ETag')).toMatch(OF_A_VERSION)
      return { etag: response.headers.get('ETag'), body: await response.text() }
    }
    const questions = [
      [`/posts/${drafts.post}`, link.token],
      [`/posts/${drafts.post}`, site.key],
      ['/posts', site.key],
      ['/posts?status=draft', site.key],
      ['/changes', site.key],
      ['/changes?include=content', site.key],
    ] as const
    for (const [below, key] of questions) {
      const before = await read(below, key)
      await site.put(drafts.post, { title: `Edited for ${below} and ${key === site.key}` })
      const after = await read(below, key)
      expect(after.etag, below).not.toBe(before.etag)
      expect(after.body, below).not.toBe(before.body)
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

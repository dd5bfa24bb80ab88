import { neonConfig } from '@neondatabase/serverless'
import { expect, it, onTestFinished } from 'vitest'
import { browse, decode, filledIn, wordsOf } from '../../support/console.ts'
import { FULL_POST, putGuide } from '../../support/content.ts'
import { makeSite, type TestSite } from '../../support/site.ts'
import { runSql, statementsByCall } from '../../support/sql.ts'

type Json = Record<string, unknown>

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** The changes of an article, as their pages show them. */
async function changesOf(site: TestSite, below = '/content/posts/full') {
  const { open } = await browse(site)
  const { text } = await open(below)
  const links = [...text.matchAll(/href="([^"]+\/history\/\d+)"[^>]*>([^<]*)/g)].map(
    ([, href, name]) => [decode(href!), decode(name!)] as const,
  )
  return Promise.all(
    links.map(async ([link, name]) => {
      const { text } = await open(link)
      const heading = /<h2 class="hint">(.*?)<\/h2>/s.exec(text)?.[1]
      const of = (tag: 'ins' | 'del') =>
        decode(
          [...text.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))].map(([, part]) => part).join(''),
        )
      return {
        link,
        name,
        title: decode(/<h1[^>]*>(.*?)<\/h1>/.exec(text)?.[1] ?? ''),
        heading,
        fields: text.match(/<h2 class="hint">/g)?.length ?? 0,
        old: of('del'),
        now: of('ins'),
      }
    }),
  )
}

const json = (value: unknown) => JSON.stringify(value, null, 2)
const BUNDLE = { article: { a: 2 }, breadcrumb: { b: [2] }, faq: null }
const FAQ = { ...FULL_POST.faqJsonLd, title: 'changed' }

/** A change of each edited field, with its texts on the page. */
const CHANGES: [field: string, value: unknown, heading: string, shown: { old?: string; now?: string }][] = [
  ['title', 'Other', 'Title', { old: FULL_POST.title, now: 'Other' }],
  ['contentHtml', '<p>Other</p>', 'Content', { now: '<p>Other</p>' }],
  ['excerpt', 'Lang', 'Excerpt', { old: 'Kurz', now: 'Lang' }],
  ['qualityBand', 'review', 'Quality band', {}],
  ['trustScore', 78.5, 'Trust score', { old: '77.5', now: '78.5' }],
  ['assuranceLabel', 'Again', 'Assurance label', { old: 'Checked', now: 'Again' }],
  ['reviewStatus', 'approved', 'Approval', { old: 'Changes requested', now: 'Approved' }],
  ['aiGenerated', false, 'AI-generated', { old: 'true', now: 'false' }],
  ['language', 'de', 'Language', { old: 'de-AT', now: 'de' }],
  ['sourceSlug', 'another-source', 'Source slug', { old: 'source', now: 'another-source' }],
  ['provenance', null, 'Provenance', { old: json(FULL_POST.provenance) }],
  ['seo', { ...FULL_POST.seo, ogTitle: 'Other' }, 'Social title', { old: 'OG', now: 'Other' }],
  ['faqJsonLd', FAQ, 'FAQ', { now: 'changed' }],
  ['schemaBundle', BUNDLE, 'Schema bundle', { old: '1', now: '2' }],
  ['schemaBundle', { article: { a: 1 } }, 'Schema bundle', {}],
  ['authors', [{ name: 'Eve', url: null }], 'Authors', { now: 'Eve' }],
  ['image', { ...FULL_POST.image, alt: 'Two' }, 'Image description', { old: 'A boat', now: 'Two' }],
  ['categories', ['News'], 'Categories', {}],
  ['tags', ['sea', 'salt'], 'Tags', {}],
  ['canonicalUrl', 'https://other.example/', 'Canonical URL', {}],
  [
    'modifiedAt',
    '2022-01-01T00:00:00.000Z',
    'Modified at',
    { old: '2021-03-04T05:06:07.890Z', now: '2022-01-01T00:00:00.000Z' },
  ],
]

it('a change of each field is shown, whatever was changed later', async () => {
  const site = await makeSite()
  for (const slug of ['source', 'another-source']) await site.put(slug)
  const post: Json = { ...FULL_POST }
  await site.put('full', post)
  for (const [field, value] of CHANGES) await site.put('full', Object.assign(post, { [field]: value }))
  const changes = (await changesOf(site)).reverse()
  expect(changes.map(({ title }) => title)).toEqual(changes.map(({ name }) => name))
  expect(changes).toMatchObject(
    CHANGES.map(([, , heading, { old = '', now = '' }]) => ({
      heading,
      fields: 1,
      old: expect.stringContaining(old),
      now: expect.stringContaining(now),
    })),
  )
})

it('a change leaves out texts that only followed the content, like its name', async () => {
  const site = await makeSite()
  await site.put('full', { title: 'One', contentHtml: '<p>Old text.</p>', excerpt: 'E' })
  await site.put('full', { title: 'Two', contentHtml: '<p>Old text.</p>', excerpt: 'F' })
  await site.put('full', { title: 'Two', contentHtml: '<p>Old text.</p>' })
  await site.put('full', { title: 'Two', contentHtml: '<p>New text.</p>' })
  const { open } = await browse(site)
  const changes = await changesOf(site)
  const pages = await Promise.all(changes.map(({ link }) => open(link)))
  const headings = pages.map(({ text }) => [
    /<h1[^>]*>(.*?)<\/h1>/.exec(text)?.[1],
    ...[...text.matchAll(/<h2 class="hint">(.*?)<\/h2>/g)].map(([, heading]) => heading),
  ])
  expect(headings).toEqual([
    ['Updated: content', 'Content'],
    ['Updated: excerpt', 'Excerpt'],
    ['Updated: title, excerpt', 'Title', 'Excerpt'],
  ])
})

it('a change of the content and of its own excerpt has the same name in the history and on its page', async () => {
  const site = await makeSite()
  await site.put('full', { title: 'One', contentHtml: '<p>Old text.</p>', excerpt: 'E' })
  await site.put('full', { title: 'Two', contentHtml: '<p>New text.</p>', excerpt: 'F', tags: ['a'] })
  const name = 'Updated: title, content, tags'
  expect(await changesOf(site)).toMatchObject([{ name, title: name, old: expect.stringContaining('E') }])
})

it('a version before says truly what the form cannot restore', async () => {
  const site = await makeSite()
  for (const slug of ['source', 'another-source']) await site.put(slug)
  await site.put('full', FULL_POST)
  await site.put('full', { ...FULL_POST, sourceSlug: 'another-source', trustScore: 1 })
  await site.put('full', { ...FULL_POST, title: 'Other', trustScore: 1 })
  await runSql(`update posts set slug = 'renamed' where site_id = $1 and slug = 'source'`, [site.id])
  const [latest, first] = (await changesOf(site)).map(({ link }) => link.split('/').at(-1))
  const { read } = await browse(site)
  const form = (before: string) => read(`/content/posts/full/edit?before=${before}`)
  expect(await form(latest!)).toContain('This form cannot restore: Source slug.')
  expect(await form(first!)).toContain('This form cannot restore: Trust score.')
})

it('the order of changes is that of the commits, even if the later one began first', async () => {
  const site = await makeSite()
  await site.put('full', { title: 'One' })
  const rename = (title: string) =>
    `update posts set title = '${title}' where site_id = '${site.id}' and title <> '${title}'`
  // A query is sent once someone awaits it.
  const first = runSql(`do $$ begin perform pg_sleep(1); ${rename('Three')}; end $$`).then((rows) => rows)
  await pause(300)
  await runSql(rename('Two'))
  await first
  const { post } = await site.manage('GET', '/posts/full')
  const changes = await changesOf(site)
  const last = changes.find(({ now }) => now === post.title)!
  expect(changes).toHaveLength(2)
  expect(changes.find((change) => change !== last)).toMatchObject({ old: 'One', now: last.old })
  const before = last.link.split('/').at(-1)
  const { open } = await browse(site)
  const restored = await open(`/content/posts/full/edit?before=${before}`)
  expect(filledIn('title', restored)).toBe(last.old)
})

it('several edits in one transaction are one change', async () => {
  const site = await makeSite()
  await site.put('full', { title: 'One', excerpt: 'E' })
  await runSql(`do $$ begin
    update posts set title = 'Two' where site_id = '${site.id}';
    update posts set title = 'Three', excerpt = 'F' where site_id = '${site.id}'; end $$`)
  const changes = await changesOf(site)
  expect(new Set(changes.map(({ link }) => link)).size).toBe(1)
  expect(changes[0]).toMatchObject({ old: 'OneE', now: 'ThreeF', fields: 2 })
})

it('the kept changes of an article take at most 16 MiB, the latest first', async () => {
  const site = await makeSite()
  await putGuide(site, 'one')
  // Random digits hardly compress.
  const edit = () =>
    runSql(
      `update guides set content_html = (select string_agg(gen_random_uuid()::text, '') from generate_series(1, 250000))
      where site_id = $1`,
      [site.id],
    )
  for (let edits = 0; edits < 3; edits++) await edit()
  const [latest, ...others] = await runSql(
    `select updated_at = (select updated_at from guides where site_id = $1) as "isLatest" from revisions where site_id = $1
    order by updated_at desc`,
    [site.id],
  )
  expect(latest).toEqual({ isLatest: true })
  expect(others).toEqual([])
})

it('the audit log links to changes that are kept, and outlives an article that goes meanwhile', async () => {
  const site = await makeSite()
  await site.put('full', { title: 'One' })
  await site.put('full', { title: 'Two' })
  const { open } = await browse(site)
  const log = await open('/audit-log')
  const [, changeset = ''] = /href="([^"]+changesetId=[^"]+)"/.exec(log.text) ?? []
  const read = async () => wordsOf(await open(decode(changeset)))
  expect(await read()).toMatch(/edited the title of .* Title One Two/)
  await afterOneCall('"hasRevision"', () => site.manage('DELETE', '/posts/full'))
  expect(await read()).toContain('edited the title of')
  await site.put('full', { title: 'One' })
  await site.put('full', { title: 'Two' })
  await runSql('delete from revisions where site_id = $1', [site.id])
  const [, later = ''] = /href="([^"]+changesetId=[^"]+)"/.exec((await open('/audit-log')).text) ?? []
  const unkept = wordsOf(await open(decode(later)))
  expect(unkept).toContain('edited the title of')
  expect(unkept).toContain('The texts before this edit are no longer kept.')
})

/** Does something once the service has made the first call with that text. */
async function afterOneCall(text: string, work: () => Promise<unknown>) {
  const before = neonConfig.fetchFunction
  const restore = () => {
    neonConfig.fetchFunction = before
  }
  onTestFinished(restore)
  const send: typeof fetch = before ?? ((...call) => fetch(...call))
  neonConfig.fetchFunction = async (url: string, init: RequestInit) => {
    const response = await send(url, init)
    if (!String(init.body).includes(JSON.stringify(text).slice(1, -1))) return response
    restore()
    await work()
    return response
  }
}

it('a change is read in three calls to Postgres', async () => {
  const site = await makeSite()
  await site.put('full', { title: 'One' })
  await site.put('full', { title: 'Two' })
  const [change] = await changesOf(site)
  const { open } = await browse(site)
  const calls = await statementsByCall(() => open(change!.link))
  const reading = calls.filter((call) => /"(posts|revisions|audit_log)"/.test(call.join()))
  expect(reading).toHaveLength(3)
})

/** Imports in the console. `test/cli` has the rules of each source. */
import { strToU8, zipSync } from 'fflate'
import { parse } from 'smol-toml'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import {
  claimTurn,
  keepConverted,
  pruneImports,
  saveProgress,
  startImport,
} from '../../../src/sites/imports.ts'
import wrangler from '../../../wrangler.toml?raw'
import { cookieOf, signIn, trySignIn, visit, wordsOf } from '../../support/console.ts'
import { putGuide } from '../../support/content.ts'
import { lossyQueue, testContext } from '../../support/context.ts'
import { IN_TIME } from '../../support/in-time.ts'
import { hand, runCron } from '../../support/outbox.ts'
import { interceptFetch } from '../../support/own-calls.ts'
import { makeSite, manage, ORIGIN, type TestSite } from '../../support/site.ts'
import { callsOf, runSql, statementsOf } from '../../support/sql.ts'

let admin: string
beforeAll(async () => {
  admin = await signIn()
})

type Content = string | Uint8Array<ArrayBuffer>

const transferOf = ({ path }: TestSite) => `/console${path}/settings/transfer`

/** Posts a file as a browser does. */
async function upload(to: TestSite, name: string, content: Content, fields = {}, cookie = admin) {
  const body = new FormData()
  body.set('file', new File([content], name))
  for (const [field, value] of Object.entries(fields)) body.set(field, String(value))
  const form = new Response(body)
  const bytes = await form.arrayBuffer()
  const headers = {
    'Content-Type': form.headers.get('Content-Type')!,
    'Content-Length': `${bytes.byteLength}`,
  }
  return visit(transferOf(to), {
    cookie,
    method: 'POST',
    body: bytes,
    headers: { Origin: ORIGIN, ...headers },
  })
}

/** The page of an import that has ended or waits for a decision. */
async function ended(page: string, cookie = admin) {
  await expect
    .poll(async () => (await visit(page, { cookie })).text, { ...IN_TIME, interval: 50 })
    .not.toContain('<progress')
  return visit(page, { cookie })
}

async function preview(to: TestSite, name: string, content: Content, fields = {}, cookie = admin) {
  const { status, location, text } = await upload(to, name, content, fields, cookie)
  if (status !== 303) throw new Error(wordsOf({ text }))
  return { page: location!, words: wordsOf(await ended(location!, cookie)) }
}

async function importFile(to: TestSite, name: string, content: Content, fields = {}, cookie = admin) {
  const { page } = await preview(to, name, content, fields, cookie)
  await visit(`${page}/start`, { cookie, form: {} })
  return wordsOf(await ended(page, cookie))
}

/** Sizes in a zip: a file's header without its name, and the record at the end. */
const HEADER_BYTES = 30
const END_BYTES = 22

const zipOf = (files: Record<string, string>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])))

const slugsOf = async (site: TestSite) =>
  (await site.manage('GET', '/posts')).items.map(({ slug }: { slug: string }) => slug).sort()

const BLOG = {
  'blog/hello.md':
    '---\ntitle: Hello\ndate: 2024-05-06\nlayout: wide\n---\nSee [v2](release/v2.md) and [gone](gone.md).\n',
  'blog/release/v2.md': '---\ntitle: Version 2\ndate: 2024-05-07\n---\n| a | b |\n|---|---|\n| 1 | 2 |\n',
  'blog/broken.md': '---\ntitle: Broken\n---\n![](data:)\u0000\n',
  'blog/README.md': 'About this folder\n',
  'blog/boat.png': 'no text',
  '__MACOSX/blog/._hello.md': 'resource fork',
}

describe('an import', () => {
  it('of a zip of Markdown shows a preview, imports in the background, and reports like the command line', async () => {
    const site = await makeSite()
    const { page, words } = await preview(site, 'blog.zip', zipOf(BLOG), { status: 'published' })
    expect(words).toContain('1 file cannot be imported. Import the rest now, or correct the file first.')
    expect(words).toContain('New 2 Already here 0 Published 2 No drafts Not imported 1')
    expect(words).toMatch(/Hello hello Published New post hello\.md/)
    expect(words).toContain('Nothing is saved yet.')
    expect(await slugsOf(site)).toEqual([])
    await visit(`${page}/start`, { cookie: admin, form: {} })
    const report = wordsOf(await ended(page))
    expect(report).toContain('Created 2 Updated 0 Unchanged 0 Not imported 1')
    expect(report).toContain('broken.md Contains a NUL byte')
    expect(report).toContain('hello.md layout Posts here have no field for it')
    expect(report).toContain('hello.md Content A link leads to no post or guide of this import: gone.md')
    expect(report).toContain('README.md A README, not a post')
    const { post } = await site.manage('GET', '/posts/hello')
    expect(post.contentHtml).toContain('href="https://site.example.com/blog/v2"')
    const { items } = await manage('GET', `${site.path}/audit-log?limit=100`)
    const imported = items.filter(({ channel }) => channel === 'console')
    expect(imported.map(({ action }) => action).sort()).toEqual(['post.created', 'post.created'])
    expect(new Set(imported.map(({ changeset }) => changeset.id)).size).toBe(1)
    expect(await importFile(site, 'blog.zip', zipOf(BLOG), { status: 'published' })).toContain(
      '1 file was not imported. Correct it and import again: nothing is imported twice. Created 0 Updated 0 Unchanged 2',
    )
    // The file is gone.
    const parts = await runSql(
      'select from import_parts p join imports i on i.id = import_id where site_id = $1',
      [site.id],
    )
    expect(parts).toEqual([])
  })

  it.each([
    ['one Markdown file', 'hello.md', '---\ntitle: Hello\n---\nText\n', ['hello']],
    [
      'WordPress',
      'export.xml',
      wxr(
        '<item><title>From WordPress</title><wp:post_id>1</wp:post_id><wp:post_name>wp</wp:post_name><wp:post_type>post</wp:post_type><wp:status>publish</wp:status><content:encoded><![CDATA[<!-- wp:paragraph --><p>Text</p><!-- /wp:paragraph -->]]></content:encoded></item>',
      ),
      ['wp'],
    ],
    [
      'WordPress in a zip',
      'export.zip',
      zipSync({
        'export.xml': strToU8(
          wxr(
            '<item><title>T</title><wp:post_id>2</wp:post_id><wp:post_name>packed</wp:post_name><wp:post_type>post</wp:post_type><wp:status>draft</wp:status><content:encoded>x</content:encoded></item>',
          ),
        ),
      }),
      ['packed'],
    ],
    [
      'Ghost',
      'ghost.json',
      JSON.stringify({
        db: [
          {
            meta: {},
            data: {
              posts: [
                {
                  id: '1',
                  slug: 'gh',
                  title: 'From Ghost',
                  html: '<p>x</p>',
                  type: 'post',
                  status: 'published',
                  visibility: 'public',
                  published_at: '2024-05-06T07:08:09.000Z',
                },
              ],
            },
          },
        ],
      }),
      ['gh'],
    ],
  ])('takes %s, without being told what it is', async (_, name, content, slugs) => {
    const site = await makeSite()
    expect(await importFile(site, name, content as Content)).toContain('Created 1 Updated 0 Unchanged 0')
    expect(await slugsOf(site)).toEqual(slugs)
  })

  it('of an export makes the same site, without the settings unless an admin asks for them', async () => {
    const source = await makeSite({ name: 'Source', domain: 'source.example.com' })
    await source.put('source', { status: 'published', title: 'Ünï <b>"quoted"</b> & \u2028 lines' })
    await source.put('quelle', { language: 'de', sourceSlug: 'source' })
    await putGuide(source, 'guide')
    await source.manage('PUT', '/redirects', { redirects: [{ from: '/old', to: '/new' }] })
    await source.manage('POST', '/training-rows', { rows: [{ prompt: 'P', completion: 'C' }] })
    const exportOf = async (site: TestSite) =>
      (await visit(`${transferOf(site)}/export`, { cookie: admin })).text
    const target = await makeSite({ name: 'Target', domain: 'source.example.com' })
    await target.put('source')
    const broken = '{"type":"post","id":"x","post":{"slug":"broken","title":"","contentHtml":"A\\u0000"}}'
    const file = (await exportOf(source)).replace('{"type":"guide"', `${broken}\n{"type":"guide"`)
    const report = await importFile(target, 'export.ndjson', file)
    expect(report).toContain(
      '1 line was not imported. Correct it and import again: nothing is imported twice. Created 2 Updated 1 Unchanged 0 Not imported 1 1 redirect from an old address. 1 training row.',
    )
    expect(report).toMatch(/line 4 Content must /)
    const linesOf = async (site: TestSite) =>
      (await exportOf(site))
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => JSON.parse(line))
        .map(({ id: _, createdAt: __, updatedAt: ___, ...line }) => JSON.stringify(line))
        .sort()
    expect(await linesOf(target)).toEqual(await linesOf(source))
    expect(await target.manage('GET', '')).toMatchObject({ name: 'Target' })
    const editor = await editorOf(target)
    await importFile(target, 'export.ndjson', await exportOf(source), { settings: 'on' }, editor)
    expect(await target.manage('GET', '')).toMatchObject({ name: 'Target' })
    await importFile(target, 'export.ndjson', await exportOf(source), { settings: 'on' })
    expect(await target.manage('GET', '')).toMatchObject({ name: 'Source' })
  })

  it('names the status of each article, also of those that keep theirs', async () => {
    const site = await makeSite()
    await site.put('kept', { status: 'published' })
    const bytes = zipOf({
      'kept.md': '# Kept',
      'new.md': '# New',
      'old.md': '---\ntitle: Old\ndraft: false\n---\n',
    })
    const { words } = await preview(site, 'blog.zip', bytes)
    expect(words).toContain('New 2 Already here 1 Published 2 1 draft')
    expect(words).toContain(
      'Posts and guides that are here already are updated where the file differs, and never added twice.',
    )
    expect(words).toContain('Import 3 posts')
    expect(words).toContain('Kept kept Published Existing post kept.md')
    expect(words).toContain('New new Draft New post new.md')
  })

  it('of another file with the same name says nothing about the articles of the first', async () => {
    const site = await makeSite()
    await importFile(site, 'posts.zip', zipOf({ 'a.md': '# A', 'b.md': '# B' }))
    const report = await importFile(site, 'posts.zip', zipOf({ 'c.md': '# C' }))
    expect(report).toContain('Created 1 Updated 0 Unchanged 0')
    expect(report).not.toMatch(/no longer|2 articles/i)
    expect(await slugsOf(site)).toEqual(['a', 'b', 'c'])
  })

  it('of a zip with a large file reads all of it', async () => {
    const site = await makeSite()
    const lines = Array.from({ length: 1_400 }, (_, at) => `Line ${at} of many, ${Math.sin(at)}`)
    const bytes = zipOf({ 'long.md': lines.join('\n'), 'empty.txt': '' })
    expect(await importFile(site, 'long.zip', bytes)).toContain('Created 1')
    expect((await site.manage('GET', '/posts/long')).post.contentHtml).toContain('Line 1399 of many')
  })

  it('of articles without an id, or with a repeated one, saves each once, and again without duplicates', async () => {
    const site = await makeSite()
    const untitled = itemOf(0, 'x').replace(/<wp:post_id>.*?<\/wp:post_id>/, '')
    const file = wxr(untitled.repeat(3) + itemOf(7, 'x') + itemOf(7, 'y'))
    const { words } = await preview(site, 'ids.xml', file)
    expect(words).toContain('New 4 Already here 0 Published 4 No drafts Not imported 1')
    expect(await importFile(site, 'ids.xml', file)).toContain(
      'Created 4 Updated 0 Unchanged 0 Not imported 1',
    )
    expect(await importFile(site, 'ids.xml', file)).toContain('Created 0 Updated 0 Unchanged 4')

    const ghost = await makeSite()
    const posts = ghostOf(
      { html: 'x', id: '' },
      { html: 'x', id: '' },
      { html: 'x', id: '1' },
      { html: 'x', id: '1' },
    )
    const report = await importFile(ghost, 'ids.json', posts)
    expect(report).toContain('Created 3 Updated 0 Unchanged 0 Not imported 1')
    expect(report).toContain('T It has the same id as post 3')
  })

  it('starts once on ten clicks, which all lead to it', async () => {
    const site = await makeSite()
    const { page } = await preview(site, 'a.md', '# A')
    const clicks = Array.from({ length: 10 }, () => visit(`${page}/start`, { cookie: admin, form: {} }))
    const answers = await Promise.all(clicks)
    expect(new Set(answers.map(({ status, location }) => `${status} ${location}`))).toEqual(
      new Set([`303 ${page}`]),
    )
    expect(wordsOf(await ended(page))).toContain('Created 1')
  })

  it.each([
    [
      'notes.docx',
      'not text',
      'notes.docx was not imported: this kind of file cannot be read. Choose a .md, .zip',
    ],
    ['blog.zip', 'no zip', 'blog.zip was not imported: it is not a zip file.'],
    ['empty.md', '', 'Nothing was imported: choose a file first.'],
    // A name of dots would lead out of the import's folder.
    ['...md', '# Dots', 'md was not imported: this kind of file cannot be read.'],
    ['.md', '# Dot', 'md was not imported: this kind of file cannot be read.'],
    ['...zip', 'no zip', 'zip was not imported: this kind of file cannot be read.'],
  ])('refuses %s at once, and says what to do', async (name, content, problem) => {
    const site = await makeSite()
    const page = await upload(site, name, content)
    expect([page.status, wordsOf(page)]).toEqual([400, expect.stringContaining(problem)])
  })

  it('names the commands for larger files', async () => {
    const site = await makeSite()
    const page = await visit(transferOf(site), { cookie: admin })
    for (const source of ['markdown', 'wordpress', 'ghost', 'ndjson'])
      expect(wordsOf(page)).toContain(`npm run -s admin -- import ${source} ${site.id} `)
  })

  it.each([
    [8.5, 'The file blog.xml was not imported: it is larger than 8 MiB. Use a command below.'],
    [9.5, 'The form is larger than we accept, so nothing was saved.'],
  ])('of a file of %d MiB is refused', async (mib, problem) => {
    const content = new Uint8Array(mib * 2 ** 20)
    content.set(strToU8('<?xml'))
    const page = await upload(await makeSite(), 'blog.xml', content)
    expect([page.status, wordsOf(page)]).toEqual([413, expect.stringContaining(problem)])
  })

  it('of a large file needs a session, and makes no query without one', async () => {
    const site = await makeSite()
    let status = 0
    const calls = await callsOf(async () => {
      status = (await upload(site, 'large.xml', new Uint8Array(20 * 2 ** 20), {}, 'other=1')).status
    })
    expect([status, calls]).toEqual([413, 0])
  })

  it.each([
    [
      'a zip that unpacks to more than the limit',
      'bomb.zip',
      () => zipSync({ 'a.md': new Uint8Array(25 * 2 ** 20) }, { level: 9 }),
      'The file is larger than 24 MiB unpacked.',
    ],
    [
      'a zip of too many files',
      'many.zip',
      () =>
        zipSync(
          Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`${at}.png`, new Uint8Array()])),
        ),
      'The file has more than 10,000 files.',
    ],
    ['a zip that is cut off', 'cut.zip', () => zipOf(BLOG).slice(0, 300), 'The file is damaged.'],
    [
      'a zip that is cut off after a file',
      'cut.zip',
      () => zipOf(BLOG).slice(0, -200),
      'The file is damaged.',
    ],
    [
      'a zip with a changed byte',
      'changed.zip',
      () => {
        const bytes = zipSync({ 'a.md': strToU8('# Title') }, { level: 0 })
        bytes[HEADER_BYTES + 'a.md# '.length]! ^= 1
        return bytes
      },
      'The file is damaged.',
    ],
    [
      'a zip whose directory lacks a file that its end counts',
      'lacks.zip',
      () => {
        const bytes = zipSync({ 'a.md': strToU8('# A'), 'b.md': strToU8('# B') })
        const end = bytes.slice(-END_BYTES)
        end[12]! -= 50
        return new Uint8Array([...bytes.slice(0, -END_BYTES - 50), ...end])
      },
      'The file is damaged.',
    ],
    [
      'a zip64 file',
      'large.zip',
      () => {
        const bytes = zipOf(BLOG)
        bytes.fill(0xff, bytes.length - 14, bytes.length - 2)
        return bytes
      },
      'The file is a zip64 file: pack fewer or smaller files.',
    ],
    [
      'a zip with a password',
      'secret.zip',
      () => {
        const bytes = zipSync({ 'a.md': strToU8('# A') })
        bytes[bytes.length - END_BYTES - 50 + 8]! |= 1
        return bytes
      },
      'The file has a password.',
    ],
    [
      'a zip with a long name',
      'name.zip',
      () => zipOf({ [`${'n'.repeat(300)}.md`]: '# A' }),
      'The file has a file name of more than 255 bytes.',
    ],
    [
      'a zip that leads out of its folder',
      'slip.zip',
      () => zipOf({ '../../evil.md': '# Evil' }),
      'No .md, .markdown or .mdx file',
    ],
    [
      'a file of very many small articles',
      'many.xml',
      () => wxr(Array.from({ length: 20_001 }, (_, id) => itemOf(id + 1, '')).join('')),
      'The file has more than 20,000 articles. Check it, or choose another one.',
    ],
    [
      'a feed that is no export',
      'feed.xml',
      () => '<rss><channel></channel></rss>',
      'The file is not a WordPress export',
    ],
    ['JSON of something else', 'other.json', () => '{"a":1}', 'The file is not an export of Ghost'],
    [
      'an export without its end',
      'cut.ndjson',
      () => '{"format":"headless-content-api/1"}\n',
      'The file is incomplete: it ends after line 1',
    ],
    [
      'a file of which all is refused',
      'nul.md',
      () => 'A\u0000',
      'Nothing to import: everything in the file is refused. See the reasons below, correct the file',
    ],
    [
      'a zip without articles',
      'readme.zip',
      () => zipOf({ 'README.md': 'Read me' }),
      'Nothing to import: the file has no posts or guides.',
    ],
    [
      'a document that would take the Worker too long',
      'long.md',
      () => 'line\n'.repeat(1_501),
      'More than 1,500 lines: only the command line imports it',
    ],
    [
      'a WordPress item of many lines',
      'long.xml',
      () => wxr(itemOf(1, 'a\n\n'.repeat(10_001))),
      'More than 10,000 elements: only the command line imports it',
    ],
    [
      'a Ghost post of many paragraphs',
      'long.json',
      () => ghostOf({ html: '<p>'.repeat(10_001) }),
      'More than 10,000 elements: only the command line imports it',
    ],
    [
      'a Ghost post with a long Markdown card',
      'long.json',
      () =>
        ghostOf({ lexical: JSON.stringify({ root: { type: 'markdown', markdown: 'a\n'.repeat(1_500) } }) }),
      'More than 1,500 lines: only the command line imports it',
    ],
  ])('of %s imports nothing, and says why first', async (_, name, content, problem) => {
    const site = await makeSite()
    const { words, page } = await preview(site, name, content() as Content)
    expect(words).toContain(problem)
    expect((await visit(page, { cookie: admin })).text).not.toContain('/start"')
    expect(await slugsOf(site)).toEqual([])
  })

  it('runs once at a time in a site, and another one says so', async () => {
    const site = await makeSite()
    const { page } = await preview(site, 'first.md', '# First')
    await runSql(
      "update imports set phase = 'importing', confirmed_at = now(), turned_at = now(), turn = 99 where site_id = $1",
      [site.id],
    )
    const second = await upload(site, 'second.md', '# Second')
    expect([second.status, wordsOf(second)]).toEqual([
      409,
      expect.stringContaining(
        'Nothing was imported. Another import is running: try again when it has ended.',
      ),
    ])
    expect(wordsOf(await visit(transferOf(site), { cookie: admin }))).toContain(
      'Running: first.md by OPERATOR_TOKEN',
    )
    await visit(`${page}/stop`, { cookie: admin, form: {} })
    expect(wordsOf(await ended(page))).toContain('It was stopped. Import the file again to continue')
    expect((await upload(site, 'second.md', '# Second')).status).toBe(303)
  })

  it('survives an outage: the sweep repeats the turn, and the report counts what was saved before', async () => {
    const site = await makeSite()
    const { page } = await preview(site, 'blog.zip', zipOf(BLOG))
    // Without the message that the console sends.
    const [turn] = (await runSql(
      "update imports set phase = 'importing', confirmed_at = now() where site_id = $1 returning id, turn",
      [site.id],
    )) as [Turn]
    expect(await interruptTurn(turn, 'lock_site')).toBeGreaterThan(0)
    const { text } = await visit(page, { cookie: admin })
    expect(text).toContain('<progress')
    expect(text).toContain('<noscript><meta http-equiv="refresh" content="5"/></noscript>')
    await sweepLater(turn)
    expect(wordsOf(await ended(page))).toContain('Created 2 Updated 0 Unchanged 0 Not imported 1')
  })

  it('survives an outage during its check, and two in a row end it without a word of SQL', async () => {
    const site = await makeSite()
    const { page } = await preview(site, 'a.md', '# A')
    const check = async () => {
      const [turn] = (await runSql(
        "update imports set phase = 'checking', report = null where site_id = $1 returning id, turn",
        [site.id],
      )) as [Turn]
      return turn
    }
    const turn = await check()
    await interruptTurn(turn, 'import_parts')
    await sweepLater(turn)
    expect(wordsOf(await ended(page))).toContain('New 1 ')
    expect((await visit(page, { cookie: admin })).text).toContain('/start"')

    const { turn: next, id } = await check()
    for (const again of [0, 1, 2]) await interruptTurn({ id, turn: next + again }, 'import_parts')
    expect(wordsOf(await ended(page))).toContain(
      'The service failed. Import the file again, or choose another one.',
    )
  })

  it('keeps one checked file in a site: the next one replaces it', async () => {
    const site = await makeSite()
    const { page } = await preview(site, 'first.md', '# First')
    const [{ id: left }] = (await runSql(
      `insert into imports (site_id, name, source, options, address, created_at)
      values ($1, 'left.md', 'markdown', '{}', '', now() - interval '2 minutes') returning id`,
      [site.id],
    )) as [{ id: string }]
    expect((await visit(page.replace(/[^/]+$/, left), { cookie: admin })).status).toBe(404)
    await preview(site, 'second.md', '# Second')
    expect(wordsOf(await visit(page, { cookie: admin }))).toContain(
      'Another file replaced it. Import the file again',
    )
    const kept = await runSql(
      `select name, phase, count(import_id)::integer as parts from imports left join import_parts on import_id = id
      where site_id = $1 group by id order by name`,
      [site.id],
    )
    expect(kept).toEqual([
      { name: 'first.md', phase: 'ended', parts: 0 },
      // The file, and what was converted of it.
      { name: 'second.md', phase: 'checked', parts: 2 },
    ])
  })

  it('counts killed turns until one comes further than all before', async () => {
    const site = await makeSite()
    const { page } = await preview(site, 'a.md', '# A')
    let [{ id, turn }] = (await runSql(
      "update imports set phase = 'importing', confirmed_at = now(), done = 0 where site_id = $1 returning id, turn",
      [site.id],
    )) as [Turn]
    const ctx = testContext()
    const killedAt = async (done: number) => {
      const claimed = await claimTurn(ctx, id, turn++)
      if (claimed) await saveProgress(ctx, claimed, { done: 25, total: 100 })
      if (claimed) await saveProgress(ctx, claimed, { done, total: 100 })
      return claimed !== null
    }
    const isContinued = []
    for (const done of [50, 75, 100, 100, 100]) isContinued.push(await killedAt(done))
    expect(isContinued).toEqual([true, true, true, true, false])
    expect(wordsOf(await visit(page, { cookie: admin }))).toContain(
      'Two attempts ran out of time or memory. Import the file again to continue',
    )
  })

  it('stores no file while another one runs, and no results after its end', async () => {
    const site = await makeSite()
    const { page } = await preview(site, 'a.md', '# A')
    const [{ id, turn }] = (await runSql(
      "update imports set phase = 'importing', confirmed_at = now(), turned_at = now() where site_id = $1 returning id, turn",
      [site.id],
    )) as [Turn]
    const statements = await statementsOf(() => upload(site, 'b.md', '# B'))
    expect(statements.filter((statement) => /^insert into "import/.test(statement))).toEqual([])
    const ctx = testContext()
    const claimed = await claimTurn(ctx, id, turn)
    await keepConverted(ctx, claimed!, 0, '[]')
    const partsOf = () => runSql('select from import_parts where import_id = $1', [id])
    expect(await partsOf()).toHaveLength(2)
    await visit(`${page}/stop`, { cookie: admin, form: {} })
    await keepConverted(ctx, claimed!, 1, '[]')
    expect(await partsOf()).toEqual([])
  })

  it('that nobody confirms is deleted after a day, its file first', async () => {
    const site = await makeSite()
    await preview(site, 'a.md', '# A')
    await runSql("update imports set created_at = now() - interval '25 hours' where site_id = $1", [site.id])
    const statements = await statementsOf(() => pruneImports(testContext()))
    expect(statements.map((statement) => /^delete from "(\w+)"/.exec(statement)?.[1])).toEqual([
      'import_parts',
      'imports',
    ])
    expect(await runSql('select from imports where site_id = $1', [site.id])).toEqual([])
  })

  it('logs its requests with its id', async () => {
    const site = await makeSite()
    const log = vi.spyOn(console, 'log')
    const { page } = await preview(site, 'a.md', '# A')
    const lines = log.mock.calls.map(([line]) => String(line))
    log.mockRestore()
    const own = lines.filter((line) => line.includes(`"requestId":"${page.split('/').at(-1)}"`))
    expect(own.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ event: 'request', path: `/manage/v1/sites/${site.id}` }),
    )
  })

  it('waits in a queue of its own, which runs one in an invocation', async () => {
    const site = await makeSite()
    const sent: unknown[] = []
    const importQueue = { ...lossyQueue, send: async (message: unknown) => void sent.push(message) }
    const ctx = testContext({ queue: lossyQueue, importQueue: importQueue as unknown as typeof lossyQueue })
    const file = { name: 'a.md', source: 'markdown', options: {}, bytes: strToU8('# A') } as const
    const importId = await startImport(ctx, site, file)
    expect(sent).toEqual([{ kind: 'import', importId, turn: 0 }])
    const { producers, consumers } = (parse(wrangler) as Settings).queues
    const queue = producers.find(({ binding }) => binding === 'IMPORTS')?.queue
    expect(consumers.find((consumer) => consumer.queue === queue)).toMatchObject({ max_batch_size: 1 })
  })

  it('needs an editor of the site', async () => {
    const site = await makeSite()
    const viewer = await editorOf(site, 'viewer')
    expect((await upload(site, 'a.md', '# A', {}, viewer)).status).toBe(403)
    expect((await visit(transferOf(site), { cookie: viewer })).text).toMatch(/<fieldset[^>]* disabled/)
    const other = await makeSite()
    expect((await upload(site, 'a.md', '# A', {}, await editorOf(other))).status).toBe(404)
    const { page } = await preview(site, 'a.md', '# A')
    expect((await visit(`${page}/start`, { cookie: viewer, form: {} })).status).toBe(403)
    expect((await visit(page.replace(site.id, other.id), { cookie: admin })).status).toBe(404)
  })

  it.each([
    ['is removed', 'was removed from People', (id: string) => manage('DELETE', `/operators/${id}`)],
    [
      'becomes a viewer',
      'no longer has the role editor',
      (id: string) => manage('PATCH', `/operators/${id}`, { role: 'viewer' }),
    ],
    [
      'loses the site',
      'can no longer open this site',
      async (id: string) => manage('PATCH', `/operators/${id}`, { sites: [(await makeSite()).id] }),
    ],
    [
      'loses the token',
      'the token or link that started it was revoked or has expired',
      async (id: string) => {
        const { tokens } = await manage('GET', `/operators/${id}`)
        return manage('PUT', `/operators/${id}/tokens/${tokens[0]!.id}/revocation`)
      },
    ],
  ])('ends when the person who confirmed it %s', async (_, problem, change) => {
    const site = await makeSite()
    const editor = await editorOf(site)
    const { page } = await preview(site, 'a.md', '# A', {}, editor)
    // Without the message that the console sends.
    const [{ id, turn, started_by_id: person }] = (await runSql(
      `update imports set phase = 'importing', confirmed_at = now() where site_id = $1
      returning id, turn, started_by_id`,
      [site.id],
    )) as [Turn & { started_by_id: string }]
    await change(person)
    await hand([{ kind: 'import', importId: id, turn }])
    const words = wordsOf(await ended(page))
    expect(words).toContain('Import ended early')
    expect(words.toLowerCase()).toContain(`${problem.toLowerCase()}.`)
    expect(words).toContain('Import the file again to continue')
    expect(await slugsOf(site)).toEqual([])
  })

  it('runs as the person who confirms it, and only an admin confirms one with settings', async () => {
    const site = await makeSite()
    const editor = await editorOf(site)
    const file = (await visit(`${transferOf(site)}/export`, { cookie: admin })).text
    const withSettings = await preview(site, 'export.ndjson', file, { settings: 'on' })
    const { text } = await visit(withSettings.page, { cookie: editor })
    expect(text).not.toContain('/start"')
    expect(text).toContain('Only admins can change this')
    expect((await visit(`${withSettings.page}/start`, { cookie: editor, form: {} })).status).toBe(403)
    expect((await visit(withSettings.page, { cookie: admin })).text).toContain('/start"')
    const { page } = await preview(site, 'a.md', '# A')
    await visit(`${page}/start`, { cookie: editor, form: {} })
    expect(wordsOf(await ended(page))).toContain('Created 1')
    const { items } = await manage('GET', `${site.path}/audit-log?limit=100`)
    const created = items.filter(({ action }) => action === 'post.created')
    expect(created).toEqual([expect.objectContaining({ actor: expect.stringMatching(/^editor-/) })])
  })
})

type Settings = {
  queues: {
    producers: { binding: string; queue: string }[]
    consumers: { queue: string; max_batch_size: number }[]
  }
}

type Turn = { id: string; turn: number }

/** Runs a turn while calls to Postgres with this text fail after they have taken effect. */
async function interruptTurn({ id, turn }: Turn, text: string) {
  let broken = 0
  const spy = interceptFetch(async (fetch, input, init) => {
    const answer = await fetch(input, init)
    if (!String(init?.body).includes(text)) return answer
    broken += 1
    return new Response('The connection broke', { status: 500 })
  })
  await hand([{ kind: 'import', importId: id, turn }])
  spy.mockRestore()
  return broken
}

/** The next sweep, on the clock that this test moves. */
async function sweepLater({ id }: Turn) {
  await runSql("update imports set turned_at = now() - interval '2 minutes' where id = $1", [id])
  await runCron()
}

function wxr(items: string) {
  return `<?xml version="1.0"?><rss xmlns:wp="w" xmlns:content="c"><channel><title>Blog</title><link>https://blog.example.com</link><wp:wxr_version>1.2</wp:wxr_version><wp:base_blog_url>https://blog.example.com</wp:base_blog_url>${items}</channel></rss>`
}

function itemOf(id: number, body: string) {
  return `<item><title>T</title><wp:post_id>${id}</wp:post_id><wp:post_type>post</wp:post_type><content:encoded><![CDATA[${body}]]></content:encoded></item>`
}

function ghostOf(...posts: object[]) {
  const rows = posts.map((post, at) => ({ id: String(at + 1), slug: `s${at}`, title: 'T', ...post }))
  return JSON.stringify({ db: [{ data: { posts: rows } }] })
}

async function editorOf(site: TestSite, role = 'editor'): Promise<string> {
  const person = { name: `${role}-${crypto.randomUUID()}`, role, sites: [site.id] }
  const { id } = await manage('POST', '/operators', person)
  const { token } = await manage('POST', `/operators/${id}/tokens`, {})
  return cookieOf(await trySignIn(token))
}

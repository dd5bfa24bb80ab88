import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { adminJson, folderOf, importMarkdown, startAdmin } from '../support/admin.ts'
import { startManageServer, storingScript, TOKEN } from '../support/manage-server.ts'

const post = (title: string, fields = '') => `---\ntitle: ${title}\n${fields}\n---\nbody`
const temporaryFiles = () => readdirSync(tmpdir()).filter((name) => name.startsWith('import-'))

describe('--dry-run', () => {
  it('puts nothing, and reports items that the service would refuse', async () => {
    const files = {
      'a.md': post('A', 'weight: 1'),
      'b.md': post('x'.repeat(501)),
      'c.md': post('C', 'lang: "?"'),
      'd.md': '',
      'e.md': post('E', 'image: e.png'),
    }
    const { json, code, asked } = await importMarkdown(files, '--dry-run', '--json')
    expect(json).toEqual({
      found: 2,
      skipped: [
        { file: 'b.md', reason: 'Invalid body: title must be at most 500 characters' },
        { file: 'c.md', reason: 'Invalid body: language must be a language code such as en or pt-BR' },
        { file: 'd.md', reason: 'empty' },
      ],
      notTakenOver: [{ file: 'a.md', field: 'weight', reason: 'posts have no such field' }],
      images: [{ file: 'e.md', src: 'e.png', to: null }],
    })
    expect(code).toBe(1)
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['GET']))
  })
})

describe('files that are not Markdown', () => {
  it('are imported if they are HTML with front matter; other markup is named', async () => {
    const files = {
      '_posts/2020-01-02-a.html':
        '---\ntitle: A\n---\n<h2>B</h2>{% include x %}<p onclick="x">*c*</p><object>d</object>',
      '_layouts/post.html': '---\nlayout: default\n---\n{{ content }}',
      'page.html': '<p>served as it is</p>',
      'b.org': '* B',
      'c.adoc': '= C',
      'd.rst': 'D',
    }
    const { json, articles } = await importMarkdown(files, '--json')
    expect(articles).toMatchObject({
      a: { title: 'A', publishedAt: '2020-01-02T00:00:00.000Z', contentHtml: '<h2 id="b">B</h2><p>*c*</p>' },
    })
    expect(json).toMatchObject({
      imported: 1,
      skipped: [
        ...['b.org', 'c.adoc', 'd.rst'].map((file) => ({ file, reason: 'neither Markdown nor HTML' })),
        { file: 'page.html', reason: 'HTML without metadata' },
      ],
      notTakenOver: ['not allowed in a body: object', 'left out, but its text is kept: {% include %}'].map(
        (reason) => ({
          file: '_posts/2020-01-02-a.html',
          field: 'contentHtml',
          reason,
        }),
      ),
    })
  })
})

describe('--include-drafts', () => {
  it.each([
    [[], 'draft'],
    [['--include-drafts'], 'published'],
  ])('publishes drafts, which stay drafts without it: %j', async (flags, status) => {
    const files = { '_drafts/a.md': post('A'), 'b.md': post('B', 'draft: true') }
    const { articles } = await importMarkdown(files, '--status', 'published', ...flags)
    expect(articles).toMatchObject({ a: { status }, b: { status } })
  })
})

describe('a file of an export', () => {
  const importLines = async (lines: object[], script = storingScript().script) => {
    await using server = await startManageServer(script)
    const all = [{ format: 'headless-content-api/1', settings: { name: 'S' } }, ...lines, { type: 'end' }]
    await using folder = await folderOf({ 'site.ndjson': all.map((line) => JSON.stringify(line)).join('\n') })
    const file = join(folder.path, 'site.ndjson')
    const run = await adminJson(server.url, 'import', 'ndjson', 's1', file, '--no-settings')
    return { ...run, put: server.asked.flatMap(({ body }) => body?.posts ?? []) as { slug: string }[] }
  }
  const line = (fields: object) => ({
    ...{ type: 'post', id: 'id', post: { title: 'T', contentHtml: '<p>x</p>', ...fields } },
  })
  const [nfc, nfd] = ['caf\u00e9', 'cafe\u0301']

  it('has one post for a slug in NFC and the same in NFD: the second is skipped and named', async () => {
    const { json, code } = await importLines([line({ slug: nfc }), line({ slug: nfd })])
    const skipped = [{ file: 'line 3', reason: `the slug ${nfc} is taken by line 2` }]
    expect(json).toMatchObject({ imported: 1, skipped })
    expect(code).toBe(1)
  })

  it('puts a source before its translations, in NFC or NFD', async () => {
    const lines = [{ slug: 'c', sourceSlug: nfd }, { slug: nfc, sourceSlug: 'a' }, { slug: 'a' }]
    const { put } = await importLines(lines.map(line))
    expect(put.map(({ slug }) => slug)).toEqual(['a', nfc, 'c'])
  })

  it('has training rows added in bodies that the API accepts, however large they are', async () => {
    const { script } = storingScript()
    const rows = Array.from({ length: 120 }, (_, n) => ({
      ...{ type: 'trainingRow', id: `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, '0')}` },
      row: { prompt: 'p', completion: 'c'.repeat(100_000) },
    }))
    const { json } = await importLines(rows, (asked) => {
      if (!asked.path.endsWith('/training-rows')) return script(asked)
      return asked.bytes > 8 * 1024 * 1024
        ? { status: 413, body: { error: 'Request body too large' } }
        : { status: 200, body: { added: asked.body.rows.length } }
    })
    expect(json).toMatchObject({ trainingRows: 120, skipped: [] })
  })
})

describe('an interrupted run', () => {
  it('leaves no temporary files, and the next run continues', async () => {
    const before = temporaryFiles()
    const { script, stored } = storingScript()
    let isHanging = true
    let heard = () => {}
    const put = new Promise<void>((resolve) => {
      heard = resolve
    })
    await using server = await startManageServer((asked) => {
      if (asked.method !== 'PUT' || !isHanging || stored.size === 0) return script(asked)
      heard()
      return 'hang'
    })
    await using folder = await folderOf(
      Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`p${i}.md`, post('P')])),
    )
    const connection = ['--url', server.url, '--token', TOKEN]
    const child = startAdmin([...connection, 'import', 'markdown', 's1', folder.path])
    await put
    child.kill('SIGKILL')
    await once(child, 'close')
    expect(temporaryFiles().filter((name) => !before.includes(name))).toEqual([])
    isHanging = false
    const { json } = await adminJson(server.url, 'import', 'markdown', 's1', folder.path)
    expect(json).toMatchObject({ imported: 50, unchanged: 100, updated: 0 })
  })
})

import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { admin, adminJson, folderOf, startAdmin } from '../support/admin.ts'
import { startManageServer, storingScript, TOKEN } from '../support/manage-server.ts'

const post = (title: string, fields = '') => `---\ntitle: ${title}\n${fields}\n---\nbody`
const temporaryFiles = () => readdirSync(tmpdir()).filter((name) => name.startsWith('import-'))

describe('--dry-run', () => {
  it('puts nothing, and reports items that the service would refuse', async () => {
    await using server = await startManageServer(storingScript().script)
    await using folder = await folderOf({
      'a.md': post('A', 'weight: 1'),
      'b.md': post('x'.repeat(501)),
      'c.md': post('C', 'lang: "?"'),
      'd.md': '',
      'e.md': post('E', 'image: e.png'),
    })
    const { json, code } = await adminJson(server.url, 'import', 'markdown', 's1', folder.path, '--dry-run')
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
    expect(new Set(server.asked.map(({ method }) => method))).toEqual(new Set(['GET']))
  })
})

describe('files that are not Markdown', () => {
  it('are imported if they are HTML with front matter; other markup is named', async () => {
    const { script, stored } = storingScript()
    await using server = await startManageServer(script)
    await using folder = await folderOf({
      '_posts/2020-01-02-a.html':
        '---\ntitle: A\n---\n<h2>B</h2>{% include x %}<p onclick="x">*c*</p><object>d</object>',
      '_layouts/post.html': '---\nlayout: default\n---\n{{ content }}',
      'page.html': '<p>served as it is</p>',
      'b.org': '* B',
      'c.adoc': '= C',
      'd.rst': 'D',
    })
    const { json } = await adminJson(server.url, 'import', 'markdown', 's1', folder.path)
    expect([...stored.values()].map((text) => JSON.parse(text))).toMatchObject([
      {
        slug: 'a',
        title: 'A',
        publishedAt: '2020-01-02T00:00:00.000Z',
        contentHtml: '<h2 id="b">B</h2><p>*c*</p>',
      },
    ])
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
  const files = { '_drafts/a.md': post('A'), 'b.md': post('B', 'draft: true') }

  it('publishes drafts, which stay drafts without it', async () => {
    const { script, stored } = storingScript()
    await using server = await startManageServer(script)
    await using folder = await folderOf(files)
    const args = ['import', 'markdown', 's1', folder.path, '--status', 'published']
    const statuses = () => [...stored.values()].map((text) => JSON.parse(text).status)
    await adminJson(server.url, ...args)
    expect(statuses()).toEqual(['draft', 'draft'])
    await adminJson(server.url, ...args, '--include-drafts')
    expect(statuses()).toEqual(['published', 'published'])
  })

  it.each([[[]], [['--status', 'draft']]])('is refused with %j', async (flags) => {
    await using folder = await folderOf(files)
    const args = ['import', 'markdown', 's1', folder.path, '--include-drafts', ...flags]
    const { json, code } = await adminJson('http://127.0.0.1:9', ...args)
    expect({ json, code }).toEqual({ json: { error: '--include-drafts needs --status published' }, code: 1 })
  })
})

describe('guides', () => {
  it('lose fields that only posts have, which are named', async () => {
    const { script, stored } = storingScript()
    await using server = await startManageServer(script)
    await using folder = await folderOf({
      'a.md': post('A', 'tags: [x]\nauthor: Ada\nlang: de\ndescription: D'),
    })
    const { json } = await adminJson(server.url, 'import', 'markdown', 's1', folder.path, '--as', 'guides')
    expect(JSON.parse(stored.get('a')!)).toEqual({
      slug: 'a',
      title: 'A',
      contentHtml: '<p>body</p>',
      excerpt: 'D',
    })
    expect(json.notTakenOver).toEqual(
      ['language', 'authors', 'tags'].map((field) => ({
        file: 'a.md',
        field,
        reason: 'guides have no such field',
      })),
    )
  })
})

describe('the report as text', () => {
  it('has one line for a loss in many files', async () => {
    await using server = await startManageServer(storingScript().script)
    await using folder = await folderOf(
      Object.fromEntries(
        Array.from({ length: 30 }, (_, i) => [`p${i}.md`, `${post('P', 'layout: x')}\n![](i${i}.png)`]),
      ),
    )
    const { stdout } = await admin([
      '--url',
      server.url,
      '--token',
      TOKEN,
      'import',
      'markdown',
      's1',
      folder.path,
    ])
    expect(stdout).toBe(
      'Not imported: layout (30 files, the first is p0.md): posts have no such field\n' +
        '30 images and other files, 0 with a new address; --report FILE lists them\n' +
        '30 imported, 0 updated, 0 unchanged, 0 skipped\n',
    )
  })
})

describe('translations', () => {
  it('come after their sources, and translations of translations last, whatever the order of the files', async () => {
    const { script } = storingScript()
    await using server = await startManageServer(script)
    await using folder = await folderOf({
      'a.md': post('A', 'lang: fr\nsourceSlug: b'),
      'b.md': post('B', 'lang: de\nsourceSlug: c'),
      'c.md': post('C'),
      'd.md': post('D', 'lang: de\nsourceSlug: c'),
      'e.md': post('E', 'lang: fr\nsourceSlug: d'),
    })
    await adminJson(server.url, 'import', 'markdown', 's1', folder.path)
    const put = server.asked.flatMap(({ body }) => body?.posts ?? []) as { slug: string }[]
    expect(put.map(({ slug }) => slug)).toEqual(['c', 'b', 'd', 'a', 'e'])
  })
})

describe('a slug in NFC and the same in NFD', () => {
  const [nfc, nfd] = ['caf\u00e9', 'cafe\u0301']
  const exportOf = (...posts: object[]) =>
    [
      { format: 'headless-content-api/1', siteId: 's0', settings: { name: 'S' } },
      ...posts.map((each) => ({
        type: 'post',
        id: 'id',
        post: { title: 'T', contentHtml: '<p>x</p>', ...each },
      })),
      { type: 'end' },
    ]
      .map((line) => JSON.stringify(line))
      .join('\n')

  it('are one post: the second is skipped and named', async () => {
    await using server = await startManageServer(storingScript().script)
    await using folder = await folderOf({ 'site.ndjson': exportOf({ slug: nfc }, { slug: nfd }) })
    const file = join(folder.path, 'site.ndjson')
    const { json, code } = await adminJson(server.url, 'import', 'ndjson', 's1', file, '--no-settings')
    expect(json).toMatchObject({
      imported: 1,
      skipped: [{ file: 'line 3', reason: `the slug ${nfc} is taken by line 2` }],
    })
    expect(code).toBe(1)
  })

  it('are one source of translations', async () => {
    await using server = await startManageServer(storingScript().script)
    await using folder = await folderOf({
      'site.ndjson': exportOf({ slug: 'c', sourceSlug: nfd }, { slug: nfc, sourceSlug: 'a' }, { slug: 'a' }),
    })
    const file = join(folder.path, 'site.ndjson')
    await adminJson(server.url, 'import', 'ndjson', 's1', file, '--no-settings')
    const put = server.asked.flatMap(({ body }) => body?.posts ?? []) as { slug: string }[]
    expect(put.map(({ slug }) => slug)).toEqual(['a', nfc, 'c'])
  })
})

describe('training rows of an export', () => {
  it('are added in bodies that the API accepts, however large they are', async () => {
    const { script } = storingScript()
    await using server = await startManageServer((asked) => {
      if (!asked.path.endsWith('/training-rows')) return script(asked)
      const isTooLarge = asked.bytes > 8 * 1024 * 1024
      return isTooLarge
        ? { status: 413, body: { error: 'Request body too large' } }
        : { status: 200, body: { added: asked.body.rows.length } }
    })
    const row = (n: number) => ({
      type: 'trainingRow',
      id: `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, '0')}`,
      row: { prompt: 'p', completion: 'c'.repeat(100_000) },
    })
    const lines = [
      { format: 'headless-content-api/1', settings: {} },
      ...Array.from({ length: 120 }, (_, n) => row(n)),
      { type: 'end' },
    ]
    await using folder = await folderOf({
      'site.ndjson': lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    })
    const file = join(folder.path, 'site.ndjson')
    const { json } = await adminJson(server.url, 'import', 'ndjson', 's1', file, '--no-settings')
    expect(json).toMatchObject({ trainingRows: 120, skipped: [] })
  })
})

describe('a token that may not write', () => {
  it('is refused once, not for each article', async () => {
    const { script } = storingScript()
    await using server = await startManageServer((asked) =>
      asked.method === 'PUT' ? { status: 403, body: { error: 'Needs the role editor' } } : script(asked),
    )
    await using folder = await folderOf({ 'a.md': post('A'), 'b.md': post('B') })
    const { json, code } = await adminJson(server.url, 'import', 'markdown', 's1', folder.path)
    expect([json.error, code]).toEqual([expect.stringContaining('Needs the role editor'), 1])
    expect(server.asked.filter(({ method }) => method === 'PUT')).toHaveLength(1)
  })
})

describe('an interrupted run', () => {
  it.each(['SIGINT', 'SIGKILL'] as const)(
    'by %s leaves no temporary files, and the next run continues',
    async (signal) => {
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
      const child = startAdmin([
        '--url',
        server.url,
        '--token',
        TOKEN,
        'import',
        'markdown',
        's1',
        folder.path,
      ])
      await put
      child.kill(signal)
      expect((await once(child, 'close'))[1]).toBe(signal)
      expect(temporaryFiles().filter((name) => !before.includes(name))).toEqual([])
      isHanging = false
      const { json } = await adminJson(server.url, 'import', 'markdown', 's1', folder.path)
      expect(json).toMatchObject({ imported: 50, unchanged: 100, updated: 0 })
    },
  )
})

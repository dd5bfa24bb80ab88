import { beforeAll, describe, expect, it } from 'vitest'
import { cookieOf, decode, signIn, trySignIn, visit, wordsOf } from '../../support/console.ts'
import { putGuide } from '../../support/content.ts'
import { makeSite, manage, ORIGIN, type TestSite } from '../../support/site.ts'

type Line = Record<string, unknown> & { type?: string }

let admin: string
let site: TestSite
let path: string
beforeAll(async () => {
  admin = await signIn()
  site = await makeSite({ name: 'Source', domain: 'source.example.com' })
  path = `/console${site.path}/settings/transfer`
  await site.put('source', { status: 'published', title: 'Ünï <b>"quoted"</b> & \u2028 lines' })
  await site.put('quelle', { language: 'de', sourceSlug: 'source' })
  await site.put('gone')
  await site.manage('DELETE', '/posts/gone')
  await putGuide(site, 'guide')
  await site.manage('PUT', '/redirects', { redirects: [{ from: '/old', to: '/new' }] })
  await site.manage('POST', '/training-rows', { rows: [{ prompt: 'P', completion: 'C' }] })
})

const pathOf = ({ path }: TestSite) => `/console${path}/settings/transfer`
const exported = async (from = path, cookie = admin) => (await visit(`${from}/export`, { cookie })).text

/** Posts a file as a browser does. */
async function post(
  to: string,
  text: string | Uint8Array<ArrayBuffer>,
  fields: Record<string, string> = {},
  cookie = admin,
) {
  const form = new FormData()
  form.set('file', new File([text], 'export.ndjson'))
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return visit(to, { cookie, method: 'POST', body: form, headers: { Origin: ORIGIN } })
}

const contentOf = async (of: TestSite) => {
  const lines = (await exported(pathOf(of)))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
  return lines.slice(1).map(({ id: _, createdAt: __, updatedAt: ___, ...line }) => line)
}

describe('the export', () => {
  it('is the same file as from the command line, named after the domain and the day', async () => {
    const { status, headers, text } = await visit(`${path}/export`, { cookie: admin })
    expect(status).toBe(200)
    const day = new Date().toISOString().slice(0, 10)
    expect(headers.get('Content-Disposition')).toBe(`attachment; filename="source.example.com-${day}.ndjson"`)
    const lines = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line)
    expect(lines[0]).toMatchObject({
      format: 'headless-content-api/1',
      siteId: site.id,
      settings: { name: 'Source' },
    })
    expect(lines.slice(1).map(({ type }) => type)).toEqual([
      'post',
      'post',
      'guide',
      'redirect',
      'trainingRow',
      'end',
    ])
    expect(lines.at(-1)).toEqual({ type: 'end', posts: 2, guides: 1, redirects: 1, trainingRows: 1 })
  })
})

describe('the import', () => {
  it('is checked first, which writes nothing, and continues with the same file', async () => {
    const target = await makeSite({ name: 'Target' })
    await target.put('source')
    const broken = JSON.stringify({
      type: 'post',
      id: crypto.randomUUID(),
      post: { slug: 'broken', title: '' },
    })
    const file = (await exported()).replace('{"type":"guide"', `${broken}\n{"type":"guide"`)
    const check = await post(pathOf(target), file)
    expect(check.status).toBe(200)
    expect(wordsOf(check)).toMatch(
      /Would create 2 articles, update 1 article with the same slug .* refuse 1 line\./,
    )
    expect(wordsOf(check)).toMatch(/line 4 Invalid body: title .*contentHtml/)
    expect((await target.manage('GET', '/posts')).items).toHaveLength(1)
    const kept = decode(/<textarea name="file"[^>]*>([\s\S]*?)<\/textarea>/.exec(check.text)![1]!).replace(
      '\n',
      '',
    )
    const form = new FormData()
    form.set('file', kept)
    form.set('do', 'import')
    const done = await visit(pathOf(target), {
      cookie: admin,
      method: 'POST',
      body: form,
      headers: { Origin: ORIGIN },
    })
    expect(wordsOf(done)).toMatch(
      /2 articles created, 1 updated, 0 unchanged, 1 line refused\. Redirects: 1\. Training rows: 1\./,
    )
    expect(await contentOf(target)).toEqual(await contentOf(site))
    expect(await target.manage('GET', '')).toMatchObject({ name: 'Target' })
  })

  it('is also checked for content that cannot be stored', async () => {
    const target = await makeSite()
    const line = (slug: string, title: string) =>
      JSON.stringify({ type: 'post', id: 'x', post: { slug, title, contentHtml: 'x' } })
    const lines = [
      '{"format":"headless-content-api/1"}',
      line('a', 'A'),
      line('b', 'B\0'),
      line('c', 'C\ud800'),
    ]
    const file = `${lines.join('\n')}\n{"type":"end"}\n`
    const check = wordsOf(await post(pathOf(target), file))
    expect(check).toMatch(/Would create 1 article, .* refuse 2 lines\./)
    expect(check).toMatch(
      /line 3 Invalid body: title must not contain NUL line 4 Invalid body: title must be/,
    )
    expect(wordsOf(await post(pathOf(target), file, { do: 'import' }))).toMatch(
      /1 article created, .* 2 lines refused/,
    )
  })

  it('is one group in the audit log, by the person who is signed in, through the console', async () => {
    const target = await makeSite()
    await post(pathOf(target), await exported(), { do: 'import' })
    const { items } = await manage('GET', `${target.path}/audit-log?limit=100`)
    const imported = items.filter(({ channel }) => channel === 'console')
    expect(imported.length).toBeGreaterThan(0)
    expect(new Set(imported.map(({ changeset }) => changeset.id)).size).toBe(1)
  })

  it('refuses a file that cannot be read, and imports nothing from it', async () => {
    const target = await makeSite()
    const head = '{"format":"headless-content-api/1"}'
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const nested = `{"type":"post","id":"x","post":{"slug":"a","title":"T","contentHtml":"x","seo":${deep}}}`
    for (const [text, problem] of [
      ['{"a":1}\n', 'is not an export'],
      [
        '{"format":"headless-content-api/1","siteId":"x","settings":{}}\n',
        'is incomplete: it ends after line 1',
      ],
      [`${head}\n{"type"\n`, 'line 2, is not JSON'],
      [`${head}\n[1]\n`, 'line 2, must hold one object'],
      [new Uint8Array([0x7b, 0xff, 0xfe]), 'is not UTF-8 text'],
      ['', 'Choose a file first'],
      [`${head}\n${nested}\n{"type":"end"}\n`, ''],
    ] as const) {
      const page = await post(pathOf(target), text, { do: 'import' })
      expect(page.status).toBeLessThan(500)
      expect(wordsOf(page)).toContain(problem)
    }
    expect((await target.manage('GET', '/posts')).items).toEqual([])
  })

  it('of a file above 8 MiB names the command, and makes no query', async () => {
    const page = await post(path, 'x'.repeat(9.5 * 1024 * 1024))
    expect(page.status).toBe(413)
    expect(wordsOf(page)).toContain(`import ndjson ${site.id}`)
  })

  it('imports settings for admins only, and for an editor only data that an editor may write', async () => {
    const target = await makeSite({ name: 'Own name' })
    const editor = await manage('POST', '/operators', {
      name: `editor-${crypto.randomUUID()}`,
      role: 'editor',
      sites: [target.id],
    })
    const { token } = await manage('POST', `/operators/${editor.id}/tokens`, {})
    const cookie = cookieOf(await trySignIn(token))
    const file = await exported()
    expect((await post(path, file, { do: 'import' }, cookie)).status).toBe(404)
    expect((await post(pathOf(target), file, { do: 'import', settings: 'on' }, cookie)).status).toBe(200)
    expect(await target.manage('GET', '')).toMatchObject({ name: 'Own name' })
    await post(pathOf(target), file, { do: 'import', settings: 'on' })
    expect(await target.manage('GET', '')).toMatchObject({ name: 'Source' })
  })
})

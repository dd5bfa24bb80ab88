/** Export and import in the console. `test/cli/ndjson.test.ts` has the rules for files. */
import { beforeAll, describe, expect, it } from 'vitest'
import { cookieOf, decode, signIn, trySignIn, visit, wordsOf } from '../../support/console.ts'
import { putGuide } from '../../support/content.ts'
import { makeSite, manage, ORIGIN, type TestSite } from '../../support/site.ts'

type Line = Record<string, unknown> & { type?: string }

let admin: string
let site: TestSite
beforeAll(async () => {
  admin = await signIn()
  site = await makeSite({ name: 'Source', domain: 'source.example.com' })
  await site.put('source', { status: 'published', title: 'Ünï <b>"quoted"</b> & \u2028 lines' })
  await site.put('quelle', { language: 'de', sourceSlug: 'source' })
  await putGuide(site, 'guide')
  await site.manage('PUT', '/redirects', { redirects: [{ from: '/old', to: '/new' }] })
  await site.manage('POST', '/training-rows', { rows: [{ prompt: 'P', completion: 'C' }] })
})

const pathOf = ({ path }: TestSite) => `/console${path}/settings/transfer`
const exportOf = (from: TestSite) => visit(`${pathOf(from)}/export`, { cookie: admin })
const linesOf = ({ text }: { text: string }) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

/** Posts a file as a browser does. */
async function post(to: TestSite, file: string | Blob, fields: Record<string, string> = {}, cookie = admin) {
  const form = new FormData()
  form.set('file', new File([file], 'export.ndjson'))
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return visit(pathOf(to), { cookie, method: 'POST', body: form, headers: { Origin: ORIGIN } })
}

it('the export is the same file as from the command line, named after the domain and the day', async () => {
  const answer = await exportOf(site)
  const day = new Date().toISOString().slice(0, 10)
  expect([answer.status, answer.headers.get('Content-Disposition')]).toEqual([
    200,
    `attachment; filename="source.example.com-${day}.ndjson"`,
  ])
  const [head, ...lines] = linesOf(answer)
  expect(head).toMatchObject({
    format: 'headless-content-api/1',
    siteId: site.id,
    settings: { name: 'Source' },
  })
  const types = ['post', 'post', 'guide', 'redirect', 'trainingRow', 'end']
  expect(lines.map(({ type }) => type)).toEqual(types)
  expect(lines.at(-1)).toEqual({ type: 'end', posts: 2, guides: 1, redirects: 1, trainingRows: 1 })
})

describe('the import', () => {
  it('is checked first, which writes nothing, continues with the same file, and is one group in the audit log', async () => {
    const target = await makeSite({ name: 'Target' })
    await target.put('source')
    const broken = '{"type":"post","id":"x","post":{"slug":"broken","title":"","contentHtml":"A\\u0000"}}'
    const file = (await exportOf(site)).text.replace('{"type":"guide"', `${broken}\n{"type":"guide"`)
    const check = await post(target, file)
    expect(check.status).toBe(200)
    expect(wordsOf(check)).toMatch(
      /Would create 2 articles, update 1 article with the same slug .* refuse 1 line\./,
    )
    expect(wordsOf(check)).toMatch(/line 4 Invalid body: /)
    expect((await target.manage('GET', '/posts')).items).toHaveLength(1)
    const [, kept] = /<textarea name="file"[^>]*>\n?([\s\S]*?)<\/textarea>/.exec(check.text)!
    const done = await post(target, decode(kept!), { do: 'import' })
    expect(wordsOf(done)).toMatch(
      /2 articles created, 1 updated, 0 unchanged, 1 line refused\. Redirects: 1\. Training rows: 1\./,
    )
    const [one, other] = [linesOf(await exportOf(target)), linesOf(await exportOf(site))].map((lines) =>
      lines.slice(1).map(({ id: _, createdAt: __, updatedAt: ___, ...line }) => line),
    )
    expect(one).toEqual(other)
    expect(await target.manage('GET', '')).toMatchObject({ name: 'Target' })
    const { items } = await manage('GET', `${target.path}/audit-log?limit=100`)
    const imported = items.filter(({ channel }) => channel === 'console')
    expect(new Set(imported.map(({ changeset }) => changeset.id)).size).toBe(1)
    expect(new Set(imported.map(({ actor }) => actor))).toEqual(new Set(['OPERATOR_TOKEN']))
  })

  it('refuses a file that cannot be read, and imports nothing from it', async () => {
    const target = await makeSite()
    const head = '{"format":"headless-content-api/1"}'
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const nested = `{"type":"post","id":"x","post":{"slug":"a","title":"T","contentHtml":"x","seo":${deep}}}`
    for (const [file, problem] of [
      ['{"a":1}\n', 'is not an export'],
      [`${head}\n`, 'is incomplete: it ends after line 1'],
      [new Blob([new Uint8Array([0x7b, 0xff, 0xfe])]), 'is not UTF-8 text'],
      ['', 'Choose a file first'],
      [`${head}\n${nested}\n{"type":"end"}\n`, ''],
    ] as const) {
      const page = await post(target, file, { do: 'import' })
      expect(page.status).toBeLessThan(500)
      expect(wordsOf(page)).toContain(problem)
    }
    expect((await target.manage('GET', '/posts')).items).toEqual([])
  })

  it('of a file above 8 MiB names the command, and makes no query', async () => {
    const page = await post(site, 'x'.repeat(9.5 * 1024 * 1024))
    expect(page.status).toBe(413)
    expect(wordsOf(page)).toContain(`import ndjson ${site.id}`)
  })

  it('imports settings for admins only, and for an editor only data that an editor may write', async () => {
    const target = await makeSite({ name: 'Own name' })
    const person = { name: `editor-${crypto.randomUUID()}`, role: 'editor', sites: [target.id] }
    const { id } = await manage('POST', '/operators', person)
    const { token } = await manage('POST', `/operators/${id}/tokens`, {})
    const editor = cookieOf(await trySignIn(token))
    const { text } = await exportOf(site)
    expect((await post(site, text, { do: 'import' }, editor)).status).toBe(404)
    expect((await post(target, text, { do: 'import', settings: 'on' }, editor)).status).toBe(200)
    expect(await target.manage('GET', '')).toMatchObject({ name: 'Own name' })
    await post(target, text, { do: 'import', settings: 'on' })
    expect(await target.manage('GET', '')).toMatchObject({ name: 'Source' })
  })
})

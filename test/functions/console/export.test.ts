/** The export as a download. `test/cli/export.test.ts` has the rules for files. */
import { createExecutionContext } from 'cloudflare:test'
import { beforeAll, expect, it } from 'vitest'
import worker from '../../../functions/worker.ts'
import { ndjsonFile } from '../../../src/transfer/ndjson.ts'
import { signIn, visit } from '../../support/console.ts'
import { bindings } from '../../support/context.ts'
import { makeSite, ORIGIN, type TestSite } from '../../support/site.ts'

/** More than a Worker reads ahead. */
const POSTS = 300

let site: TestSite
beforeAll(async () => {
  site = await makeSite()
  const posts = Array.from({ length: POSTS }, (_, at) => ({
    slug: `post-${at}`,
    title: `Post ${at}`,
    contentHtml: `<p>${'word '.repeat(600)}</p>`,
  }))
  for (let from = 0; from < POSTS; from += 100)
    await site.manage('PUT', '/posts', { posts: posts.slice(from, from + 100) })
})

/** The open download, after its first chunk. */
async function openExport(cookie: string) {
  const path = `/console${site.path}/settings/transfer/export`
  const request = new Request(ORIGIN + path, { headers: { Cookie: cookie } })
  const response = await worker.fetch(request, { ...bindings }, createExecutionContext())
  const chunks = response.body!.getReader()
  const decoder = new TextDecoder()
  const read = async () => {
    const { done, value } = await chunks.read()
    return done ? null : decoder.decode(value, { stream: true })
  }
  const first = (await read())!
  const rest = async () => {
    let text = first
    for (let more = await read(); more !== null; more = await read()) text += more
    return text
  }
  return { first, rest }
}

/** The articles that an import takes from the lines. */
async function articlesIn(lines: Record<string, unknown>[]) {
  async function* objects() {
    for (const [at, object] of lines.entries()) yield { line: at + 1, object }
  }
  const noApi = undefined as never
  const options = { keepIds: false, settings: false, dryRun: true }
  const source = await ndjsonFile(noApi, noApi, 'export.ndjson', objects, options)
  const articles = []
  for await (const entry of source.read()) if ('found' in entry) articles.push(entry.found.article)
  return articles
}

it('an export has the state at its end, with articles that were edited or deleted meanwhile', async () => {
  const { first, rest } = await openExport(await signIn())
  expect(first).toContain('"slug":"post-0"')
  await site.put('post-0', { title: 'Edited' })
  await site.manage('DELETE', '/posts/post-1')
  const lines = (await rest())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  // Earlier importers refuse it, since they would create the deleted article.
  expect(lines[0].format).toBe('headless-content-api/2')
  expect(lines.at(-1)).toEqual({ type: 'end', posts: POSTS - 1, guides: 0, redirects: 0, trainingRows: 0 })
  const titles = lines.flatMap(({ post }) => (post?.slug === 'post-0' ? post.title : []))
  expect(titles).toEqual(['Post 0', 'Edited'])
  expect(lines.at(-2)).toMatchObject({ type: 'deleted' })
  const imported = await articlesIn(lines)
  expect(imported).toHaveLength(POSTS - 1)
  expect(imported.find(({ slug }) => slug === 'post-0')?.title).toBe('Edited')
  expect(imported.find(({ slug }) => slug === 'post-1')).toBeUndefined()
})

it('an export that fails midway breaks off, so that nobody takes it for a whole file', async () => {
  const cookie = await signIn()
  const { rest } = await openExport(cookie)
  await visit('/console/sign-out', { cookie, form: {} })
  await expect(rest()).rejects.toThrow()
})

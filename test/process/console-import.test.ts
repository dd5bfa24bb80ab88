/** Imports of real and of large files in the console, on a Worker that may be killed. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { decode } from '../support/html.ts'
import { type Service, startService } from '../support/service.ts'

const CORPUS = join(import.meta.dirname, '../../../shared/corpus')
const POSTS = 300

let service: Service
let cookie: string

beforeAll(async () => {
  service = await startService()
  const signedIn = await service.postForm(
    '/console/sign-in',
    new URLSearchParams({ token: service.operatorToken }),
  )
  cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!
})

afterAll(async () => {
  await service?.stop()
})

/** @returns the path of the import's page */
async function upload(site: string, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const body = new FormData()
  body.set('file', new File([bytes], name))
  body.set('status', 'published')
  const { headers } = await fetch(`${service.origin}/console/sites/${site}/settings/transfer`, {
    method: 'POST',
    body,
    redirect: 'manual',
    headers: { Cookie: cookie, Origin: service.origin },
  })
  return headers.get('Location')!
}

const textOf = async (page: string) => (await service.getPage(page)).text()
const wordsOf = (html: string) => decode(html.replace(/<[^>]+>/g, ' ')).replace(/\s+/g, ' ')

async function ended(page: string): Promise<string> {
  let text = ''
  await expect
    .poll(
      async () => {
        text = await textOf(page)
        return text
      },
      { timeout: 100_000, interval: 200 },
    )
    .not.toContain('<progress')
  return wordsOf(text)
}

/** With a cron each minute, on the clock that this test moves. */
async function minuteLater(id: string) {
  await service.sql(
    `update imports set turned_at = turned_at - interval '1 minute' where site_id = '${id}' and is_running`,
  )
  await service.cron()
}

async function importFile(site: string, name: string, bytes: Uint8Array<ArrayBuffer>) {
  const page = await upload(site, name, bytes)
  const preview = await ended(page)
  await service.post(`${page}/start`, new URLSearchParams())
  return { preview, report: await ended(page) }
}

function zipOfFolder(folder: string) {
  const files = globSync('**/*.*', { cwd: folder })
  return zipSync(
    Object.fromEntries(files.map((file) => [file, new Uint8Array(readFileSync(join(folder, file)))])),
  )
}

it('an import whose Worker is killed continues, and neither loses nor repeats an article', async () => {
  const { id } = await service.makeSite()
  const body = `${'Some *words* with a [link](other.md) and `code`. '.repeat(60)}\n\n`.repeat(2)
  const posts = Array.from({ length: POSTS }, (_, at) => [
    `post-${at}.md`,
    strToU8(`---\ntitle: Post ${at}\n---\n${body}`),
  ])
  const page = await upload(id, 'posts.zip', zipSync(Object.fromEntries(posts)))
  const kept = async () =>
    Number(
      (
        await service.sql(`select count(*) as parts from import_parts p join imports i on i.id = p.import_id
      where i.site_id = '${id}' and is_converted`)
      ).rows[0]!.parts,
    )
  await expect.poll(kept, { interval: 20, timeout: 30_000 }).toBeGreaterThan(0)
  await service.crash()
  const converted = await kept()
  await minuteLater(id)
  expect(await ended(page)).toContain(`New ${POSTS} `)
  expect(await kept()).toBeGreaterThan(converted)

  await service.post(`${page}/start`, new URLSearchParams())
  const saved = async () =>
    Number((await service.sql(`select count(*) as posts from posts where site_id = '${id}'`)).rows[0]!.posts)
  await expect.poll(saved, { interval: 10, timeout: 30_000 }).toBeGreaterThan(0)
  await service.crash()
  await minuteLater(id)
  expect(await ended(page)).toContain(`Created ${POSTS} Updated 0 Unchanged 0`)
  expect(await saved()).toBe(POSTS)
  const written = await service.sql(
    `select distinct changeset_id from audit_log where site_id = '${id}' and channel = 'console'`,
  )
  expect(written.rows).toHaveLength(1)
})

const blog = join(CORPUS, 'nodejs-blog')
const wordpress = globSync(`${CORPUS}/wordpress/*.xml`)[0]

/** Imports what the preview counts. @returns that number */
async function importAll(name: string, bytes: Uint8Array<ArrayBuffer>) {
  const { id } = await service.makeSite()
  const { preview, report } = await importFile(id, name, bytes)
  const [, count] = /New ([\d,]+) /.exec(preview) ?? []
  expect(report).toContain(`Created ${count} Updated 0 Unchanged 0`)
  return Number(count!.replaceAll(',', ''))
}

it.skipIf(!existsSync(blog))(
  'the Markdown of a real blog is imported (skipped without its corpus)',
  async () => {
    expect(await importAll('blog.zip', zipOfFolder(blog))).toBeGreaterThan(100)
  },
)

it.skipIf(!wordpress)("WordPress's theme unit test is imported (skipped without its corpus)", async () => {
  expect(await importAll('wordpress.xml', new Uint8Array(readFileSync(wordpress!)))).toBeGreaterThan(10)
})

/** The Worker of an earlier commit runs on today's schema, beside the new one and after it, as in a rollback. */
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { startCountingReceiver } from '../../support/counting-receiver.ts'
import { depthOf } from '../../support/depth.ts'
import { type Service, startService, type WorkerService } from '../../support/service.ts'

const PROJECT = join(import.meta.dirname, '../../..')
/** No earlier Worker runs on `0001`, see Upgrade in CHANGELOG.md. */
const FIRST_MIGRATION_BESIDE_TRAFFIC = 2

const git = (...args: string[]) => execFileSync('git', args, { cwd: PROJECT, encoding: 'utf8' }).trim()
const hasHistory = (() => {
  try {
    return git('rev-parse', '--is-shallow-repository') === 'false'
  } catch {
    return false
  }
})()

const MIGRATIONS = globSync('drizzle/migrations/*.sql', { cwd: PROJECT })
  .sort()
  .slice(FIRST_MIGRATION_BESIDE_TRAFFIC)
  .slice(-depthOf('rollback'))

let service: Service
let receiver: Awaited<ReturnType<typeof startCountingReceiver>>

beforeAll(async () => {
  service = await startService()
  receiver = await startCountingReceiver((_, response) => response.writeHead(204).end())
})

afterAll(async () => {
  receiver?.close()
  await service?.stop()
})

it.skipIf(!hasHistory).each(MIGRATIONS)(
  'the version before %s reads, writes, sends and sweeps',
  async (migration) => {
    const added = git('log', '--format=%h', '--diff-filter=A', '--', migration)
    const before = await service.startAnother({ bundle: bundleOf(`${added}^`) })

    // Both have traffic, as in a gradual rollout.
    const site = await service.makeSite()
    await service.manage('PUT', `${site.path}/webhook`, { url: receiver.url, events: ['post.published'] })
    for (const [writer, reader] of pairs(service, before)) await writeAndRead(writer, reader, site)
    await expectSame(service, before, site)

    // The new one is gone: the old one finishes its work.
    await service.manage('PUT', `${site.path}/posts/late`, post('Late'))
    const publishAt = new Date(Date.now() + 1_000).toISOString()
    await service.manage('PUT', `${site.path}/posts/late/publication-schedule`, { publishAt })
    await before.manage('POST', '/sweep')
    await expect
      .poll(async () => {
        await before.cron()
        return (await before.manage<{ post: object }>('GET', `${site.path}/posts/late`)).post
      })
      .toMatchObject({ status: 'published' })
    const { items } = await before.manage<{ items: { id: string }[] }>('GET', `${site.path}/events`)
    // A publication and a ready draft by each, and the scheduled one.
    expect(items).toHaveLength(5)
    for (const { id } of items) await expect.poll(() => receiver.posts.get(id)).toBe(1)

    // Forward again.
    await service.manage('POST', '/sweep')
    await expectSame(service, before, site)
    await before.stop()
  },
)

type Site = Awaited<ReturnType<Service['makeSite']>>

const post = (title: string, fields: object = {}) => ({ title, contentHtml: '<p>Words.</p>', ...fields })
const pairs = <Item>(a: Item, b: Item) =>
  [
    [a, b],
    [b, a],
  ] as const

const read = ({ origin }: WorkerService, { path, key }: Site, below: string, etag = '') =>
  fetch(`${origin}/api/v1${path}${below}`, {
    headers: { Authorization: `Bearer ${key}`, 'If-None-Match': etag },
  })

/** Every kind of write by one version, which the other one sees at once. */
async function writeAndRead(writer: WorkerService, reader: WorkerService, site: Site) {
  const slug = writer === service ? 'new' : 'old'
  const { etag } = await readPosts(reader, site)
  await writer.manage('PUT', `${site.path}/posts/${slug}`, post(slug, { status: 'published' }))
  await writer.manage('PUT', `${site.path}/posts/${slug}-draft`, post('Draft', { qualityBand: 'standard' }))
  await writer.manage('PUT', `${site.path}/posts/${slug}-draft/readiness`)
  await writer.manage('PUT', `${site.path}/guides/${slug}`, post('Guide', { status: 'published' }))
  const { slugs } = await readPosts(reader, site, etag)
  expect(slugs).toContain(slug)

  await writer.manage('PUT', `${site.path}/posts/${slug}/slug`, { slug: `${slug}-moved` })
  expect((await read(reader, site, `/posts/${slug}-moved`)).status).toBe(200)

  const { id, key } = await writer.manage<{ id: string; key: string }>('POST', `${site.path}/keys`, {
    name: slug,
  })
  expect((await read(reader, { ...site, key }, '/posts')).status).toBe(200)
  await writer.manage('PUT', `${site.path}/keys/${id}/revocation`)
  expect((await read(reader, { ...site, key }, '/posts')).status).toBe(401)

  const name = `${slug}-${site.id.slice(0, 8)}`
  const operator = await writer.manage<{ id: string }>('POST', '/operators', { name, role: 'editor' })
  await reader.manage('DELETE', `/operators/${operator.id}`)
}

async function readPosts(worker: WorkerService, site: Site, etag?: string) {
  const response = await read(worker, site, '/posts?pageSize=50', etag)
  expect(response.status).toBe(200)
  const { items } = (await response.json()) as { items: { slug: string }[] }
  return { etag: response.headers.get('ETag')!, slugs: items.map(({ slug }) => slug) }
}

/** Both answer readers equally. */
async function expectSame(a: WorkerService, b: WorkerService, site: Site) {
  for (const below of ['/posts?pageSize=50', '/guides', '/changes', '/redirects']) {
    const [first, second] = await Promise.all(
      [a, b].map(async (worker) => {
        const response = await read(worker, site, below)
        return { status: response.status, body: await response.json() }
      }),
    )
    expect(first!.status).toBe(200)
    expect(second, below).toEqual(first)
  }
}

/** The Worker's code at a commit, bundled by its own script with today's packages. */
function bundleOf(commit: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'version-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  execFileSync('bash', ['-ec', `git archive ${commit} | tar -x -C "${dir}"`], { cwd: PROJECT })
  symlinkSync(join(PROJECT, 'node_modules'), join(dir, 'node_modules'))
  const script = `process.stdout.write(await (await import('./src/local/worker-bundle.ts')).bundleWorker(false))`
  return execFileSync(process.execPath, ['--input-type=module', '--no-warnings', '-e', script], {
    cwd: dir,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
}

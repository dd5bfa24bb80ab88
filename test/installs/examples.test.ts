import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changesIn, startCountingProxy } from '../support/counting-proxy.ts'
import { copyExample, hasTools } from '../support/examples.ts'
import { type Service, startService } from '../support/service.ts'

const POSTS = 1_000
const BULK = 100
/** The most changes in one answer. */
const CHANGES = 500

type Post = { slug: string; title: string; contentHtml: string }
type Example = Awaited<ReturnType<typeof copyExample>>

let service: Service
let proxy: Awaited<ReturnType<typeof startCountingProxy>>
let path: string
let env: Record<string, string>

const postOf = (number: number, words = 'words') => ({
  slug: `post-${number}`,
  title: `Post ${number}`,
  contentHtml: `<p>Some <em>${words}</em>, and ${number}.</p>`.repeat(20),
  status: 'published',
})

beforeAll(async () => {
  if (!hasTools) return
  service = await startService()
  proxy = await startCountingProxy(service.origin)
  const site = await service.makeSite()
  path = site.path
  for (let first = 0; first < POSTS; first += BULK) {
    const posts = Array.from({ length: BULK }, (_, i) => postOf(first + i))
    await service.manage('PUT', `${path}/posts`, { posts })
  }
  await service.manage('PUT', `${path}/posts/draft`, { title: 'Draft', contentHtml: '<p>Not yet.</p>' })
  env = { CONTENT_URL: proxy.origin, CONTENT_SITE: site.id, CONTENT_KEY: site.key }
})

afterAll(async () => {
  proxy?.close()
  await service?.stop()
})

describe.skipIf(!hasTools)(
  'a blog of 1,000 posts in Astro (skipped without `npm ci` in docs/examples)',
  () => {
    let example: Example

    beforeAll(async () => {
      example = await copyExample('astro')
    })
    afterAll(() => example?.remove())

    async function build() {
      const begun = performance.now()
      await example.run('astro', ['build'], env)
      console.log(`astro build: ${((performance.now() - begun) / 1_000).toFixed(1)} s`)
      return proxy.take()
    }
    const pages = () => globSync('*/index.html', { cwd: join(example.dir, 'dist/blog') })
    const page = (slug: string) => join(example.dir, 'dist/blog', slug, 'index.html')

    it('has a page for each published post, none of them with the key, from three requests', async () => {
      expect(await build()).toHaveLength(Math.ceil((POSTS + 1) / CHANGES))
      expect(pages()).toHaveLength(POSTS)
      expect(readFileSync(page('post-7'), 'utf8')).toContain(postOf(7).contentHtml)
      const list = readFileSync(join(example.dir, 'dist/index.html'), 'utf8')
      expect(list.match(/<a href="\/blog\/post-\d+\/">Post \d+<\/a>/g)).toHaveLength(POSTS)
      expect(existsSync(page('draft'))).toBe(false)
      const files = globSync('dist/**/*.*', { cwd: example.dir })
      const read = (file: string) => readFileSync(join(example.dir, file), 'utf8')
      expect(files.filter((file) => read(file).includes(env.CONTENT_KEY!))).toEqual([])
    })

    it('is built again with one request, and an empty answer', async () => {
      const asked = await build()
      expect(asked).toHaveLength(1)
      expect(changesIn(asked)).toEqual([])
      expect(pages()).toHaveLength(POSTS)
    })

    it('is updated with one request for only the changed posts', async () => {
      await service.manage('PUT', `${path}/posts/post-1`, postOf(1, 'news'))
      await service.manage('DELETE', `${path}/posts/post-2`)
      await service.sql("update posts set slug = 'renamed' where slug = 'post-3'")
      await service.manage('POST', '/sweep')
      await service.manage('DELETE', `${path}/posts/post-4/publication`)
      await service.manage('PUT', `${path}/posts/draft/publication`)

      const asked = await build()
      expect(asked).toHaveLength(1)
      expect(changesIn(asked)).toEqual([
        'upsert post-1',
        'delete post-2',
        'delete post-3',
        'upsert renamed',
        'upsert post-4',
        'upsert draft',
      ])
      expect(pages()).toHaveLength(POSTS - 1)
      expect(readFileSync(page('post-1'), 'utf8')).toContain('news')
      expect(readFileSync(page('renamed'), 'utf8')).toContain(postOf(3).contentHtml)
      expect(readFileSync(page('draft'), 'utf8')).toContain('Not yet.')
      expect(['post-2', 'post-3', 'post-4'].filter((slug) => existsSync(page(slug)))).toEqual([])
    })

    it('has entries whose data is typed as a post of the API', async () => {
      writeFileSync(
        join(example.dir, 'src/typed.ts'),
        `import type { CollectionEntry } from 'astro:content'
      import type { PostData } from 'headless-content-api/astro'
      type Data = CollectionEntry<'posts'>['data']
      export const title = (data: Data): string => data.title
      export const post = (data: Data): PostData => data
      // @ts-expect-error
      export const other = (data: Data) => data.other`,
      )
      await example.run('tsc', ['--noEmit', '--project', '.'])
    })

    it("has a loader that matches Astro's own types", async () => {
      const astro = join(example.dir, 'node_modules/astro/dist')
      const compilerOptions = {
        noEmit: true,
        rootDir: '/',
        typeRoots: [resolve('node_modules/@types')],
        paths: {
          'astro/loaders': [`${astro}/content/loaders/index.d.ts`],
          'astro/zod': [`${astro}/zod.d.ts`],
        },
      }
      const config = {
        extends: resolve('src/sdk/tsconfig.json'),
        compilerOptions,
        include: [],
        files: [resolve('src/sdk/astro.ts')],
      }
      writeFileSync(join(example.dir, 'loader.json'), JSON.stringify(config))
      await example.run('tsc', ['--project', 'loader.json'])
    })
  },
)

describe.skipIf(!hasTools)('a blog in Eleventy (skipped without `npm ci` in docs/examples)', () => {
  it('has a page for each published post', async () => {
    const headers = { Authorization: `Bearer ${env.CONTENT_KEY}` }
    const query = 'status=published&pageSize=2'
    const answer = await fetch(`${service.origin}/api/v1${path}/posts?${query}`, { headers })
    const { items, total } = (await answer.json()) as { items: Post[]; total: number }
    const example = await copyExample('eleventy')
    const built = join(example.dir, '_site')
    try {
      await example.run('eleventy', [], env)
      expect(globSync('blog/*/index.html', { cwd: built })).toHaveLength(total)
      const list = readFileSync(join(built, 'index.html'), 'utf8')
      for (const { slug, title, contentHtml } of items) {
        expect(list).toContain(`<a href="/blog/${slug}/">${title}</a>`)
        expect(readFileSync(join(built, 'blog', slug, 'index.html'), 'utf8')).toContain(contentHtml)
      }
    } finally {
      example.remove()
    }
  })
})

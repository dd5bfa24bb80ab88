/** Skipped without the real content. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { depthOf } from '../support/depth.ts'
import { adminJson } from './support/admin.ts'
import { startManageServer, storingScript } from './support/manage-server.ts'

const CORPUS = join(import.meta.dirname, '../../../shared/corpus')
const BLOG = join(CORPUS, 'nodejs-blog')

type Post = {
  slug: string
  title: string
  contentHtml: string
  publishedAt?: string
  language?: string
  sourceSlug?: string
}
const posts = (stored: Map<string, string>) => [...stored.values()].map((text): Post => JSON.parse(text))

const isTaken = existsSync(BLOG) && depthOf('blog') > 0

describe.skipIf(!isTaken)('the blog of a thousand posts (../shared/corpus/nodejs-blog, in test:deep)', () => {
  it('is imported completely', async () => {
    const { script, stored } = storingScript()
    await using server = await startManageServer(script)
    const first = await adminJson(server.url, 'import', 'markdown', 's1', BLOG, '--status', 'published')
    expect(first.json).toMatchObject({ imported: 1049, updated: 0, unchanged: 0, skipped: [] })
    expect(first.code).toBe(0)
    expect(first.json.notTakenOver).toContainEqual({
      file: 'migrations/v16-to-v18.mdx',
      field: 'contentHtml',
      reason: 'left out, but its text is kept: <AlertBox>',
    })
    const puts = server.asked.filter(({ method }) => method === 'PUT')
    expect(Math.max(...puts.map(({ bytes }) => bytes))).toBeLessThan(8 * 1024 * 1024)
    expect(Math.max(...puts.map(({ body }) => body.posts.length))).toBeLessThanOrEqual(100)

    const all = posts(stored)
    expect(all.filter(({ publishedAt }) => !publishedAt)).toEqual([])
    expect(all.filter(({ language, sourceSlug }) => language !== 'en' || sourceSlug)).toEqual([])
    expect(
      all.filter(({ contentHtml }) =>
        /<script|<style|<iframe|\son\w+="/i.test(contentHtml.replace(/<pre>.*?<\/pre>/gs, '')),
      ),
    ).toEqual([])
    const alert = all.find(({ slug }) => slug === 'v16-to-v18')
    expect(alert?.contentHtml).toContain(
      'This article covers a part of the migration from Node.js v16 to v18.',
    )
  })
})

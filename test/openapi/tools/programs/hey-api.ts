/** With @hey-api/openapi-ts. */
import { createClient, createConfig } from '../generated/hey-api-api/client/index.ts'
import * as api from '../generated/hey-api-api/index.ts'
import { createClient as createManageClient } from '../generated/hey-api-manage/client/index.ts'
import { putPost } from '../generated/hey-api-manage/index.ts'
import { type Given, promptsIn, type Seen, titled } from './seen.ts'

export async function use({ origin, siteId, key, operatorToken }: Given): Promise<Seen> {
  const client = createClient(
    createConfig({
      baseUrl: `${origin}/api/v1`,
      // In the header alone, although the sitemap would take it in the query too.
      auth: ({ in: place }) => (place === 'query' ? undefined : key),
    }),
  )
  const manage = createManageClient({ baseUrl: `${origin}/manage/v1`, auth: operatorToken })
  const path = { siteId }

  const put = await putPost({
    client: manage,
    path: { ...path, slug: 'by-hey-api' },
    body: { title: 'A title', contentHtml: '<p>Words.</p>', provenance: { sources: [] } },
  })
  const list = await api.listPosts({ client, path, query: { status: 'draft', pageSize: 50 } })
  const post = await api.getPost({
    client,
    path: { ...path, slug: 'by-hey-api' },
    query: { include: 'provenance' },
  })
  const missing = await api.getGuide({ client, path: { ...path, slug: 'missing' } })
  const sitemap = await api.getSitemap({ client, path })
  const exported = await api.exportTraining({ client, path, parseAs: 'stream' })
  const changes = await api.listChanges({ client, path, query: { limit: 500, include: 'content' } })
  const test = await api.testWebhook({ client })

  return {
    put: put.data?.outcome ?? '',
    listed: list.data?.items.map(titled) ?? [],
    post: { ...titled(post.data!), sources: post.data?.provenance?.sources.length },
    missing: missing.error?.error ?? '',
    sitemap: (await sitemap.data?.text()) ?? '',
    exported: {
      prompts: await promptsIn(exported.data as unknown as ReadableStream<Uint8Array>),
      next: exported.response?.headers.get('Link') ?? null,
    },
    changed: changes.data?.items.flatMap(({ post }) => (post ? [titled(post)] : [])) ?? [],
    tested: test.data?.delivered ?? false,
  }
}

/** With openapi-typescript and openapi-fetch. */
import createClient from 'openapi-fetch'
import type { paths as ApiPaths } from '../generated/openapi-typescript-api.ts'
import type { paths as ManagePaths } from '../generated/openapi-typescript-manage.ts'
import { type Given, promptsIn, type Seen, titled } from './seen.ts'

export async function use({ origin, siteId, key, operatorToken }: Given): Promise<Seen> {
  const headers = (token: string) => ({ Authorization: `Bearer ${token}` })
  const api = createClient<ApiPaths>({ baseUrl: `${origin}/api/v1`, headers: headers(key) })
  const manage = createClient<ManagePaths>({
    baseUrl: `${origin}/manage/v1`,
    headers: headers(operatorToken),
  })
  const path = { siteId }

  const put = await manage.PUT('/sites/{siteId}/posts/{slug}', {
    params: { path: { ...path, slug: 'by-openapi-fetch' } },
    body: { title: 'A title', contentHtml: '<p>Words.</p>', provenance: { sources: [] } },
  })
  const list = await api.GET('/sites/{siteId}/posts', {
    params: { path, query: { status: 'draft', pageSize: 50 } },
  })
  const post = await api.GET('/sites/{siteId}/posts/{slug}', {
    params: { path: { ...path, slug: 'by-openapi-fetch' }, query: { include: 'provenance' } },
  })
  const missing = await api.GET('/sites/{siteId}/guides/{slug}', {
    params: { path: { ...path, slug: 'missing' } },
  })
  const sitemap = await api.GET('/sites/{siteId}/sitemap.xml', { params: { path }, parseAs: 'text' })
  const exported = await api.GET('/sites/{siteId}/training/export', { params: { path }, parseAs: 'stream' })
  const changes = await api.GET('/sites/{siteId}/changes', {
    params: { path, query: { limit: 500, include: 'content' } },
  })
  const test = await api.POST('/webhooks/test')

  return {
    put: put.data?.outcome ?? '',
    listed: list.data?.items.map(titled) ?? [],
    post: { ...titled(post.data!), sources: post.data?.provenance?.sources.length },
    missing: missing.error?.error ?? '',
    sitemap: sitemap.data ?? '',
    exported: {
      prompts: await promptsIn(exported.data as ReadableStream<Uint8Array>),
      next: exported.response.headers.get('Link'),
    },
    changed: changes.data?.items.flatMap(({ post }) => (post ? [titled(post)] : [])) ?? [],
    tested: test.data?.delivered ?? false,
  }
}

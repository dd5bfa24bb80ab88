/** With orval's client for fetch. */
import * as api from '../generated/orval-api.ts'
import { putPost } from '../generated/orval-manage.ts'
import { type Given, promptsIn, type Seen, titled } from './seen.ts'

export async function use({ siteId, key, operatorToken }: Given): Promise<Seen> {
  const withToken = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })
  const options = withToken(key)

  const put = await putPost(
    siteId,
    'by-orval',
    { title: 'A title', contentHtml: '<p>Words.</p>', provenance: { sources: [] } },
    {},
    withToken(operatorToken),
  )
  const list = await api.listPosts(siteId, { status: 'draft', pageSize: 50 }, options)
  const post = await api.getPost(siteId, 'by-orval', { include: 'provenance' }, options)
  const missing = await api.getGuide(siteId, 'missing', options)
  const sitemap = await api.getSitemap(siteId, {}, options)
  const exported = await api.exportTraining(siteId, {}, options)
  const changes = await api.listChanges(siteId, { limit: 500, include: 'content' }, options)
  const test = await api.testWebhook({}, options)

  if (put.status !== 201 || list.status !== 200 || post.status !== 200 || sitemap.status !== 200)
    throw new Error('orval: put, list, post or sitemap was refused')
  if (missing.status !== 404 || exported.status !== 200 || changes.status !== 200 || test.status !== 200)
    throw new Error('orval: export, changes or test was refused, or a guide found')
  return {
    put: put.data.outcome,
    listed: list.data.items.map(titled),
    post: { ...titled(post.data), sources: post.data.provenance?.sources.length },
    missing: missing.data.error,
    sitemap: sitemap.data,
    exported: {
      prompts: await promptsIn(exported.stream.body!),
      next: exported.headers.get('Link'),
    },
    changed: changes.data.items.flatMap(({ post }) => (post ? [titled(post)] : [])),
    tested: test.data.delivered,
  }
}

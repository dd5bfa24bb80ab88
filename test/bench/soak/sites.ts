/** The sites of a soak. */
import type { Service } from '../npm-start.ts'
import type { Kind, Receivers } from '../webhooks/receivers.ts'

const POSTS = 10
/** For the first ten sites. The others have no webhook. */
const KINDS: Kind[] = [...Array<Kind>(7).fill('quick'), 'slow', 'silent', 'refusing']

/** `tags` are those of the last answers, by what was asked. */
export type Site = { id: string; key: string; tags: Map<string, string> }

export async function makeSites({ manage }: Service, receivers: Receivers, count: number): Promise<Site[]> {
  const made: Site[] = []
  for (let at = 0; at < count; at++) {
    const body = { name: `Soak ${at}`, domain: `soak-${at}.example.com`, dailyQuota: 1_000_000_000 }
    const { id } = await manage('POST /sites', [], { body })
    const { key } = await manage('POST /sites/{siteId}/keys', [id], { body: { name: 'soak' } })
    const kind = KINDS[at]
    if (kind) await manage('PUT /sites/{siteId}/webhook', [id], { body: { url: receivers.urlOf(kind) } })
    const posts = Array.from({ length: POSTS }, (_, n) => ({
      slug: `post-${n}`,
      title: `Post ${n}`,
      contentHtml: '<p>Some words.</p>',
      status: 'published' as const,
    }))
    await manage('PUT /sites/{siteId}/posts', [id], { body: { posts } })
    made.push({ id, key, tags: new Map() })
  }
  return made
}

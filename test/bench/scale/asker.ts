/** Asking sites through the Worker, by key, and editing them so that everything cached of them is stale. */
import type { Service } from '../service.ts'

export type Subject = { id: string; key: string; posts: number }
export type Asker = ReturnType<typeof askerOf>

export function askerOf({ origin, manage }: Service) {
  return {
    /** An empty site with a key. `posts` is how many it will have. */
    async makeSubject(posts: number): Promise<Subject> {
      const site = {
        name: 'Scale',
        domain: 'scale.example.com',
        dailyQuota: 1_000_000_000,
        trainingOptIn: true,
      }
      const { id } = await manage('POST /sites', [], { body: site })
      const { key } = await manage('POST /sites/{siteId}/keys', [id], { body: { name: 'scale' } })
      return { id, key, posts }
    },

    /** Writes the site's newest post, which is always the same one. */
    async edit({ id }: Subject) {
      const post = {
        title: 'Edited again and again',
        contentHtml: '<p>Now.</p>',
        status: 'published',
        language: 'en',
      }
      await manage('PUT /sites/{siteId}/posts/{slug}', [id, 'edited'], {
        body: { ...post, excerpt: String(performance.now()) },
      })
    },

    /** Reads below the site's path; milliseconds until the last byte. @throws Error unless the answer is 200, or 304 to a tag */
    async read({ id, key }: Subject, below: string, tag: string | null = null) {
      const headers = { authorization: `Bearer ${key}`, ...(tag && { 'if-none-match': tag }) }
      const started = performance.now()
      const answer = await fetch(`${origin}/api/v1/sites/${id}${below}`, { headers })
      const body = await answer.text()
      const milliseconds = performance.now() - started
      if (answer.status !== (tag ? 304 : 200))
        throw new Error(`${below}: ${answer.status} ${body.slice(0, 200)}`)
      return { milliseconds, body, headers: answer.headers }
    },
  }
}

/** Sets and reads a site's redirects in tests. */
import type { TestSite } from './site.ts'

export type Listed = { from: string; to: string; served: boolean; oldSlug: string | null; createdAt: string }
export type Page = { items: Listed[]; next: string | null }
export type Pair = { from: string; to?: string; resource?: string; slug?: string; suffix?: string }

export const put = (site: TestSite, ...redirects: Pair[]) => site.manage('PUT', '/redirects', { redirects })
export const tryPut = async (site: TestSite, ...redirects: Pair[]) => {
  const { status, body } = await site.tryManage('PUT', '/redirects', { redirects })
  return status === 200 ? 'taken' : `${status} ${body!.error}`
}
export const publish = (site: TestSite, slug: string, fields = {}) =>
  site.put(slug, { status: 'published', ...fields })
export const rename = (site: TestSite, from: string, to: string) =>
  site.manage('PUT', `/posts/${from}/slug`, { slug: to })
export const steps = async (site: TestSite) =>
  (await site.json<Page>('/redirects')).items.map(({ from, to }) => `${from} ${to}`).sort()
export const listed = async (site: TestSite) =>
  (await site.manage('GET', '/redirects')).items
    .map(({ from, to, served }) => `${from} ${to}${served ? '' : ' not served'}`)
    .sort()

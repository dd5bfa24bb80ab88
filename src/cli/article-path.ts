/** Where the management API has posts and guides. */
import { path } from './client.ts'

export type Kind = 'posts' | 'guides'

/** The path of one post or guide. */
export function articlePath(kind: Kind, site: string, slug: string): string {
  return path`/sites/${site}/${kind}/${slug}`
}

/** A post or guide that was renamed or deleted. */
import type { Child } from 'hono/jsx'
import { tryDecodeURIComponent } from 'hono/utils/url'
import { findGone } from '../../../src/content/articles/gone.ts'
import { parseSlug } from '../../../src/content/model/slug.ts'
import { isRead } from '../../http/context.ts'
import type { Http } from '../../http/env.ts'
import { itemPath, parentList } from '../parent-list.ts'
import { ButtonLink } from '../parts/site-link.tsx'
import { By, Time } from '../parts/time.tsx'
import { redirectInSite } from '../site.ts'
import { KINDS } from './article.tsx'

const ARTICLE = /^\/console\/sites\/[^/]+\/content\/(?<kind>posts|guides)\/(?<slug>[^/]+)(?<below>\/.*)?$/

export type Explained = { title: string; advice: Child; next?: Child }

/** Redirects to the new slug, or explains the 404. @returns null if the path is not an article page */
export async function goneArticle(c: Http): Promise<Response | Explained | null> {
  const { kind, slug, below = '' } = ARTICLE.exec(new URL(c.req.url).pathname)?.groups ?? {}
  const asked = slug === undefined ? null : parseSlug(tryDecodeURIComponent(slug))
  if (!asked || !(kind === 'posts' || kind === 'guides')) return null
  const { noun, list, name, article } = KINDS[kind]
  const gone = await findGone(c.get('ctx'), article, c.get('site'), asked)
  if (gone?.slug && isRead(c)) return redirectInSite(c, itemPath(kind, gone.slug) + below)
  const all = <ButtonLink to={parentList(c, list)} text={`All ${name.toLowerCase()}`} />
  if (!gone)
    return {
      title: `${name.replace(/s$/, '')} not found`,
      advice: (
        <>
          There is no {noun} <code>{asked}</code>. The address may be wrong, or the {noun} was deleted long
          ago.
        </>
      ),
      next: all,
    }
  if (gone.slug === null)
    return {
      title: `The ${noun} was deleted`,
      advice: (
        <>
          <code>{asked}</code> was deleted on <Time at={gone.deletedAt} />
          <By name={gone.deletedBy} />. {!isRead(c) && 'Nothing was changed.'}
        </>
      ),
      next: all,
    }
  return {
    title: `The ${noun} has moved`,
    advice: (
      <>
        Its slug was changed from <code>{asked}</code> to <code>{gone.slug}</code>. Nothing was changed.
      </>
    ),
    next: <ButtonLink to={itemPath(kind, gone.slug)} text={`Open the ${noun}`} look="primary" />,
  }
}

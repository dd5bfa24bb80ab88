/** Translations name the post that they translate, which is never itself a translation. */
import { type SQL, sql } from 'drizzle-orm'
import { AppError } from '../../core/errors.ts'
import { refuse } from '../../db/refusals.ts'
import { posts } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import type { PostInput } from './post.ts'

export const isTranslation = ({ sourceSlug, sourcePostId }: PostInput): boolean =>
  (sourceSlug ?? sourcePostId) != null

export function inSourceOrder(inputs: PostInput[], where: (index: number) => string): PostInput[][] {
  const bySlug = new Map(inputs.map((input) => [input.slug, input]))
  const root = (input: PostInput): PostInput => {
    let source = input
    for (let steps = 0; source.sourceSlug && bySlug.has(source.sourceSlug); steps++) {
      if (steps > inputs.length) {
        const path = `${where(inputs.indexOf(input))}sourceSlug`
        throw new AppError('invalid_body', { path, message: 'must not lead back to the post itself' })
      }
      source = bySlug.get(source.sourceSlug)!
    }
    return source
  }
  const first: PostInput[] = []
  const second: PostInput[] = []
  for (const input of inputs) {
    const source = root(input)
    if (source === input) first.push(input)
    // If that source is a translation of a stored post, the upsert resolves it further.
    else second.push({ ...input, sourceSlug: source.slug })
  }
  return [first, second].filter((level) => level.length > 0)
}

/** For a row `put`: the id of its source, or of that post's own source. */
export function sourceOf(site: SiteScope): SQL {
  const idOf = (slug: SQL) => sql`(select id from ${posts} where site_id = ${site.id} and slug = ${slug})`
  const about = sql`'slug', put.slug`
  return sql`case when put."sourceSlug" is not null or put."sourcePostId" is not null then coalesce((
    select case when coalesce(s.source_post_id, s.id) = ${idOf(sql`put.slug`)} then ${refuse('source_is_translation', about)}
      else coalesce(s.source_post_id, s.id) end
    from ${posts} s where s.site_id = ${site.id}
      and s.id = case when put."sourceSlug" is null then put."sourcePostId" else ${idOf(sql`put."sourceSlug"`)} end
  ), ${refuse('source_missing', about)}) end`
}

/** Statements that run once the posts are written. */
export function resolveSources(site: SiteScope, inputs: PostInput[]): SQL[] {
  if (!inputs.some(isTranslation)) return []
  const slugs = inputs.map(({ slug }) => slug)
  return [flattenTranslations(site, slugs), checkSources(site, slugs)]
}

/** Keeps translations one level deep when a source becomes a translation. */
function flattenTranslations(site: SiteScope, slugs: string[]): SQL {
  return sql`
    update ${posts} set source_post_id = s.root_id
    from (
      select id, source_post_id as root_id from ${posts}
      where site_id = ${site.id} and slug in ${slugs} and source_post_id is not null
    ) s
    where site_id = ${site.id} and source_post_id = s.id and s.root_id <> posts.id`
}

/** Fails the batch if sources given by id form a cycle. */
function checkSources(site: SiteScope, slugs: string[]): SQL {
  return sql`
    select ${refuse('source_circle', sql`'slug', t.slug`)}
    from ${posts} t join ${posts} s on s.id = t.source_post_id
    where t.site_id = ${site.id} and t.slug in ${slugs} and s.source_post_id is not null`
}

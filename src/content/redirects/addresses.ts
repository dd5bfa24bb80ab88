/** Redirects from old addresses, as operators and imports give them. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../../context.ts'
import { requireRole } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import { MAX_REDIRECTS } from '../../core/limits.ts'
import { wireTime } from '../../core/time.ts'
import { responseSchema } from '../../core/zod.ts'
import type { Page } from '../../db/paging.ts'
import { refusalOf } from '../../db/refusals.ts'
import { guides, posts, redirectKinds, redirects, resources } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { writeSite } from '../../freshness/write-site.ts'
import { SlugOfPost } from '../articles/shared-fields.ts'
import { hrefOfPath, readSitePath, readTarget } from '../model/site-path.ts'
import { postPath } from '../model/urls.ts'
import { pathOf } from '../redirects.ts'
import { countRedirects, cursorOf, type RedirectCursor, type RedirectRow, selectRedirects } from './find.ts'
import { oldSlugsAt, slugsAt, translatedAt } from './pages.ts'
import { MAX_ADDRESSES, type Pair, type StoredTarget, upsertRedirects } from './upsert.ts'

const TOO_MANY = `would exceed the limit of ${MAX_ADDRESSES.toLocaleString('en')} for a site`
const CIRCLE = 'must not lead back to the address itself'
/** Only bounds the work: the rules have lower limits. */
const address = z.string().check(z.maxLength(8_000))

export const RedirectInput = z
  .strictObject({
    from: address,
    to: z.optional(address),
    resource: z.optional(z.enum(resources)),
    slug: z.optional(SlugOfPost),
    suffix: z.optional(address.check(z.regex(/^[?#].*$/, 'must begin with "?" or "#"'))),
  })
  .register(z.globalRegistry, { id: 'RedirectInput' })

export type RedirectInput = z.infer<typeof RedirectInput>

export const RedirectsInput = z.strictObject({
  redirects: z.array(RedirectInput).check(z.minLength(1), z.maxLength(MAX_REDIRECTS)),
  onlyNew: z.optional(z.boolean()),
})

export const PutRedirects = /* @__PURE__ */ responseSchema(() =>
  z
    .object({ created: z.int(), updated: z.int(), unchanged: z.int() })
    .register(z.globalRegistry, { id: 'PutRedirects' }),
)

export const ListedRedirect = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      from: z.string().check(z.describe("Path on the site's domain, with or without a trailing slash")),
      to: z.string().check(z.describe('The current path, or a URL')),
      resource: z.nullable(z.enum(resources)).check(z.describe('Null if the target is not a post or guide')),
      slug: z.nullable(z.string()),
      oldSlug: z
        .nullable(z.string())
        .check(z.describe('The slug before the rename; null for other old addresses')),
      served: z
        .boolean()
        .check(z.describe('False while it leads to a draft or a post or guide is at `from`')),
      createdAt: z.iso.datetime(),
    })
    .register(z.globalRegistry, { id: 'ListedRedirect' }),
)

type Outcome = z.infer<typeof PutRedirects>

type PutOptions = {
  onlyNew?: boolean | undefined
  current?: StoredTarget | null
  /** The prefix of an error's path. */
  where?: (index: number) => string
}

/** All or none. Resolves targets that redirect or are an article's path. @throws AppError invalid_body; changed_meanwhile */
export async function putRedirects(
  ctx: Context,
  site: SiteScope,
  inputs: RedirectInput[],
  { onlyNew = false, current, where = (index) => `redirects[${index}].` }: PutOptions = {},
): Promise<Outcome> {
  requireRole(ctx, 'editor')
  const refuseInput = (index: number, field: string, message: string) =>
    new AppError('invalid_body', { path: `${where(index)}${field}`, message })
  const pairs = inputs.map((input, index) => {
    const problem = (field: string, message: string) => refuseInput(index, field, message)
    return toPair(site, input, problem)
  })
  const paths = pairs.map(({ path }) => path)
  const twice = paths.findIndex((path, index) => paths.indexOf(path) < index)
  if (twice >= 0) throw refuseInput(twice, 'from', 'must not be given twice')
  try {
    const {
      results: [, { rows }],
    } = await writeSite(ctx, site.id, [
      // JIT compilation would take longer than the statement.
      ctx.db.execute(sql`select set_config('jit', 'off', true)`),
      ctx.db.execute(upsertRedirects(site, pairs, { onlyNew, current })),
    ])
    const [{ created, updated }] = rows as [{ created: number; updated: number }]
    return { created, updated, unchanged: inputs.length - created - updated }
  } catch (error) {
    const { reason, position = 0 } = refusalOf(error) ?? {}
    const field = inputs[position]?.slug === undefined ? 'to' : 'slug'
    if (reason === 'changed_meanwhile') throw new AppError('changed_meanwhile')
    if (reason === 'too_many_addresses')
      throw new AppError('invalid_body', { path: 'redirects', message: TOO_MANY })
    if (reason === 'target_missing')
      throw refuseInput(position, field, `must name a ${pairs[position]!.resource} of this site`)
    if (reason !== 'address_circle') throw error
    throw refuseInput(position, field, CIRCLE)
  }
}

function toPair(
  { domain }: SiteScope,
  { from, to, resource, slug, suffix }: RedirectInput,
  problem: (field: string, message: string) => AppError,
): Pair {
  const { path, problem: ofFrom } = readSitePath(from, domain)
  if (path === undefined) throw problem('from', ofFrom)
  if (path === '/') throw problem('from', 'must not be the home page')
  if (to === undefined) {
    if (resource === undefined || slug === undefined)
      throw problem('to', 'is required, unless resource and slug are given')
    const end = readTarget(`/${suffix ?? ''}`, domain)
    if (end.path === undefined) throw problem('suffix', end.problem)
    return { path, target: null, suffix: end.suffix, resource, slug }
  }
  if (resource !== undefined || slug !== undefined)
    throw problem('to', 'must not be combined with resource and slug')
  if (suffix !== undefined) throw problem('suffix', 'must not be combined with to, which can include it')
  const target = readTarget(to, domain)
  if (target.path === undefined) throw problem('to', target.problem)
  // The statement resolves the path of an article, so it does not see this circle.
  if (target.path === path) throw problem('to', CIRCLE)
  return { path, target: target.path, suffix: target.suffix, resource: null, slug: null }
}

/** `to` is as in the list. Null if there is none, or the address is invalid. */
export async function findAddress(
  ctx: Context,
  site: SiteScope,
  from: string,
): Promise<(StoredTarget & { to: string }) | null> {
  const { path } = readSitePath(from, site.domain)
  if (path === undefined) return null
  const address = sql`(select * from ${redirects} a where a.site_id = ${site.id} and a.resource = 'address' and a.slug = ${path})`
  const { rows } = await ctx.db.execute(selectTargets(address))
  const [row] = rows as TargetRow[]
  if (!row) return null
  const { target, target_resource, resource_id, suffix } = row
  return { target, target_resource, resource_id, suffix, to: pathOf(site, row) }
}

type TargetRow = StoredTarget &
  Pick<RedirectRow, 'kind' | 'resource' | 'slug' | 'language' | 'target' | 'suffix'>

function selectTargets(of: SQL): SQL {
  return sql`
    select r.resource as kind, r.target, r.target_resource, r.target_resource as resource, r.resource_id::text as resource_id,
      r.suffix, coalesce(p.slug, g.slug) as slug, p.language
    from ${of} r
    left join ${posts} p on r.target_resource = 'post' and p.id = r.resource_id and p.site_id = r.site_id
    left join ${guides} g on r.target_resource = 'guide' and g.id = r.resource_id and g.site_id = r.site_id`
}

type PageInput = { limit: number; cursor: RedirectCursor | null }
type RedirectPage = Page<z.infer<typeof ListedRedirect>>

/** Newest first, including old slugs and redirects that are not served. */
export async function listRedirects(
  ctx: Context,
  site: SiteScope,
  { limit, cursor }: PageInput,
): Promise<RedirectPage> {
  const { rows } = await ctx.db.execute(selectRedirects(site, { limit: limit + 1, after: cursor }))
  return toPage(site, rows, limit)
}

/** `postAt` is the path of the post that `to` misses, because the post is in another language. */
export type BrowsedRedirect = z.infer<typeof ListedRedirect> & { postAt: string | null; isToDraft: boolean }

/** The same, of the redirects with these words in their path or target, with their number. */
export async function browseRedirects(
  ctx: Context,
  site: SiteScope,
  { limit, cursor, search }: PageInput & { search: string },
): Promise<Page<BrowsedRedirect> & { count: number }> {
  const [{ rows }, counted] = await ctx.db.batch([
    ctx.db.execute(selectRedirects(site, { limit: limit + 1, after: cursor, search })),
    ctx.db.execute<{ count: number }>(countRedirects(site, search)),
  ])
  const { items, next } = toPage(site, rows, limit)
  const missed = await findMissedPosts(ctx, site, items)
  return {
    items: items.map((item, at) => ({
      ...item,
      postAt: missed.get(item.to) ?? null,
      isToDraft: (rows as RedirectRow[])[at]!.is_to_draft,
    })),
    next,
    ...counted.rows[0]!,
  }
}

/** The paths of posts that are in another language than the paths of these targets. */
async function findMissedPosts(ctx: Context, site: SiteScope, listed: RedirectPage['items']) {
  const targets = new Map<string, string>()
  for (const { resource, to } of listed) {
    const path = resource === null ? readTarget(to, site.domain).path : undefined
    if (path?.startsWith('/')) targets.set(to, path)
  }
  const missed = new Map<string, string>()
  if (targets.size === 0) return missed
  const paths = sql`(select unnest(${sql.param([...targets.values()])}::text[]) as path)`
  const { rows } = await ctx.db.execute(translatedAt(site, paths))
  const found = rows as { path: string; slug: string; language: string }[]
  for (const [to, path] of targets) {
    const post = found.find((each) => each.path === path)
    if (post) missed.set(to, postPath(site, post))
  }
  return missed
}

function toPage(site: SiteScope, rows: unknown[], limit: number): RedirectPage {
  const found = (rows as RedirectRow[]).filter(({ kind }) => kind !== null)
  const shown = found.slice(0, limit)
  const next = found.length > limit ? cursorOf(shown.at(-1)!) : null
  return {
    items: shown.map((row) => ({
      from: hrefOfPath(row.path),
      to: pathOf(site, row),
      resource: row.resource,
      slug: row.slug,
      oldSlug: row.kind === 'address' ? null : row.old_slug,
      served: row.served,
      createdAt: wireTime(new Date(Number(row.at))),
    })),
    next: next && `${next.at}_${next.kind}_${next.slug}`,
  }
}

export function parseRedirectCursor(text: string): RedirectCursor | null {
  const [, at, kind, slug] = /^(\d{1,14})_([a-z]+)_(.+)$/s.exec(text) ?? []
  const known = redirectKinds.find((each) => each === kind)
  return at && known && slug ? { at: Number(at), kind: known, slug } : null
}

/**
 * Also removes redirects of old slugs at the path.
 * @returns the target, as in the list, or null if an old slug was among them
 * @throws AppError redirect_not_found; invalid_query
 */
export async function removeRedirect(ctx: Context, site: SiteScope, from: string): Promise<string | null> {
  requireRole(ctx, 'editor')
  const { path, problem } = readSitePath(from, site.domain)
  if (path === undefined) throw new AppError('invalid_query', { path: 'from', message: problem })
  const slugs = slugsAt(site, sql`(select ${path}::text as path)`)
  const {
    results: [{ rows }],
  } = await writeSite(ctx, site.id, [
    ctx.db.execute(sql`
      with removed as (
        delete from ${redirects} r where r.site_id = ${site.id} and (
          (r.resource = 'address' and r.slug = ${path})
          or (r.resource, r.slug) in (select o.resource, o.slug from (${oldSlugsAt(site, sql`(${slugs})`)}) o))
        returning *
      ) ${selectTargets(sql`removed`)}`),
  ])
  const removed = rows as TargetRow[]
  if (!removed[0]) throw new AppError('redirect_not_found')
  return removed.every(({ kind }) => kind === 'address') ? pathOf(site, removed[0]) : null
}

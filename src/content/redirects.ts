/** Where the old slugs of published posts and guides lead, as JSON and as configuration of web servers. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { contentVersionOf } from '../db/content-version.ts'
import { guides, posts, redirects, resources } from '../db/schema.ts'
import type { ContentScope } from '../db/site-scope.ts'
import type { Context } from '../foundation/context.ts'
import { guidePath, postPath } from '../foundation/urls.ts'
import { wireShape } from '../foundation/wire-shape.ts'

/** A row has two slugs of at most 400 bytes, so these stay below Neon's 10 MiB. */
const ROWS_PER_QUERY = 5_000

const Redirect = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      resource: z.enum(resources),
      from: z.string().check(z.describe("Path on the site's domain")),
      to: z.string().check(z.describe('The path today')),
      slug: z.string(),
      oldSlug: z.string(),
      language: z.nullable(z.string()),
    })
    .register(z.globalRegistry, { id: 'Redirect' }),
)

type Redirect = z.infer<typeof Redirect>

export const RedirectList = /* @__PURE__ */ wireShape(() =>
  z.object({ items: z.array(Redirect) }).register(z.globalRegistry, { id: 'RedirectList' }),
)

type Form = {
  contentType: string
  start: string
  line: (redirect: Redirect) => string
  between: string
  end: string
}

const text = { contentType: 'text/plain; charset=utf-8', start: '', between: '', end: '' }

const FORMS = {
  json: {
    contentType: 'application/json',
    start: '{"items":[',
    line: (redirect) => JSON.stringify(redirect),
    between: ',',
    end: ']}',
  },
  cloudflare: { ...text, line: cloudflareLine },
  nginx: { ...text, line: nginxLocation },
} satisfies Record<string, Form>

export type RedirectFormat = keyof typeof FORMS

export const redirectFormats = Object.keys(FORMS) as [RedirectFormat, ...RedirectFormat[]]

export const contentTypeOf = (format: RedirectFormat) => FORMS[format].contentType

/** Newest first, in pieces. */
export async function* renderRedirects(
  ctx: Context,
  site: ContentScope,
  format: RedirectFormat,
): AsyncGenerator<string> {
  const { start, line, between, end }: Form = FORMS[format]
  let isFirst = true
  for await (const redirect of findRedirects(ctx, site)) {
    yield (isFirst ? start : between) + line(redirect)
    isFirst = false
  }
  yield isFirst ? start + end : end
}

type Row = {
  resource: Redirect['resource']
  old_slug: string
  slug: string
  language: string | null
  at: string
}

async function* findRedirects(ctx: Context, site: ContentScope): AsyncGenerator<Redirect> {
  // The path of a post may have been that of a guide too: nginx does not start with two locations of one path.
  const paths = new Set<string>()
  for (let last: Row | undefined; ; ) {
    const { rows } = await ctx.db.execute(selectRedirects(site, last))
    ctx.sawContentVersion(rows[0]!.content_version)
    const found = (rows as unknown as Row[]).filter((row) => row.slug !== null)
    for (const { resource, old_slug: oldSlug, slug, language } of found) {
      const pathOf = (slug: string) =>
        resource === 'post' ? postPath(site, { slug, language }) : guidePath(site, { slug })
      const from = pathOf(oldSlug)
      if (!paths.has(from)) yield { resource, from, to: pathOf(slug), slug, oldSlug, language }
      paths.add(from)
    }
    if (found.length < ROWS_PER_QUERY) return
    last = found.at(-1)
  }
}

function selectRedirects(site: ContentScope, last: Row | undefined): SQL {
  const after = last
    ? sql`and (r.created_at, r.resource, r.slug) < (${last.at}::timestamptz, ${last.resource}, ${last.old_slug})`
    : sql``
  // Where posts and guides share their paths, an old one may be that of another article by now.
  const free =
    site.postPath === site.guidePath
      ? sql`and not exists (select from ${posts} o where o.site_id = r.site_id and o.slug = r.slug and o.status = 'published')
        and not exists (select from ${guides} o where o.site_id = r.site_id and o.slug = r.slug and o.status = 'published')`
      : sql``
  return sql`
    with found as (
      select r.resource, r.slug as old_slug, coalesce(p.slug, g.slug) as slug, p.language, r.created_at
      from ${redirects} r
      left join ${posts} p on r.resource = 'post' and p.id = r.resource_id and p.site_id = r.site_id and p.status = 'published'
      left join ${guides} g on r.resource = 'guide' and g.id = r.resource_id and g.site_id = r.site_id and g.status = 'published'
      where r.site_id = ${site.id} and coalesce(p.id, g.id) is not null ${after} ${free}
      order by r.created_at desc, r.resource desc, r.slug desc limit ${ROWS_PER_QUERY}
    )
    select ${contentVersionOf(site.id)} as content_version, f.*, f.created_at::text as at
    from (select) one left join found f on true
    order by f.created_at desc, f.resource desc, f.old_slug desc`
}

/**
 * A line of a `_redirects` file (https://developers.cloudflare.com/workers/static-assets/redirects/). A `*` or `:` of the
 * site's path would make it a pattern.
 */
function cloudflareLine({ from, to }: Redirect): string {
  const source = from.replaceAll('*', '%2A').replaceAll(':', '%3A')
  return `${source} ${to} 301\n`
}

/** nginx keeps the length of such a location in one byte. */
const MAX_EXACT_BYTES = 255

/**
 * A location of an nginx server, which compares the decoded path, case included; a `map` would ignore case
 * (https://nginx.org/en/docs/http/ngx_http_core_module.html#location). The path has neither `"` nor `\`, and a `$` would
 * begin a variable in the target. The target is not made absolute, since nginx may not know the host and scheme of the
 * outside.
 */
function nginxLocation({ from, to }: Redirect): string {
  const path = decodeURIComponent(from)
  const isExact = new TextEncoder().encode(path).length <= MAX_EXACT_BYTES
  const matching = isExact ? `= "${path}"` : `~ "^${path.replaceAll(/[.$()*+]/g, '[$&]')}$"`
  const target = to.replaceAll('$', '%24')
  return `location ${matching} { absolute_redirect off; return 301 "${target}$is_args$args"; }\n`
}

/** Old slugs and other old addresses with their targets, as JSON and as web server configuration. */
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { responseSchema } from '../core/zod.ts'
import { resources } from '../db/schema.ts'
import type { ContentScope } from '../db/site-scope.ts'
import { hrefOf, hrefOfPath } from './model/site-path.ts'
import { guidePath, postPath } from './model/urls.ts'
import { cursorOf, type RedirectCursor, type RedirectRow, selectRedirects } from './redirects/find.ts'

/** A row has an address twice, of at most 1,500 bytes, and a target of 2,000, so these stay below Neon's 10 MiB. */
const ROWS_PER_QUERY = 1_500

const Redirect = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      resource: z.nullable(z.enum(resources)).check(z.describe('Null if the target is not a post or guide')),
      from: z.string().check(z.describe("Path on the site's domain, with or without a trailing slash")),
      to: z.string().check(z.describe('The current path, or a URL')),
      slug: z.nullable(z.string()),
      oldSlug: z.nullable(z.string()).check(z.describe('Null for other old addresses')),
      language: z.nullable(z.string()),
    })
    .register(z.globalRegistry, { id: 'Redirect' }),
)

type Redirect = z.infer<typeof Redirect>

export const RedirectList = /* @__PURE__ */ responseSchema(() =>
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
  cloudflare: { ...text, line: cloudflareLines },
  nginx: { ...text, line: nginxLocations },
} satisfies Record<string, Form>

export type RedirectFormat = keyof typeof FORMS

export const redirectFormats = Object.keys(FORMS) as [RedirectFormat, ...RedirectFormat[]]

export const contentTypeOf = (format: RedirectFormat) => FORMS[format].contentType

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

async function* findRedirects(ctx: Context, site: ContentScope): AsyncGenerator<Redirect> {
  // Posts, guides and addresses can have had the same path, and nginx does not start with two locations of one path.
  const paths = new Set<string>()
  for (let after: RedirectCursor | null = null; ; ) {
    const { rows } = await ctx.db.execute(selectRedirects(site, { limit: ROWS_PER_QUERY, after }))
    ctx.noteVersionRead(rows[0]!.content_version)
    const found = (rows as unknown as RedirectRow[]).filter((row) => row.kind !== null)
    for (const row of found) {
      if (!row.served || paths.has(row.path)) continue
      paths.add(row.path)
      yield toRedirect(site, row)
    }
    if (found.length < ROWS_PER_QUERY) return
    after = cursorOf(found.at(-1)!)
  }
}

function toRedirect(site: ContentScope, row: RedirectRow): Redirect {
  const { kind, resource, slug, language } = row
  const from =
    kind === 'address'
      ? hrefOfPath(row.path)
      : pathOf(site, { ...row, resource: kind, slug: row.old_slug, suffix: null })
  return {
    resource,
    from,
    to: pathOf(site, row),
    slug,
    oldSlug: kind === 'address' ? null : row.old_slug,
    language,
  }
}

export function pathOf(
  site: ContentScope,
  {
    resource,
    slug,
    language,
    target,
    suffix,
  }: Pick<RedirectRow, 'resource' | 'slug' | 'language' | 'target' | 'suffix'>,
): string {
  const end = suffix ?? ''
  if (resource === null || slug === null) return hrefOf(target ?? '') + end
  return (resource === 'post' ? postPath(site, { slug, language }) : guidePath(site, { slug })) + end
}

/** With and without a slash at the end, as visitors may write it. */
function withAndWithoutSlash(from: string): string[] {
  const path = from.replace(/\/$/, '')
  return [path, `${path}/`]
}

/** A `*` or `:` would make it a pattern (https://developers.cloudflare.com/workers/static-assets/redirects/). */
function cloudflareLines({ from, to }: Redirect): string {
  const source = from.replaceAll('*', '%2A').replaceAll(':', '%3A')
  return withAndWithoutSlash(source)
    .map((path) => `${path} ${to} 301\n`)
    .join('')
}

/** nginx stores the length of an exact location in one byte. */
const MAX_EXACT_BYTES = 255

/**
 * A location compares the decoded path with its case, a `map` without:
 * https://nginx.org/en/docs/http/ngx_http_core_module.html#location
 * Paths have no `"` or `\`; a `$` would begin a variable. Targets stay relative: nginx may not know its public host and scheme.
 */
function nginxLocations({ from, to }: Redirect): string {
  const target = to.replaceAll('$', '%24') + (/[?#]/.test(to) ? '' : '$is_args$args')
  return withAndWithoutSlash(decodeURIComponent(from))
    .map((path) => `location ${matching(path)} { absolute_redirect off; return 301 "${target}"; }\n`)
    .join('')
}

function matching(path: string): string {
  const isExact = new TextEncoder().encode(path).length <= MAX_EXACT_BYTES
  return isExact ? `= "${path}"` : `~ "^${path.replaceAll(/[.$()*+?^|[\]{}]/g, '\\$&')}$"`
}

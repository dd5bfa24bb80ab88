/** Matches articles by origin, or else by slug. Follows renames at the source, and keeps renames made here. */
import type { ArticleKind } from '../content/model/article-filters.ts'
import type { Api } from './api.ts'
import { Failure } from './failure.ts'
import { itemsOf } from './pages.ts'
import type { Report } from './report.ts'
import type { Item } from './routes.ts'
import { slugChooser } from './slug.ts'
import type { Article, Source, SourceArticle, Target } from './source.ts'

const PAGE_ROWS = 500
const CONFLICT = 409

type Status = NonNullable<Article['status']>

type Known = {
  kind: ArticleKind
  slug: string
  origin: string | null
  originSlug: string | null
  isSeen: boolean
  /** True if it gets the new slug once another article has left it. */
  isWaitingForSlug: boolean
}

type Placement = { slug: string } | { refused: string } | 'waits'

export type Missing = { kind: ArticleKind; slug: string; origin: string; isOfSource: boolean }

export type Matcher = {
  /** @param isLast true if no other article will leave a slug */
  assignSlug(found: SourceArticle, isLast: boolean): Promise<Placement>
  /** The article's current slug on this site, which differs if it was renamed here. */
  currentSlug(target: Pick<Target, 'kind' | 'slug'>): string
  /** Articles that have, or may have, an origin of this source and were not in the import. */
  missing(): Missing[]
  renamed(): number
  /** The status of the article that had the slug when the import began, or was renamed to it. Null for a new one. */
  statusBefore(kind: ArticleKind, slug: string): Status | null
}

const keyOf = (kind: ArticleKind, name: string) => `${kind} ${name.normalize('NFC')}`

export async function openMatcher(
  api: Api,
  site: string,
  { origins }: Pick<Source, 'origins'>,
  report: Pick<Report, 'lose'>,
  dryRun: boolean,
): Promise<Matcher> {
  const bySlug = new Map<string, Known>()
  const byOrigin = new Map<string, Known>()
  const byOriginSlug = new Map<string, Known>()
  const statuses = new Map<string, Status>()
  for (const kind of ['posts', 'guides'] as const) {
    for await (const { slug, status, originId: origin, originSlug } of listed(api, site, kind)) {
      const known = { kind, slug, origin, originSlug, isSeen: false, isWaitingForSlug: false }
      bySlug.set(keyOf(kind, slug), known)
      statuses.set(keyOf(kind, slug), status)
      if (origin !== null) byOrigin.set(keyOf(kind, origin), known)
      if (originSlug !== null && originSlug !== slug) byOriginSlug.set(keyOf(kind, originSlug), known)
    }
  }
  const chooserFor = (kind: ArticleKind) => slugChooser((slug) => bySlug.has(keyOf(kind, slug)))
  const chooseSlug = { posts: chooserFor('posts'), guides: chooserFor('guides') }
  let renamed = 0

  async function rename(known: Known, slug: string): Promise<void> {
    if (!dryRun)
      await api(`PUT /sites/{siteId}/${known.kind}/{slug}/slug`, [site, known.slug], { body: { slug } })
    bySlug.delete(keyOf(known.kind, known.slug))
    if (known.originSlug !== null) byOriginSlug.delete(keyOf(known.kind, known.originSlug))
    bySlug.set(keyOf(known.kind, slug), known)
    const status = statuses.get(keyOf(known.kind, known.slug))
    if (status) statuses.set(keyOf(known.kind, slug), status)
    known.slug = slug
    renamed += 1
  }

  async function follow(known: Known, slug: string, file: string, isLast: boolean): Promise<Placement> {
    const rival = bySlug.get(keyOf(known.kind, slug))
    known.isWaitingForSlug = rival !== undefined && !isLast
    if (known.isWaitingForSlug) return 'waits'
    try {
      // Two articles that wait for each other have swapped slugs, so the first needs a temporary one.
      if (rival?.isWaitingForSlug) await rename(rival, `${rival.slug}-${crypto.randomUUID().slice(0, 8)}`)
      else if (rival) throw new Failure('it is taken', CONFLICT)
      await rename(known, slug)
    } catch (error) {
      if (!(error instanceof Failure) || error.status !== CONFLICT) throw error
      const reason = 'renamed at the source to the slug of another post or guide here: it keeps its old slug'
      await report.lose({ file, field: 'slug', reason, detail: slug })
    }
    return { slug: known.slug }
  }

  function setOrigin(known: Known, origin: string): void {
    if (known.origin !== null) byOrigin.delete(keyOf(known.kind, known.origin))
    byOrigin.set(keyOf(known.kind, origin), Object.assign(known, { origin, isSeen: true }))
  }

  /** The slug belongs to another article of this source since it was renamed here. */
  async function assignFreeSlug({ file, kind, article }: SourceArticle, origin: string): Promise<Placement> {
    const slug = chooseSlug[kind](article.slug)
    const known = { kind, slug, origin, originSlug: article.slug, isSeen: true, isWaitingForSlug: false }
    bySlug.set(keyOf(kind, slug), known)
    byOrigin.set(keyOf(kind, origin), known)
    byOriginSlug.set(keyOf(kind, article.slug), known)
    const reason = 'the slug is taken by another post or guide'
    await report.lose({ file, field: 'slug', reason, detail: `${article.slug} here: it is ${slug}` })
    return { slug }
  }

  /** Finds the article by its origin or, if nothing has that, by its former origin. */
  function byOriginOf({ kind, article: { slug }, origin, formerOrigin }: SourceArticle): Known | undefined {
    if (origin === undefined) return undefined
    const known = byOrigin.get(keyOf(kind, origin))
    const former = formerOrigin && byOrigin.get(keyOf(kind, formerOrigin.name))
    if (known || !former) return known
    if (!formerOrigin.isUnique && former.slug !== slug && former.originSlug !== slug) return undefined
    setOrigin(former, origin)
    return former
  }

  return {
    async assignSlug(found, isLast) {
      const { file, kind, article, origin, exported } = found
      const { slug } = article
      const known = byOriginOf(found)
      if (known) {
        known.isSeen = true
        const isAsBefore = known.slug === slug || (!exported && known.originSlug === slug)
        return isAsBefore ? { slug: known.slug } : follow(known, slug, file, isLast)
      }
      const rival = bySlug.get(keyOf(kind, slug))
      if (origin === undefined || rival === undefined || rival.origin === null) {
        const adopted = rival ?? { kind, slug, originSlug: slug, isWaitingForSlug: false }
        if (origin !== undefined) {
          const claimed = Object.assign(adopted, { origin, isSeen: true })
          bySlug.set(keyOf(kind, slug), claimed)
          byOrigin.set(keyOf(kind, origin), claimed)
        }
        return { slug }
      }
      if (!isLast) return 'waits'
      const isOfSource = origins !== undefined && rival.origin.startsWith(origins.prefix)
      if (!isOfSource) return { refused: `the slug ${slug} belongs to another article here, ${rival.origin}` }
      if (rival.isSeen) return assignFreeSlug(found, origin)
      // Its origin changed at the source: no other article there uses the old one.
      setOrigin(rival, origin)
      return { slug }
    },
    currentSlug: ({ kind, slug }) => byOriginSlug.get(keyOf(kind, slug))?.slug ?? slug,
    missing() {
      if (!origins) return []
      const { prefix, formerPrefix = prefix, kinds } = origins
      return [...byOrigin.values()].flatMap(({ kind, slug, origin, isSeen }) => {
        if (origin === null || isSeen || !kinds.includes(kind)) return []
        const isOfSource = origin.startsWith(prefix)
        return isOfSource || origin.startsWith(formerPrefix) ? [{ kind, slug, origin, isOfSource }] : []
      })
    },
    renamed: () => renamed,
    statusBefore: (kind, slug) => statuses.get(keyOf(kind, slug)) ?? null,
  }
}

/** Slugs given by earlier imports, by origin. */
export async function slugsByOrigin(api: Api, site: string, kind: ArticleKind): Promise<Map<string, string>> {
  const slugs = new Map<string, string>()
  for await (const { originId, originSlug } of listed(api, site, kind))
    if (originId !== null && originSlug !== null) slugs.set(originId, originSlug)
  return slugs
}

const listed = (api: Api, site: string, kind: ArticleKind) =>
  itemsOf<Item<`GET /sites/{siteId}/${ArticleKind}`>>(
    (query) => api(`GET /sites/{siteId}/${kind}`, [site], { query }),
    PAGE_ROWS,
  )

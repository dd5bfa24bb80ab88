/** The interface of importers: a source yields articles and reports its losses. */
import type * as z from 'zod/mini'
import type { ArticleKind } from '../content/model/article-filters.ts'
import type { SiteAddress } from '../content/model/urls.ts'
import type { PostInput } from '../content/posts/post.ts'
import type { Issue } from '../core/errors.ts'
import type { Schemas } from './routes.ts'

export type LoadedSite = SiteAddress & { id: string }

/** Body of a put. Times are RFC 3339. */
export type Article = z.input<typeof PostInput>

/** `file` names the source for the operator: a file, or `item 12 (Hello)`. */
export type SourceArticle = {
  file: string
  kind: ArticleKind
  article: Article
  /** From an export: has every field of the API, and its addresses are already the site's. */
  exported?: boolean
  id?: string
  /** Permanent name at the source, for example `wordpress:blog.example:12`. */
  origin?: string | undefined
  /** An older name, which another source may share: it matches only with the same slug, unless `isUnique`. */
  formerOrigin?: { name: string; isUnique: boolean } | undefined
  /** Paths at the old site, which will redirect. */
  oldAddresses?: string[]
}

export type Redirect = Schemas['RedirectInput']

/** A part of an article that is lost. `detail`, for example an address, is added to the reason in the report. */
export type Loss = { file: string; field: string; reason: string; detail?: string }

/** `isNoArticle` marks an item that is not meant to be an article, so nothing is missing. `issues` are those in the reason. */
export type Skipped = { file: string; reason: string; isNoArticle?: boolean; issues?: readonly Issue[] }

/** `file` also says where in the file the redirect is. */
export type PlacedRedirect = { file: string; redirect: Redirect }

export type Entry =
  | { found: SourceArticle }
  | { loss: Loss }
  | { skipped: Skipped }
  | { redirect: PlacedRedirect }

export type Target = Pick<Article, 'slug' | 'language'> & { kind: ArticleKind }

/** The prefix of all origins of a source, which shows what is gone from it. */
export type Origins = {
  prefix: string
  /** Older prefix, which other sources of the same kind may share. */
  formerPrefix?: string
  kinds: ArticleKind[]
  /** True if the source may hide articles, so that a missing one need not be gone. */
  isPartial?: boolean
}

export type Source = {
  /** Number of articles and skipped ones that `read` yields; null while unknown. */
  total: number | null
  /** Streams. Addresses in bodies stay as written. */
  read(): AsyncIterable<Entry>
  /**
   * Resolves an address in `file` to an article; null if it is on the old site but leads to none; undefined if it is not on
   * the old site (another host, `mailto:`, `#fragment`).
   */
  target(address: string, file: string): Target | null | undefined
  /**
   * Path of a medium below the old site's root, for example `wp-content/uploads/a.png`: percent-encoded, without query and
   * fragment. Null if it is on another host.
   */
  mediaPath(address: string, file: string): string | null
  origins?: Origins | undefined
  /** Imports the rest after the articles, and returns lines for the report by name. */
  rest?(): Promise<Record<string, unknown>>
  close?(): Promise<void>
}

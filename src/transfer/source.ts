/** What the importers have in common: a source reads articles, one after another, and says what it leaves behind. */
import type * as z from 'zod/mini'
import type { ArticleKind } from '../content/model/article-filters.ts'
import type { SiteAddress } from '../content/model/urls.ts'
import type { PostInput } from '../content/posts/post.ts'
import type { Schemas } from './routes.ts'

/** The site that a source is loaded into. */
export type LoadedSite = SiteAddress & { id: string }

/** The body of a put, as the management API takes it. Times are RFC 3339. */
export type Article = z.input<typeof PostInput>

/** An article to put. `file` says where it comes from, as the operator knows it: a file, or `item 12 (Hello)`. */
export type Found = {
  file: string
  kind: ArticleKind
  article: Article
  /** Of an export: every field of the API, and the addresses in it are the site's already. */
  exported?: boolean
  /** What a new article gets as its id. */
  id?: string
  /** What it is called at its source for good, such as `wordpress:blog.example:12`. */
  origin?: string | undefined
  /**
   * What it was called while sources of its kind were not told apart, and so perhaps another article too: it is only that one
   * if it has the same slug, unless `isUnique`.
   */
  formerOrigin?: { name: string; isUnique: boolean } | undefined
  /** Where it was: paths of the old site, which redirects lead from. */
  oldAddresses?: string[]
}

/** An old address, and where it leads. */
export type Redirect = Schemas['RedirectInput']

/**
 * A part of an article that is not taken over. `detail` says which one, such as an address, where many have the same reason:
 * the report adds it to the reason.
 */
export type Loss = { file: string; field: string; reason: string; detail?: string }

/** An article that is not taken over. */
/** `isNoArticle` says that nobody would expect one of it, so nothing is missing. */
export type Skipped = { file: string; reason: string; isNoArticle?: boolean }

/** `file` says where it stands, too. */
export type PlacedRedirect = { file: string; redirect: Redirect }

export type Entry = { found: Found } | { loss: Loss } | { skipped: Skipped } | { redirect: PlacedRedirect }

/** Where a link leads: to an article of the import. */
export type Target = Pick<Article, 'slug' | 'language'> & { kind: ArticleKind }

/** How the origins of all that a source has begin, so that what is gone from it can be told. */
export type Origins = {
  prefix: string
  /** How those began that may be of this source or of another of its kind. */
  formerPrefix?: string
  kinds: ArticleKind[]
  /** Whether the source may have more than it shows, so that what is not seen need not be gone. */
  isPartial?: boolean
}

export type Source = {
  /** How many articles and skipped ones `read` gives; null while that is unknown. */
  total: number | null
  /** Holds a few articles at a time. The bodies' addresses are as they were written. */
  read(): AsyncIterable<Entry>
  /**
   * What an address in `file` leads to: an article of the import; null if it is an address of the old site that leads to
   * none; undefined if it is none of the old site's, such as another host's, `mailto:` or `#fragment`.
   */
  target(address: string, file: string): Target | null | undefined
  /**
   * The address of a medium in `file` as a path below the old site's root, such as `wp-content/uploads/a.png`; null if
   * another host has it. It is as in a URL, percent-encoded, without query and fragment.
   */
  mediaPath(address: string, file: string): string | null
  origins?: Origins | undefined
  /** Brings what is not an article, once those are put; a line of the report, by name. */
  rest?(): Promise<Record<string, unknown>>
  /** Gives back what the source holds open. */
  close?(): Promise<void>
}

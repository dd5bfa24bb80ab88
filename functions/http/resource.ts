/** What a route of the API reads, and how it may be cached. */

import type { Seen } from '../../src/db/content-version.ts'
import type { ContentScope } from '../../src/db/site-scope.ts'
import type { Context } from '../../src/foundation/context.ts'
import type { RequiredAccess } from './api-key.ts'

/** `Input` is JSON. */
export type Resource<Input> = Loader<Input> & {
  access?: RequiredAccess
  /** What is read instead for keys that do not open everything, if it could have drafts. */
  withoutDrafts?: (input: Input) => Input
  /** The kind of version that the answer has, as the statements of `load` return it. Missing: that of published content. */
  seen?: (input: Input) => Seen
  /** What is read instead with a link to a post. Missing: its token is refused like a wrong key. */
  ofPost?: (input: Input, postId: string) => Input
  /** By which slug it is read, for the answer to have the version of that. Missing, or null: that of the whole site. */
  slugOf?: (input: Input) => string | null
  cacheControl: string
  contentType: string
  /** Whether every version of the site has an answer, so that `If-None-Match: *` is 304 without one being loaded. */
  matchAny: (input: Input) => boolean
  /** Whether an answer other than 304 uses up quota. */
  counted: boolean
}

/** Each has an entry in `loaders` of functions/api/bodies.ts, which the compiler asks for. */
export type LoaderName =
  | 'posts'
  | 'post'
  | 'guides'
  | 'guide'
  | 'sitemap'
  | 'rss'
  | 'json-feed'
  | 'redirects'
  | 'changes'
  | 'training'

export type Loaders = Record<LoaderName, Loader<never>>

/**
 * What makes a body. It is shared by all isolates, so it may depend on nothing but these arguments and Postgres, and each
 * statement tells `sawContentVersion` at which version it read.
 */
export type Loader<Input> = {
  /** Part of every tag: another one when the form of the answer changes by something else than fields of posts and guides. */
  name: LoaderName
  load: (ctx: Context, site: ContentScope, input: Input) => Promise<Loaded>
}

/** Whole, or in pieces. `paging` is what the route makes a `Link` of. */
export type Loaded = { body: string | AsyncIterable<string>; paging?: string | null }

/** A live WordPress site as a source, through its REST API. */

import type { ArticleKind } from '../../content/model/article-filters.ts'
import type { Entry, Skipped, Source } from '../../transfer/source.ts'
import { languageTag } from '../import/languages.ts'
import type { Reason } from '../import/losses.ts'
import { addressesOf, oldAddressesOf, pathOf } from './addresses.ts'
import { entriesOf, originsOf } from './article.ts'
import { type ArticleIndex, articleIndexBuilder } from './article-index.ts'
import type { WordPressOptions } from './file.ts'
import { type ListOptions, list } from './list.ts'
import { getUnlessRefused, openRelated, type Related } from './related.ts'
import { connectRest, type Rest, type RestOptions } from './rest.ts'
import { postOfRest, restPostName, seoOfRest } from './rest-post.ts'
import { objectOf, type RestPost, stringOf } from './rest-shape.ts'
import { slugOf } from './slug.ts'
import { type Member, sourcesOf } from './translations.ts'

/** Each type takes one request. */
const MAX_TYPES = 100
const INDEX_FIELDS = 'id,slug,link,status,title,parent,lang,translations'
/** Not the terms, since WordPress embeds at most ten. */
const EMBEDDED = 'author,wp:featuredmedia'
const INTERNAL_TYPE = /^(?:wp_|nav_menu_item$|post$|page$)/

export type SiteOptions = WordPressOptions & RestOptions & ListOptions

type Index = {
  base: URL | null
  /** Numbered by id, which posts and pages share. */
  articles: ArticleIndex
  sources: Map<number, number>
}

/**
 * Reads public posts and pages; with an application password in `WORDPRESS_USER` and `WORDPRESS_PASSWORD` of `env`, also
 * drafts and private ones. Users get the raw text of posts that they may edit, and rendered bodies of others. @throws
 * Failure when it is not WordPress, or its REST API cannot be used
 */
export async function wordpressSite(address: string, options: SiteOptions): Promise<Source> {
  const rest = await connectRest(address, options)
  const kinds: ArticleKind[] = options.pages === 'guides' ? ['posts', 'guides'] : ['posts']
  const index = await readIndex(rest, kinds, options)
  const related = await openRelated(rest)
  const origins = originsOf(index.base, options.pages)
  const mediaHosts = new Set<string>()
  return {
    total: index.articles.count,
    async *read() {
      for (const kind of kinds) {
        const left: Skipped[] = []
        const cutShort = (file: string, reason: string) => void left.push({ file, reason })
        for await (const posts of list(rest, kind, { _embed: EMBEDDED }, options, cutShort)) {
          await related.fetchFor(posts)
          for (const post of posts) {
            for (const { source_url } of post._embedded?.['wp:featuredmedia'] ?? []) {
              const host = source_url && URL.parse(source_url)?.host
              if (host) mediaHosts.add(host)
            }
            yield* entriesOfPost(post, kind, index, related, options)
          }
        }
        for (const skipped of left) yield { skipped }
      }
      yield* leftOut(rest, related, new URL(address).host, options)
    },
    origins: origins && { ...origins, isPartial: !rest.isSignedIn },
    ...addressesOf({
      base: index.base,
      mediaHosts,
      byPath: index.articles.byPath,
      byId: index.articles.byId,
    }),
  }
}

async function readIndex(rest: Rest, kinds: ArticleKind[], options: SiteOptions): Promise<Index> {
  const { body: root } = await rest.get('')
  const { home, url } = objectOf(root) ?? {}
  const builder = articleIndexBuilder()
  const groups = new Map<number, Member[]>()
  for (const kind of kinds) {
    for await (const posts of list(rest, kind, { _fields: INDEX_FIELDS }, options)) posts.forEach(add)

    function add({ id, slug, link, status, title, lang, translations }: RestPost): void {
      const url = link === undefined ? null : URL.parse(link)
      const path = url ? pathOf(url) : ''
      const language = lang ? languageTag(lang) : undefined
      builder.add({
        number: id,
        id,
        kind,
        slug: slugOf(slug, title?.raw ?? title?.rendered ?? '', kind, id),
        isPublic: status === 'publish',
        language,
        path: status === 'publish' ? path : '',
      })
      const all = Object.values(translations ?? {})
      if (all.length > 1) {
        const group = Math.min(...all)
        groups.set(group, [...(groups.get(group) ?? []), { number: id, kind, language, isOriginal: false }])
      }
    }
  }
  const language = options.language ?? options.defaultLanguage
  return {
    base: URL.parse(`${(stringOf(home) ?? stringOf(url) ?? '').replace(/\/*$/, '')}/`),
    articles: builder.build(language),
    sources: sourcesOf(groups.values(), language),
  }
}

function entriesOfPost(
  rest: RestPost,
  kind: ArticleKind,
  index: Index,
  related: Related,
  options: SiteOptions,
): Entry[] {
  const file = restPostName(rest, kind)
  const article = index.articles.byId(rest.id)
  if (!article)
    return [{ skipped: { file, reason: 'added in the meantime: run the same command again to import it' } }]
  const { slug, language } = article
  const source = index.articles.byId(index.sources.get(rest.id) ?? 0)
  try {
    const placing = {
      kind,
      slug,
      language,
      sourceSlug: source?.slug,
      moved: index.articles.moved.get(rest.id),
      oldAddresses: oldAddressesOf(rest.link, [], index.base),
    }
    const origins = originsOf(index.base, options.pages)
    return entriesOf(postOfRest(rest, placing, related), seoOfRest(rest), { ...options, origins })
  } catch (error) {
    return [{ skipped: { file, reason: (error as Error).message } }]
  }
}

async function* leftOut(
  rest: Rest,
  { hasTaxonomies }: Related,
  file: string,
  { pages }: SiteOptions,
): AsyncGenerator<Entry> {
  const loss = (field: string, reason: Reason, detail?: string): Entry => ({
    loss: { file, field, reason, ...(detail !== undefined && { detail }) },
  })
  if (!rest.isSignedIn) {
    yield loss(
      'status',
      'WordPress shows drafts, private and scheduled posts only with WORDPRESS_USER and WORDPRESS_PASSWORD',
    )
  }
  if (!hasTaxonomies) yield loss('taxonomies', 'WordPress shows only categories and tags')
  const types = await getUnlessRefused(rest, 'wp/v2/types')
  if (types === null) yield loss('types', 'they cannot be counted')
  const others: [type: string, route: string][] = [
    ...Object.values(objectOf(types) ?? {}).flatMap((each): [string, string][] => {
      const { slug, rest_base: base, rest_namespace } = objectOf(each) ?? {}
      const isOther =
        typeof slug === 'string' && typeof base === 'string' && base && !INTERNAL_TYPE.test(slug)
      return isOther ? [[slug, `${stringOf(rest_namespace) ?? 'wp/v2'}/${base}`]] : []
    }),
    ...(pages === 'none' ? ([['page', 'wp/v2/pages']] as [string, string][]) : []),
    ['comment', 'wp/v2/comments'],
  ]
  const uncounted = others.length - MAX_TYPES
  if (uncounted > 0) yield loss('types', 'some content types are not read', String(uncounted))
  for (const [type, route] of others.slice(0, MAX_TYPES)) {
    const count = await countOf(rest, route)
    if (count === null) yield loss(type, 'they cannot be counted')
    else if (count > 0) yield loss(type, reasonFor(type), String(count))
  }
}

function reasonFor(type: string): Reason {
  if (type === 'attachment') return 'an upload: its file is not moved, and its page is left out'
  return type === 'comment' ? 'comments by readers are left out' : 'they are left out'
}

/** Null if WordPress does not say, for example when comments are disabled. */
async function countOf(rest: Rest, route: string): Promise<number | null> {
  try {
    const { headers } = await rest.get(route, { per_page: '1', _fields: 'id' })
    return Number(headers.get('x-wp-total') ?? 0)
  } catch {
    return null
  }
}

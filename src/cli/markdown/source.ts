/** A folder of Markdown as a source. Converted bodies wait in a spool until all slugs are known. */
import { Failure } from '../../transfer/failure.ts'
import type { Article, Entry, Skipped, Source } from '../../transfer/source.ts'
import type { OpenSpool, Spool, SpoolRange } from '../../transfer/spool.ts'
import { addressBook, type OldSite } from './addresses.ts'
import type { Converted } from './converted.ts'
import type { CacheKey, Folder } from './dependencies.ts'
import type { Content, Outline } from './document.ts'
import { byPath, findMarkdown } from './folder.ts'
import { findGenerator } from './generators/find.ts'
import type { Generator } from './generators/generator.ts'
import { type PlanOptions, planArticles, toArticle } from './plan.ts'
import { redirectsIn, redirectTo } from './redirect-files.ts'

const UNNAMED = 'markdown:'

type Kept = Outline & { place: SpoolRange; made: CacheKey }

const BECOMES_REDIRECT = 'a page that only redirects becomes a redirect'
const NO_PATH =
  'an old address that is neither a path from the root nor on a host of --old-url or of the site'

/** Passes each file to `take` or `skip`, in any order. `all` reads those taken so far. */
export type ConvertFolder = (
  folder: Folder,
  generator: Generator,
  into: {
    take(converted: Converted): Promise<void>
    skip(skipped: Skipped): void
    all(): AsyncIterable<Converted>
  },
) => Promise<void>

type FolderOptions = PlanOptions & {
  convert: ConvertFolder
  openSpool: OpenSpool
  slugsBefore: () => Promise<Map<string, string>>
}

/** Messages call the folder `dir`. */
export async function markdownFolder(
  root: string,
  dir: string,
  options: FolderOptions,
  old: OldSite,
): Promise<Source> {
  const found = await findMarkdown(root)
  const generator = await findGenerator(root, found.files)
  const isContent = (file: string) => file.startsWith(generator.content)
  const files = found.files.filter(isContent)
  const skipped = found.skipped.filter(({ file }) => isContent(file))
  if (files.length + skipped.length === 0)
    throw new Failure(`No .md, .markdown or .mdx file, and no .html with front matter, in ${dir}`)
  const prefix = options.origin === undefined ? UNNAMED : `markdown@${options.origin}:`
  const spool = await options.openSpool()
  try {
    const kept: Kept[] = []
    await options.convert({ root, files, others: found.others }, generator, {
      async take({ outline, content, made }) {
        kept.push({ ...outline, made, place: await spool.append(content) })
      },
      skip: (one) => void skipped.push(one),
      all: () => converted(kept, spool),
    })
    const [leading, pages] = [kept.filter(({ leadsTo }) => leadsTo), kept.filter(({ leadsTo }) => !leadsTo)]
    const ids = Map.groupBy(pages, ({ id }) => id)
    const nameOf = (document: Outline) => nameIn(document, ids.get(document.id)?.length === 1)
    let plan = planArticles(pages, options)
    // Asks the site only if slugs conflict.
    if (plan.some(({ moved }) => moved)) {
      const before = await options.slugsBefore()
      plan = planArticles(pages, { ...options, before: (document) => before.get(prefix + nameOf(document)) })
    }
    const basePath = (address: string) =>
      /^\/(?!\/)/.test(address) && !address.startsWith(`${generator.basePath}/`)
        ? generator.basePath + address
        : address
    skipped.sort((a, b) => byPath(a.file, b.file))
    const { target, mediaPath, ownPath } = addressBook(plan, old, generator, found.others)
    return {
      total: plan.length + skipped.length,
      async *read(): AsyncIterable<Entry> {
        for (const one of skipped) yield { skipped: one }
        for (const { file, addresses, leadsTo = '' } of leading) {
          const from = addresses.map(basePath).flatMap((address) => ownPath(address) ?? [])
          yield { loss: { file, field: 'redirect_to', reason: BECOMES_REDIRECT, detail: leadsTo } }
          for (const each of from) yield { redirect: { file, redirect: redirectTo(each, leadsTo, target) } }
        }
        for (const planned of plan) {
          const { file, place, addresses } = planned.document
          const content: Content = JSON.parse(await spool.read(place))
          const { article, losses, exported } = toArticle(planned, content, options)
          for (const loss of losses) yield { loss: { file, ...loss } }
          const canonical = exported ? undefined : foreignCanonical(article, old)
          if (canonical) yield { loss: { file, ...canonical } }
          for (const detail of addresses.filter((address) => ownPath(address) === null))
            yield { loss: { file, field: 'redirect', reason: NO_PATH, detail } }
          const oldAddresses = addresses.map(basePath).flatMap((address) => ownPath(address) ?? [])
          const name = nameOf(planned.document)
          const origin = exported ? (article.originId ?? undefined) : prefix + name
          const formerOrigin = exported ? undefined : { name: UNNAMED + name, isUnique: false }
          yield { found: { file, kind: planned.kind, article, exported, origin, formerOrigin, oldAddresses } }
        }
        yield* redirectsIn(root, target)
      },
      origins: { prefix, kinds: [options.as] },
      target,
      mediaPath,
      close: () => spool.close(),
    }
  } catch (error) {
    await spool.close()
    throw error
  }
}

async function* converted(kept: Kept[], spool: Spool): AsyncIterable<Converted> {
  for (const { place, made, ...outline } of kept) yield { outline, content: await spool.read(place), made }
}

/** The `id` if no other file has it (versions of a document share one), otherwise the path. */
const nameIn = ({ file, id }: Outline, isOwn: boolean) => (isOwn && id !== undefined ? `#${id}` : file)

/** A canonical address elsewhere does not remove the article from the site's sitemap. */
function foreignCanonical({ canonicalUrl: address }: Article, { site, base, url }: OldSite) {
  const siteHosts = [`https://${site.domain}`, base, ...(url ? [url] : [])].map((each) => new URL(each).host)
  // An address without a host is the site's own.
  const host = address && URL.parse(address)?.host
  if (!host || siteHosts.includes(host)) return undefined
  return {
    field: 'canonical',
    reason: 'its canonical address is on another domain, but the sitemap will list it once published',
    detail: address,
  }
}

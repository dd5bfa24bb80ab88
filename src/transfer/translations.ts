/** Translations wait until everything else is saved, since the API refuses one without its source. */
import { sourcesFirst } from './batches.ts'
import type { SourceArticle } from './source.ts'
import type { OpenSpool, SpoolRange } from './spool.ts'

type Waiting = { slug: string; sourceSlug: string; place: SpoolRange }

export async function openTranslations(openSpool: OpenSpool) {
  const spool = await openSpool()
  const waiting: Waiting[] = []
  return {
    async add(found: SourceArticle): Promise<void> {
      const { slug, sourceSlug } = found.article
      const place = await spool.append(JSON.stringify(found))
      waiting.push({ slug: stored(slug), sourceSlug: stored(sourceSlug), place })
    },
    async *inOrder(): AsyncIterable<SourceArticle> {
      for (const { place } of sourcesFirst(waiting, (one) => one)) yield JSON.parse(await spool.read(place))
    },
    [Symbol.asyncDispose]: () => spool.close(),
  }
}

/** The service stores slugs in this form. */
const stored = (slug: unknown) => String(slug).normalize('NFC')

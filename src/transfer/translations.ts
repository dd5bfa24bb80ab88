/** Translations wait until everything else is saved, since the API refuses one without its source. */
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
      for (const { place } of sorted(waiting)) yield JSON.parse(await spool.read(place))
    },
    [Symbol.asyncDispose]: () => spool.close(),
  }
}

/** The service stores slugs in this form. */
const stored = (slug: unknown) => String(slug).normalize('NFC')

function sorted(waiting: Waiting[]): Waiting[] {
  const bySlug = new Map(waiting.map((one) => [one.slug, one]))
  const depths = new Map<Waiting, number>()
  for (const one of waiting) {
    const above: Waiting[] = []
    let at: Waiting | undefined = one
    // Stops at a cycle, which the API refuses.
    while (at && !depths.has(at) && !above.includes(at)) {
      above.push(at)
      at = bySlug.get(at.sourceSlug)
    }
    let depth = at ? (depths.get(at) ?? 0) : 0
    for (const each of above.reverse()) depths.set(each, ++depth)
  }
  return waiting.toSorted((a, b) => (depths.get(a) ?? 0) - (depths.get(b) ?? 0))
}

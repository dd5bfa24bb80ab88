/** An article as a guide, which has fewer fields than a post. */
import type { Report } from './report.ts'
import type { Found } from './source.ts'

const REASON = 'guides have no such field'

/** The guide; the fields that it loses are reported by name. */
export async function asGuide(
  { article, ...found }: Found,
  { defaultLanguage }: { defaultLanguage: string },
  report: Pick<Report, 'lose'>,
): Promise<Found> {
  const { language, sourceSlug, seo, schemaBundle, ...guide } = article
  const lost = [
    ...(language && language.toLowerCase() !== defaultLanguage.toLowerCase() ? ['language'] : []),
    ...(sourceSlug ? ['sourceSlug'] : []),
    ...Object.keys(seo ?? {}).map((name) => `seo.${name}`),
    ...Object.keys(schemaBundle?.article ?? {}).map((name) => `schemaBundle.article.${name}`),
  ]
  for (const field of lost) await report.lose({ file: found.file, field, reason: REASON })
  return { ...found, article: guide }
}

import { GUIDE_FIELDS } from '../content/guides/guide.ts'
import { POST_FIELDS } from '../content/posts/fields.ts'
import type { Report } from './report.ts'
import type { Article, SourceArticle } from './source.ts'

const POSTS_ALONE = Object.keys(POST_FIELDS).filter((name) => !(name in GUIDE_FIELDS))
const REASON = 'guides have no such field'

/** Guides have fewer fields than posts: reports each field that the article loses. */
export async function asGuide(
  { article, ...found }: SourceArticle,
  { defaultLanguage }: { defaultLanguage: string },
  report: Pick<Report, 'lose'>,
): Promise<SourceArticle> {
  for (const [name, value] of POSTS_ALONE.map((name) => [name, article[name as keyof Article]] as const)) {
    if (value == null || (name === 'language' && isSame(value, defaultLanguage))) continue
    for (const field of partsOf(name, value)) await report.lose({ file: found.file, field, reason: REASON })
  }
  const kept = Object.entries(article).filter(([name]) => !POSTS_ALONE.includes(name))
  return { ...found, article: Object.fromEntries(kept) as Article }
}

const isSame = (value: unknown, language: string) => String(value).toLowerCase() === language.toLowerCase()

/** Field names to report: nested ones separately, but an image as one. */
function partsOf(name: string, value: unknown): string[] {
  if (name === 'schemaBundle') return partsOf('schemaBundle.article', (value as { article: unknown }).article)
  if (name === 'image') return [name]
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? Object.keys(value).map((part) => `${name}.${part}`) : [name]
}

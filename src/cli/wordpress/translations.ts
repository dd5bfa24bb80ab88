/** Translations in Polylang, or in the add-on WPML Export and Import. */
import type { ArticleKind } from '../../content/model/article-filters.ts'
import type { Item } from './export-file.ts'

export const WPML_KEYS = [
  '_wpml_import_language_code',
  '_wpml_import_source_language_code',
  '_wpml_import_translation_group',
]

export type Member = { number: number; kind: ArticleKind; language: string | undefined; isOriginal: boolean }

export function groupOf({ terms, meta }: Item): { name: string; isOriginal: boolean } | null {
  const polylang = terms.find(({ taxonomy }) => taxonomy === 'post_translations')
  if (polylang) return { name: `polylang ${polylang.slug}`, isOriginal: false }
  const wpml = meta.get('_wpml_import_translation_group')
  if (!wpml) return null
  return { name: `wpml ${wpml}`, isOriginal: !meta.get('_wpml_import_source_language_code') }
}

/** Maps translations to their source: WPML's original, or else the one in the default language, or else the first. */
export function sourcesOf(groups: Iterable<Member[]>, defaultLanguage: string): Map<number, number> {
  const sources = new Map<number, number>()
  for (const group of groups) {
    for (const members of Map.groupBy(group, ({ kind }) => kind).values()) {
      const source =
        members.find(({ isOriginal }) => isOriginal) ??
        members.find(({ language }) => language?.toLowerCase() === defaultLanguage.toLowerCase()) ??
        members[0]
      for (const member of members) {
        if (source && member !== source) sources.set(member.number, source.number)
      }
    }
  }
  return sources
}

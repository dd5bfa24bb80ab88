/** What a source knows of an article besides its text, as the fields of a put. */
import { METADATA_INPUTS, type Metadata, schemaArticle } from '../../foundation/post-metadata.ts'
import type { Article } from '../../transfer/source.ts'

type Beside = { seo?: NonNullable<Article['seo']>; article?: Record<string, unknown> }

/**
 * The fields, with `seo` and with what no field has a word for, which is `article`, of the post's bundle. What a put would
 * refuse, such as an address of another scheme, is left to these two, as far as they have it.
 */
export function metadataFields(
  known: Metadata,
  { seo = {}, article = {} }: Beside = {},
): Pick<Article, keyof Metadata | 'seo' | 'schemaBundle'> {
  const isGiven = ([, value]: [string, unknown]) => value != null && value !== '' && [value].flat().length > 0
  const given = Object.entries(known).filter(isGiven)
  const fits = ([name, value]: [string, unknown]) =>
    METADATA_INPUTS[name as keyof Metadata].safeParse(value).success
  const { tags, ...others }: Metadata = Object.fromEntries(given.filter((each) => !fits(each)))
  const wholeSeo = { ...seo, ...(tags && { keywords: tags }) }
  const wholeArticle = { ...schemaArticle(others), ...article }
  return {
    ...(Object.fromEntries(given.filter(fits)) as Metadata),
    ...(Object.keys(wholeSeo).length > 0 && { seo: wholeSeo }),
    ...(Object.keys(wholeArticle).length > 0 && { schemaBundle: { article: wholeArticle } }),
  }
}

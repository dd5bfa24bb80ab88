import {
  type KnownMetadata,
  METADATA_INPUTS,
  type Metadata,
  schemaArticle,
} from '../../content/model/post-metadata.ts'
import { joinIssues } from '../../core/errors.ts'
import { customError, issuesOf } from '../../core/zod.ts'
import type { Article } from '../../transfer/source.ts'

type Extra = { seo?: NonNullable<Article['seo']>; article?: Record<string, unknown> }

const BREAKS_A_RULE = 'invalid for its field, and kept only in the schema bundle or the keywords'

/**
 * Builds the metadata fields of a put. `article` has metadata without a field, for the post's bundle. A value that the API
 * would refuse, for example with an unknown URL scheme, is reported, and stays in `seo` and `article` if they have it.
 */
export function metadataFields(
  known: KnownMetadata,
  { seo = {}, article = {} }: Extra,
  lose: (field: string, reason: typeof BREAKS_A_RULE, detail: string) => void,
): Pick<Article, keyof Metadata | 'seo' | 'schemaBundle'> {
  const isGiven = ([, value]: [string, unknown]) => value != null && value !== '' && [value].flat().length > 0
  const entries = Object.entries(known).filter(isGiven)
  const broken = entries.filter(([name, value]) => {
    const { success, error } = METADATA_INPUTS[name as keyof Metadata].safeParse(value, {
      error: customError,
    })
    if (!success) lose(name, BREAKS_A_RULE, `${joinIssues(issuesOf(error))}: ${JSON.stringify(value)}`)
    return !success
  })
  const { tags, ...others }: Metadata = Object.fromEntries(broken)
  const wholeSeo = { ...seo, ...(tags && { keywords: tags }) }
  const wholeArticle = { ...schemaArticle(others), ...article }
  return {
    ...(Object.fromEntries(entries.filter((each) => !broken.includes(each))) as Metadata),
    ...(Object.keys(wholeSeo).length > 0 && { seo: wholeSeo }),
    ...(Object.keys(wholeArticle).length > 0 && { schemaBundle: { article: wholeArticle } }),
  }
}

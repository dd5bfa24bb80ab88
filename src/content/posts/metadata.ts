import * as z from 'zod/mini'
import { posts } from '../../db/schema.ts'
import type { FieldTable } from '../articles/field-table.ts'
import { METADATA_INPUTS } from '../model/post-metadata.ts'

const ADDRESS = 'an http or https URL, or one relative to the site'
const TINY = 'At most 32 KiB of JSON'

/** The fields of `include=metadata`. A derived bundle has them, too. */
export const METADATA = {
  authors: {
    column: posts.authors,
    shape: z.array(z.object({ name: z.string(), url: z.nullable(z.string()) })),
    operator: 'body',
    input: METADATA_INPUTS.authors,
    docs: { description: `\`url\` is ${ADDRESS}. ${TINY}` },
    put: 'edit',
    since: '1.1.0',
  },
  image: {
    column: posts.image,
    shape: z.nullable(
      z.object({
        url: z.string(),
        alt: z.nullable(z.string()),
        width: z.nullable(z.int()),
        height: z.nullable(z.int()),
      }),
    ),
    operator: 'body',
    input: METADATA_INPUTS.image,
    docs: { description: `\`url\` is ${ADDRESS}; sizes are pixels. ${TINY}` },
    put: 'edit',
    since: '1.1.0',
  },
  categories: {
    column: posts.categories,
    shape: z.array(z.string()),
    operator: 'body',
    input: METADATA_INPUTS.categories,
    docs: { description: TINY },
    put: 'edit',
    since: '1.1.0',
  },
  tags: {
    column: posts.tags,
    shape: z.array(z.string()),
    operator: 'body',
    input: METADATA_INPUTS.tags,
    docs: { description: `Also used as \`seo.keywords\` if those are omitted. ${TINY}` },
    put: 'edit',
    since: '1.1.0',
  },
  canonicalUrl: {
    column: posts.canonicalUrl,
    shape: z.nullable(z.string()),
    operator: 'body',
    input: METADATA_INPUTS.canonicalUrl,
    docs: { format: 'uri', description: "URL that search engines should index, if it is not the post's own" },
    put: 'edit',
    audited: true,
    since: '1.1.0',
  },
  modifiedAt: {
    column: posts.modifiedAt,
    shape: z.nullable(z.iso.datetime()),
    operator: 'body',
    input: METADATA_INPUTS.modifiedAt,
    docs: {
      description:
        "When the author last changed it: the sitemap's `lastmod`. `schemaBundle.article.dateModified` overrides it",
    },
    put: 'edit',
    since: '1.1.0',
  },
} satisfies FieldTable

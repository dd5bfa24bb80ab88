import * as z from 'zod/mini'
import { Instant } from '../../core/time.ts'

const MAX_AUTHORS = 100
/** For categories and for tags. */
const MAX_NAMES = 500
const MAX_PIXELS = 1_000_000
const MAX_ADDRESS_LENGTH = 2_048
/** Keeps a post with all its metadata within one response from Neon. */
const FIELD_BYTES = 32 * 1024

const tiny = z.refine(
  (value) => new TextEncoder().encode(JSON.stringify(value)).length <= FIELD_BYTES,
  'must be at most 32 KiB of JSON',
)

const NotBlank = z.string().check(z.refine((text) => text.trim() !== '', 'must not be blank'))
const Names = z.array(NotBlank).check(z.maxLength(MAX_NAMES), tiny)
const Pixels = z.nullish(z.int().check(z.minimum(1), z.maximum(MAX_PIXELS)))
const Address = z
  .string()
  .check(
    z.refine(
      (text) => isWeb(text, 'https://site.invalid'),
      'must be an http or https URL, or one relative to the site',
    ),
  )
/** Receivers download it, so its URL gets the one spelling that all parsers read alike. */
const ImageUrl = Address.check(z.overwrite((text) => URL.parse(text)?.href ?? text))
const WebUrl = z.string().check(z.refine((text) => isWeb(text), 'must be an http or https URL'))

export const METADATA_INPUTS = {
  authors: z.nullish(
    z
      .array(z.strictObject({ name: NotBlank, url: z.nullish(Address) }))
      .check(z.maxLength(MAX_AUTHORS), tiny),
  ),
  image: z.nullish(
    z.strictObject({ url: ImageUrl, alt: z.nullish(z.string()), width: Pixels, height: Pixels }).check(tiny),
  ),
  categories: z.nullish(Names),
  tags: z.nullish(Names),
  canonicalUrl: z.nullish(WebUrl),
  modifiedAt: z.nullish(Instant),
}

/** Omits what is unknown. Times are RFC 3339, sizes pixels. */
export type Metadata = { [Name in keyof typeof METADATA_INPUTS]?: z.input<(typeof METADATA_INPUTS)[Name]> }

/** Every field by name, so that the compiler requires a new one from each importer. */
export type KnownMetadata = { [Name in keyof typeof METADATA_INPUTS]: Metadata[Name] | undefined }

type Author = NonNullable<Metadata['authors']>[number]

/** As browsers read it: no `javascript:` in any spelling. */
function isWeb(text: string, base?: string): boolean {
  const url = text.length > 0 && text.length <= MAX_ADDRESS_LENGTH && URL.parse(text, base)
  return url ? /^https?:$/.test(url.protocol) : false
}

/** Without the image size, and without tags, which are `seo.keywords`. */
export function schemaArticle({ authors, image, categories, canonicalUrl, modifiedAt }: Metadata) {
  return {
    ...(authors?.length && { author: oneOrAll(authors.map(personOf)) }),
    ...(categories?.length && { articleSection: oneOrAll(categories) }),
    ...(image && { image: imageObject(image.url, image.alt) }),
    ...(canonicalUrl && { mainEntityOfPage: { '@type': 'WebPage', '@id': canonicalUrl } }),
    ...(modifiedAt && { dateModified: modifiedAt }),
  }
}

export function imageObject(url: string, caption: string | null | undefined): string | object {
  return caption ? { '@type': 'ImageObject', url, caption } : url
}

export function oneOrAll<Value>(values: Value[]): Value | Value[] {
  return values.length === 1 ? values[0]! : values
}

function personOf({ name, url }: Author) {
  return { '@type': 'Person', name, ...(url && { url }) }
}

/** What is known of a post besides its text: what the fields take, and how its schema.org article says it. */

/** Each part is missing where nothing is known. Times are RFC 3339, sizes pixels. */
export type Metadata = {
  authors?: Author[] | null | undefined
  image?: Image | null | undefined
  categories?: string[] | null | undefined
  tags?: string[] | null | undefined
  canonicalUrl?: string | null | undefined
  modifiedAt?: string | null | undefined
}

type Author = { name: string; url?: string | null | undefined }

type Image = {
  url: string
  alt?: string | null | undefined
  width?: number | null | undefined
  height?: number | null | undefined
}

export const MAX_AUTHORS = 100
/** Of categories, and of tags. */
export const MAX_NAMES = 500
export const MAX_PIXELS = 1_000_000
const MAX_ADDRESS_LENGTH = 2_048
const FIELD_BYTES = 32 * 1024

export const isNotBlank = (text: string): boolean => text.trim() !== ''

export const isSmall = (value: unknown): boolean =>
  new TextEncoder().encode(JSON.stringify(value ?? null)).length <= FIELD_BYTES

/** Whether a browser takes it for an http or https URL, if relative to the site: no `javascript:`, however it is written. */
export const isAddress = (text: string): boolean => isWeb(text, 'https://site.invalid')

/** The same for a URL that says its host. */
export const isWebUrl = (text: string): boolean => isWeb(text)

function isWeb(text: string, base?: string): boolean {
  const url = text.length > 0 && text.length <= MAX_ADDRESS_LENGTH && URL.parse(text, base)
  return url ? /^https?:$/.test(url.protocol) : false
}

const isPixels = (size: number | null | undefined) =>
  size == null || (Number.isInteger(size) && size >= 1 && size <= MAX_PIXELS)

const areNames = (names: string[]) => names.length <= MAX_NAMES && names.every(isNotBlank) && isSmall(names)

/** Whether a put takes the value, for who gives what others wrote. */
export const FITS: { [Name in keyof Metadata]-?: (value: NonNullable<Metadata[Name]>) => boolean } = {
  authors: (authors) =>
    authors.length <= MAX_AUTHORS &&
    authors.every(({ name, url }) => isNotBlank(name) && (url == null || isAddress(url))) &&
    isSmall(authors),
  image: (image) => isAddress(image.url) && isPixels(image.width) && isPixels(image.height) && isSmall(image),
  categories: areNames,
  tags: areNames,
  canonicalUrl: isWebUrl,
  modifiedAt: () => true,
}

/** The members of a schema.org article. The size of the image is none of them, nor are tags, which are `seo.keywords`. */
export function schemaArticle({ authors, image, categories, canonicalUrl, modifiedAt }: Metadata) {
  return {
    ...(authors?.length && { author: oneOrAll(authors.map(personOf)) }),
    ...(categories?.length && { articleSection: oneOrAll(categories) }),
    ...(image && { image: imageObject(image.url, image.alt) }),
    ...(canonicalUrl && { mainEntityOfPage: { '@type': 'WebPage', '@id': canonicalUrl } }),
    ...(modifiedAt && { dateModified: modifiedAt }),
  }
}

/** A plain address where no text goes with it. */
export function imageObject(url: string, caption: string | null | undefined): string | object {
  return caption ? { '@type': 'ImageObject', url, caption } : url
}

export function oneOrAll<Value>(values: Value[]): Value | Value[] {
  return values.length === 1 ? values[0]! : values
}

function personOf({ name, url }: Author) {
  return { '@type': 'Person', name, ...(url && { url }) }
}

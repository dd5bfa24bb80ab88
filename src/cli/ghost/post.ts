import { imageObject } from '../../content/model/post-metadata.ts'
import { htmlToText } from '../../html/text.ts'
import { toSlug } from '../../transfer/slug.ts'
import type { Article, Loss } from '../../transfer/source.ts'
import type { Lose, Reason } from '../import/losses.ts'
import { metadataFields } from '../import/metadata.ts'
import { DRAFT, type HoldReason, type StatusFlags, statusOf } from '../import/status.ts'
import { readDate } from '../import/values.ts'
import { type BodyChecks, bodyOf } from './body.ts'
import type { Fields } from './cards.ts'
import { textOf } from './markup.ts'
import { idOf, languageOf, type Survey, type User } from './survey.ts'

const NO_FIELD = 'posts have no such field'
const TEMPLATE = 'a template of the old site'
const CODE = 'scripts and styles of a page are left out'
/** Fields without a counterpart, reported when they have a value. */
const UNUSED: Record<string, Reason> = {
  codeinjection_foot: CODE,
  codeinjection_head: CODE,
  custom_template: TEMPLATE,
  email_subject: NO_FIELD,
  featured: 'posts cannot be pinned',
  frontmatter: NO_FIELD,
  twitter_description: NO_FIELD,
  twitter_image: NO_FIELD,
  twitter_title: NO_FIELD,
}

type Lost = Omit<Loss, 'file'>

/**
 * `meta` is the row of `posts_meta`. `root` is the old site's URL without a trailing slash, or empty; `language` applies to
 * posts without one; `moved` is the slug if another post has the original one. @throws Error with a one-line reason
 */
export function toArticle(
  row: Fields,
  meta: Fields,
  survey: Survey,
  {
    root,
    language,
    moved,
    check,
    ...flags
  }: StatusFlags & { root: string; language?: string; moved?: string | undefined; check?: BodyChecks },
): { article: Article; lost: Lost[] } {
  const lost: Lost[] = []
  const lose: Lose = (field, reason, detail) => lost.push({ field, reason, ...(detail && { detail }) })
  const fields = { ...row, ...withoutEmpty(meta) }
  const text = (name: string) => atRoot(textOf(fields[name]).trim(), root)

  const wanted = toSlug(text('slug')) ?? ''
  const slug = moved ?? wanted
  if (moved !== undefined)
    lose('slug', 'the slug is taken by another post or guide', `${wanted}: it is ${moved}`)
  else if (slug !== text('slug')) lose('slug', 'it has characters that a slug cannot have', text('slug'))
  if (!text('title')) throw new Error('no title')
  const { html, lexical, mobiledoc, markdown } = row
  const written = Object.entries({ html, lexical, mobiledoc, markdown })
  const body = bodyOf(
    Object.fromEntries(written.map(([name, value]) => [name, atRoot(textOf(value), root)])),
    check,
  )
  for (const loss of body.losses) lost.push({ field: 'contentHtml', ...loss })

  const visibility = textOf(fields.visibility) || 'public'
  if (visibility !== 'public') lose('visibility', NOT_FOR_ALL.reason, visibility)
  const held = heldBy(fields, visibility)
  const { status, because } = statusOf(fields.status === 'draft' ? 'draft' : 'published', held, flags)
  if (because && because !== NOT_FOR_ALL) lose('status', because.reason, because.detail)
  const tags = survey.tagsOf(idOf(row.id))
  const keywords = tags.filter(({ isInternal }) => !isInternal).map(({ name }) => name)
  for (const { name } of tags.filter(({ isInternal }) => isInternal)) lose('tags', 'an internal tag', name)
  nameUnused(fields, lose)

  const authors = authorsOf(row, survey, lose)
  const { image, caption } = imageOf(text, lose)
  const metadata = {
    authors,
    image,
    categories: keywords.slice(0, 1),
    tags: keywords,
    canonicalUrl: canonicalOf(text('canonical_url'), root, lose),
    modifiedAt: instantOf('updated_at', fields, lose),
  }
  const seo = withoutEmpty({
    metaDescription: text('meta_description'),
    ogTitle: prefer(text('og_title'), text('meta_title'), () =>
      lose('meta_title', 'og_title is used instead'),
    ),
    ogDescription: text('og_description'),
  })
  return {
    lost,
    article: {
      slug,
      title: text('title'),
      contentHtml: body.html,
      ...withoutEmpty({
        status,
        excerpt: text('custom_excerpt'),
        publishedAt: instantOf('published_at', fields, lose),
        language: languageOf(text('locale')) ?? language,
      }),
      ...metadataFields(
        metadata,
        {
          seo,
          // Metadata fields have no caption.
          ...(image && caption && { article: { image: imageObject(image.url, caption) } }),
        },
        lose,
      ),
    },
  }
}

const NOT_FOR_ALL = {
  reason: 'restricted to some readers: imported as a draft',
  isPrivate: true,
} as const

function heldBy(fields: Fields, visibility: string): HoldReason<Reason> | undefined {
  const status = textOf(fields.status)
  if (status === 'sent' || fields.email_only === 1 || fields.email_only === true)
    return { reason: 'it was only an email: imported as a draft', isPrivate: true }
  if (visibility !== 'public') return NOT_FOR_ALL
  if (status === 'published' && fields.published_at === null)
    return { reason: 'it was never published: imported as a draft' }
  if (status === 'published') return undefined
  if (status === 'draft') return DRAFT
  if (status === 'scheduled') return { reason: 'it was scheduled: imported as a draft with its date' }
  return {
    ...{ reason: 'it has an unknown status: imported as a draft', detail: status || 'none' },
    isPrivate: true,
  }
}

function nameUnused(fields: Fields, lose: Lose): void {
  for (const [field, reason] of Object.entries(UNUSED)) {
    const value = fields[field]
    if (value === true || (value !== 0 && textOf(value).trim())) lose(field, reason)
  }
  const { show_title_and_feature_image: isShown } = fields
  if (isShown === 0 || isShown === false) lose('show_title_and_feature_image', TEMPLATE)
}

function authorsOf(row: Fields, survey: Survey, lose: Lose) {
  const listed = survey.authorsOf(idOf(row.id))
  const single = survey.userById(idOf(row.author_id))
  const users = listed.length > 0 || !single ? listed : [single]
  if (users.length === 0) lose('author', 'the export does not name the author')
  return users.map(({ name, website }: User) => ({ name, ...withoutEmpty({ url: website }) }))
}

function imageOf(text: (name: string) => string, lose: Lose) {
  const featureImage = text('feature_image') || text('image')
  const url = prefer(featureImage, text('og_image'), () =>
    lose('og_image', 'the feature image is used instead'),
  )
  const caption = htmlToText(text('feature_image_caption')).text
  const alt = text('feature_image_alt')
  if (alt && !featureImage) lose('feature_image_alt', NO_FIELD, alt)
  if (caption && !featureImage) lose('feature_image_caption', NO_FIELD, caption)
  return {
    image: url ? { url, ...(featureImage && alt && { alt }) } : undefined,
    caption: featureImage && caption,
  }
}

function canonicalOf(address: string, root: string, lose: Lose): string | undefined {
  if (address === '') return undefined
  if (/^https?:\/\//i.test(address)) {
    if (URL.parse(address)?.host !== URL.parse(root)?.host)
      lose(
        'canonical_url',
        'its canonical address is on another domain, but the sitemap will list it once published',
        address,
      )
    return address
  }
  lose('canonical_url', 'it is on the old site, whose address is not given', address)
  return undefined
}

function instantOf(field: string, fields: Fields, lose: Lose): string | undefined {
  const value = fields[field]
  if (value === undefined || value === null || value === '') return undefined
  const at = typeof value === 'number' ? new Date(value) : readDate(textOf(value))
  if (at && !Number.isNaN(at.getTime())) return at.toISOString()
  lose(field, 'not a date', JSON.stringify(value))
  return undefined
}

function prefer(first: string, second: string, lose: () => void): string {
  if (first && second && first !== second) lose()
  return first || second
}

/** Without the site's URL, addresses start at its root. */
function atRoot(text: string, root: string): string {
  return text.replace(/__GHOST_URL__(\/?)/g, (_, slash: string) => root + (slash || (root === '' ? '/' : '')))
}

function withoutEmpty<Record extends object>(record: Record): Partial<Record> {
  const isGiven = (value: unknown) =>
    value !== null &&
    value !== undefined &&
    value !== '' &&
    !(typeof value === 'object' && Object.keys(value).length === 0)
  return Object.fromEntries(Object.entries(record).filter(([, value]) => isGiven(value))) as Partial<Record>
}

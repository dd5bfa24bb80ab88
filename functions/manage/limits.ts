/** What the checks of bodies say where JSON Schema has no word for them, for the OpenAPI document. */
import * as z from 'zod/mini'
import { SlugOfPost, writable } from '../../src/content/articles/fields.ts'
import { PostInput } from '../../src/content/posts/input.ts'
import { Instant } from '../../src/foundation/time.ts'
import { EndpointInput } from '../../src/webhooks/endpoint.ts'

/** Exact for ASCII. Patterns without flags cannot name the letters of all scripts. */
const slug = {
  minLength: 1,
  maxLength: 200,
  pattern: '^(?!\\.{1,2}$)[^\\s!-,/:-@\\[-^`{-}]+$',
}
const SLUG = 'Letters, marks and digits of any script, "-", "_", "." and "~"; stored in NFC'

/** Registers the descriptions; call it before the document is made. */
export function describeLimits(): void {
  const { provenance, seo, faqJsonLd, schemaBundle } = PostInput.shape
  z.globalRegistry
    .add(writable.slug, { ...slug, description: `${SLUG}; at most 1,200 characters when percent-encoded` })
    .add(SlugOfPost, { ...slug, description: `The slug of a post of the site. ${SLUG}` })
    .add(writable.title, { minLength: 1, pattern: '^\\s*\\S[\\s\\S]*$', description: 'Not blank' })
    .add(writable.updatedAt, { description: 'Ignored: the service sets it' })
    .add(Instant, {
      format: 'date-time',
      description: 'RFC 3339 with an offset, in the years 100 to 9999; kept to the millisecond',
    })
    .add(EndpointInput.shape.url, {
      format: 'uri',
      maxLength: 2_048,
      description: 'https on port 443 or 8443, with a public host name, without user or password',
    })
  const size = 'At most 256 KiB of JSON'
  for (const field of [provenance, seo, faqJsonLd]) z.globalRegistry.add(field, { description: size })
  z.globalRegistry.add(schemaBundle, {
    description: `With \`article\` alone, what that leaves out is derived. Its \`dateModified\` is the sitemap's \`lastmod\`. ${size}`,
  })
}

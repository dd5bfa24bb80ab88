/** Adds validation rules that JSON Schema cannot express to the OpenAPI document. */
import * as z from 'zod/mini'
import type { FieldTable } from '../../src/content/articles/field-table.ts'
import { SLUG_OF_POST_DOCS, SlugOfPost } from '../../src/content/articles/shared-fields.ts'
import { GUIDE_FIELDS } from '../../src/content/guides/guide.ts'
import { POST_FIELDS } from '../../src/content/posts/fields.ts'
import { Instant } from '../../src/core/time.ts'
import { SiteInput } from '../../src/sites/sites.ts'
import { EndpointInput } from '../../src/webhooks/endpoint.ts'

/** Call it before generating the document. */
export function describeLimits(): void {
  z.globalRegistry
    .add(SlugOfPost, SLUG_OF_POST_DOCS)
    .add(Instant, {
      format: 'date-time',
      description: 'RFC 3339 with an offset, in the years 100 to 9999. Stored to the millisecond',
    })
    .add(EndpointInput.shape.url, {
      format: 'uri',
      maxLength: 2_048,
      description: 'An https URL on port 443 or 8443, with a public host name and without user or password',
    })
    .add(SiteInput.shape.previewUrl, {
      format: 'uri',
      maxLength: 2_048,
      description:
        'URL of your preview page, for preview links. They add the query parameters `token`, `id` and `slug`. Must be https, or http to localhost, without user, password or fragment. If null, links show the preview of the service',
      'x-since': '1.1.0',
    })
    .add(SiteInput.shape.feedContent, {
      description:
        'How much of each post the RSS and JSON feeds of the published sitemap contain. Defaults to `excerpt`',
      'x-since': '1.1.0',
    })
  const fields = [POST_FIELDS, GUIDE_FIELDS].flatMap((table: FieldTable) => Object.values(table))
  for (const { input, docs, shape, since, api } of fields) {
    if (input && docs) z.globalRegistry.add(input, docs)
    const ofShape = {
      ...(!input && docs),
      ...(since && { 'x-since': since, ...(api && { 'x-addition': true }) }),
    }
    if (shape && Object.keys(ofShape).length > 0) z.globalRegistry.add(shape, ofShape)
  }
}

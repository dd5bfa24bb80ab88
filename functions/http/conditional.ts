/** ETags from the site's content version, and requests that already have the answer. */
import { sha256Hex } from '../../src/digest.ts'
import type { Http } from './env.ts'

/** Raised when the same content is answered in another form, so that no client keeps the old one. */
const REPRESENTATION = 2

/**
 * Sets the ETag and Cache-Control of what is asked for: the site's content version and the normalised question.
 * The content that goes with it is of this version or a newer one; serve.ts sees to that.
 */
export async function tagAnswer(c: Http, question: unknown, cacheControl: string): Promise<string> {
  const { site } = c.get('grant')
  const digest = await sha256Hex(JSON.stringify([REPRESENTATION, site.id, question]))
  const etag = `W/"${site.contentVersion.toString(36)}-${digest.slice(0, 16)}"`
  c.header('ETag', etag)
  c.header('Cache-Control', cacheControl)
  return etag
}

/**
 * Whether `If-None-Match` names the tag: weak comparison, lists and `*`
 * (https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2).
 */
export function isKnown(c: Http, etag: string, options: { star: boolean } = { star: true }): boolean {
  const header = c.req.header('If-None-Match')?.trim()
  if (header === undefined) return false
  if (header === '*') return options.star
  const opaque = etag.replace(/^W\//, '')
  return (header.match(/(?:W\/)?"[^"]*"/g) ?? []).some((tag) => tag.replace(/^W\//, '') === opaque)
}

/** @throws AppError quota_exceeded */
export async function notModified(c: Http, { counted }: { counted: Promise<void> }) {
  await counted
  c.header('Content-Type', undefined)
  return c.body(null, 304)
}

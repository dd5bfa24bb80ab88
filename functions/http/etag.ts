import { apiForm } from '../../src/content/articles/field-table.ts'
import { GUIDE_FIELDS } from '../../src/content/guides/guide.ts'
import { POST_FIELDS } from '../../src/content/posts/fields.ts'
import { sha256Hex } from '../../src/core/ids.ts'

/** Changes with the response format, so that clients drop responses in the old one. */
const FORM = [POST_FIELDS, GUIDE_FIELDS].map(apiForm).join()
let formDigest: string | undefined

export async function entityTag(site: { id: string; version: number }, cacheKey: unknown): Promise<string> {
  formDigest ??= await sha256Hex(FORM)
  const digest = await sha256Hex(JSON.stringify([formDigest, site.id, cacheKey]))
  return `W/"${site.version.toString(36)}-${digest.slice(0, 16)}"`
}

export const uniqueTag = () => `W/"${crypto.randomUUID()}"`

/** A unique tag that still matches `etag`. */
export const tagOfStream = (etag: string) => etag.replace(/"$/, `-${crypto.randomUUID().slice(0, 8)}"`)

/** Compares weakly: https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2. With `matchAny`, `*` matches every tag. */
export function matchesEtag(header: string | undefined, etag: string, matchAny: boolean): boolean {
  const value = header?.trim()
  if (value === undefined) return false
  if (value === '*') return matchAny
  const wanted = opaque(etag)
  const streamPrefix = wanted.replace(/"$/, '-')
  return (value.match(/(?:W\/)?"[^"]*"/g) ?? []).some(
    (tag) => opaque(tag) === wanted || opaque(tag).startsWith(streamPrefix),
  )
}

const opaque = (tag: string) => tag.replace(/^W\//, '')

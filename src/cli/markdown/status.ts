/** Decides if the generator of a folder shows a file to everyone. */

import { DRAFT } from '../import/status.ts'
import { flagOf } from '../import/values.ts'
import * as from from './fields.ts'

const NO_PAGE = 'the generator builds no page for it: imported as a draft'
const DRAFTS = /(?:^|\/)_drafts\//

export type VisibilityFacts = {
  status: 'draft' | 'published' | undefined
  held?: string
  /** True if only some readers may see it, so that `--include-drafts` does not publish it. */
  isPrivate?: true
  expiresAt?: string
  /** True if a date that controls visibility cannot be read. */
  isUndated?: boolean
}

/** `path` begins with the imported folder's name. `otherReason` is another reason to hide the file. */
export function readVisibility(
  path: string,
  fields: from.Fields,
  { otherReason, isDatedByName }: { otherReason: string | undefined; isDatedByName: boolean },
): VisibilityFacts {
  const status = from.status(fields)
  const expiresAt = from.expiresAt(fields)
  const isPrivate = !isForAll(fields)
  const held = reasonOf(path, fields, { status, isPrivate }) ?? otherReason
  return {
    status: held === undefined ? status : 'draft',
    ...(held !== undefined && { held }),
    ...(isPrivate && { isPrivate }),
    ...(expiresAt && { expiresAt }),
    ...(from.isUndated(fields, isDatedByName) && { isUndated: true }),
  }
}

/** Adds reasons that depend on the time of the import. */
export function reasonToHoldBack(
  now: number,
  { held, expiresAt, isUndated }: Omit<VisibilityFacts, 'status'>,
  publishedAt: string | null | undefined,
): string | undefined {
  if (held !== undefined) return held
  if (isUndated) return 'its date cannot be read: imported as a draft'
  if (publishedAt && Date.parse(publishedAt) > now) return 'dated in the future: imported as a draft'
  if (expiresAt && Date.parse(expiresAt) <= now) return `expired at ${expiresAt}: imported as a draft`
  return undefined
}

function reasonOf(
  path: string,
  fields: from.Fields,
  { status, isPrivate }: Pick<VisibilityFacts, 'status'> & { isPrivate: boolean },
): string | undefined {
  const headless = flag(fields, 'headless')
  const unlisted = flag(fields, 'unlisted')
  // From Hugo, which also has words as values.
  const isRendered = flag(fields, 'render', { never: false, link: false, always: true })
  const isListed = flag(fields, 'list', { never: false, local: false, always: true })
  // From Eleventy.
  const hasNoFile = from.fieldsNamed(fields, 'permalink').find(({ value }) => value === false)
  if (hasNoFile) from.take(fields, hasNoFile)
  if (status === 'draft') return DRAFT.reason
  if (isPrivate) return 'restricted to some readers: imported as a draft'
  if (DRAFTS.test(path)) return 'in a folder of drafts: imported as a draft'
  if (headless) return 'headless, without a page of its own: imported as a draft'
  if (isRendered === false || hasNoFile) return NO_PAGE
  if (unlisted || isListed === false) return 'unlisted, which is not supported here: imported as a draft'
  return undefined
}

function isForAll(fields: from.Fields): boolean {
  const isPrivate = flag(fields, 'private')
  const isPublic = flag(fields, 'public')
  const visibility = from.text(fields, 'visibility')?.toLowerCase() ?? 'public'
  const password = from.text(fields, 'password')
  const hasPrivateStatus = from
    .fieldsNamed(fields, 'status')
    .some(({ value }) => from.scalar(value)?.toLowerCase() === 'private')
  if (hasPrivateStatus) return false
  return !isPrivate && isPublic !== false && visibility === 'public' && password === undefined
}

function flag(
  fields: from.Fields,
  name: 'headless' | 'list' | 'private' | 'public' | 'render' | 'unlisted',
  words: Record<string, boolean> = {},
): boolean | undefined {
  for (const field of from.fieldsNamed(fields, name)) {
    const value = flagOf(field.value) ?? words[String(field.value)]
    if (value === undefined) continue
    from.take(fields, field)
    return value
  }
  return undefined
}

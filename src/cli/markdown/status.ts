/** Whether the generator of a folder shows a file to everybody. */
import { flagOf } from '../convert/values.ts'
import { DRAFT } from '../import/status.ts'
import * as from from './fields.ts'

const DRAFTS = /(?:^|\/)_drafts\//

export type Standing = {
  status: 'draft' | 'published' | undefined
  /** Why it is not shown, whatever the time. */
  held?: string
  /** When it ceases to be shown, as RFC 3339. */
  expiresAt?: string
}

/** `path` has the name of the imported folder, too. */
export function standingOf(path: string, fields: from.Fields): Standing {
  const status = from.status(fields)
  const expiresAt = from.expiresAt(fields)
  const held = reasonOf(path, fields, status)
  return {
    status: held === undefined ? status : 'draft',
    ...(held !== undefined && { held }),
    ...(expiresAt && { expiresAt }),
  }
}

/** The same with the time of the import. */
export function heldAt(
  now: number,
  { held, expiresAt }: Omit<Standing, 'status'>,
  publishedAt: string | null | undefined,
): string | undefined {
  if (held !== undefined) return held
  if (publishedAt && Date.parse(publishedAt) > now) return 'dated in the future, and put as a draft'
  if (expiresAt && Date.parse(expiresAt) <= now) return `expired at ${expiresAt}, and put as a draft`
  return undefined
}

function reasonOf(path: string, fields: from.Fields, status: Standing['status']): string | undefined {
  const headless = from.meaning(fields, 'headless').find(({ value }) => flagOf(value) !== undefined)
  if (headless) from.take(fields, headless)
  if (status === 'draft') return DRAFT.reason
  if (DRAFTS.test(path)) return 'in a folder of drafts, and put as a draft'
  if (headless && flagOf(headless.value)) return 'headless, so no page of its own, and put as a draft'
  return undefined
}

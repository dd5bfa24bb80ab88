import type { ErrorHandler, NotFoundHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { AppError, type ErrorCode, type Issue, joinIssues } from '../../src/core/errors.ts'
import { createLog, describeError } from '../../src/core/log.ts'
import { databaseError, REQUEST_TOO_LARGE } from '../../src/db/client.ts'
import type { Env, Http } from './env.ts'

type Status = 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 429 | 500 | 503

/** Don't change texts from 1.0.0, because clients may match them. `null` builds the text from the error's issues. */
const RESPONSES: Record<ErrorCode, [Status, string | null]> = {
  invalid_query: [400, null],
  invalid_body: [400, null],
  webhook_url_missing: [400, 'No webhook URL configured'],
  api_key_refused: [401, 'Missing or invalid API key'],
  operator_refused: [401, 'Missing or invalid operator token'],
  credential_refused: [401, 'Missing or invalid API key or operator token'],
  role_required: [403, null],
  not_an_operator: [403, 'Not an operator of this service'],
  cross_site: [403, 'Requests of another site are refused'],
  training_disabled: [403, 'Training export is not enabled for this site'],
  post_not_found: [404, 'Post not found'],
  guide_not_found: [404, 'Guide not found'],
  site_not_found: [404, 'Site not found'],
  site_being_deleted: [404, 'Site is being deleted'],
  key_not_found: [404, 'Key not found'],
  webhook_not_found: [404, 'Webhook not found'],
  sitemap_not_published: [404, 'Sitemap is not published'],
  event_not_found: [404, 'Event not found'],
  delivery_not_found: [404, 'Delivery not found'],
  resend_not_found: [404, 'Resend not found'],
  training_row_not_found: [404, 'Training row not found'],
  redirect_not_found: [404, 'Redirect not found'],
  operator_not_found: [404, 'Operator not found'],
  token_not_found: [404, 'Token not found'],
  session_not_found: [404, 'Session not found'],
  preview_link_not_found: [404, 'Preview link not found'],
  not_found: [404, 'Not found'],
  method_not_allowed: [405, 'Method not allowed'],
  slug_taken: [409, 'Slug is taken'],
  not_a_draft: [409, 'Only a draft can be marked ready'],
  published_already: [409, 'Only a draft can be scheduled'],
  changes_requested: [409, 'Changes are requested'],
  draft_not_quality_checked: [409, 'Draft has not been quality-checked'],
  token_exists: [409, 'This token was already created. If you did not see it, revoke it and create another'],
  key_exists: [409, 'This key has been created already: if you did not see it, revoke it and create another'],
  preview_link_exists: [
    409,
    'This link was already created. If you did not see it, revoke it and create another',
  ],
  operator_exists: [409, 'Another operator has this name'],
  last_admin: [
    409,
    'The last admin who can sign in must stay an admin while OPERATOR_TOKEN is off. First make another operator an admin and give them a token',
  ],
  operator_has_access: [409, 'Remove the operator first'],
  schedules_undecided: [409, null],
  changed_meanwhile: [409, 'Someone else has changed it in the meantime'],
  secret_rotated: [409, 'Secret has been changed in the meantime'],
  too_many_webhooks: [
    409,
    'A site can have at most four webhooks in addition to the first, which setWebhook creates',
  ],
  event_under_way: [409, 'Event is still on its way'],
  post_not_yet_visible: [
    409,
    'Redis cannot be reached, and readers may not see the post yet: try again in a minute',
  ],
  cursor_expired: [
    410,
    'Cursor is older than 90 days: read the feed again from its beginning, without a cursor',
  ],
  body_too_large: [413, 'Request body too large'],
  quota_exceeded: [429, 'Daily request quota exceeded'],
  too_many_attempts: [429, 'Too many failed attempts'],
  too_many_tests: [429, 'Too many test events'],
  under_maintenance: [503, 'Service is under maintenance'],
}

export const textOf = (code: ErrorCode): string | null => RESPONSES[code][1]

const PREFIXES: Partial<Record<ErrorCode, string>> = {
  invalid_query: 'Invalid query parameter: ',
  invalid_body: 'Invalid body: ',
  schedules_undecided: 'Scheduled drafts: ',
}

export const onError: ErrorHandler<Env> = (error, c) => {
  const { status, text, issues } = toErrorResponse(error, c)
  if (status === 401) c.header('WWW-Authenticate', 'Bearer')
  c.header('Cache-Control', 'no-store')
  c.header('ETag', undefined)
  return c.json({ error: text, issues }, status)
}

export const notFound: NotFoundHandler<Env> = (c) => onError(new AppError('not_found'), c)

type Explained = {
  status: Status
  text: string
  /** For body errors only. Other errors have just the text. */
  issues?: readonly Issue[] | undefined
}

export function toErrorResponse(error: Error, c: Http): Explained {
  const refusal = refusalOf(error)
  if (refusal) {
    const [status, text] = RESPONSES[refusal.code]
    const issues = refusal.code === 'invalid_body' ? refusal.issues : undefined
    return { status, issues, text: text ?? (PREFIXES[refusal.code] ?? '') + joinIssues(refusal.issues) }
  }
  createLog({ requestId: c.get('requestId') })('request.failed', { error: describeError(error) })
  return { status: 500, text: 'Internal error' }
}

function refusalOf(error: Error): AppError | null {
  if (error instanceof AppError) return error
  if (error instanceof HTTPException && error.status === 400)
    return new AppError('invalid_body', { path: '', message: 'must be JSON' })
  const problem = databaseError(error)
  // The site was deleted after the request was admitted.
  if (problem?.code === '23503' && problem.constraint?.endsWith('_sites_id_fk'))
    return new AppError('site_not_found')
  const tooLarge = problem?.code === REQUEST_TOO_LARGE || problem?.constraint === 'posts_readable'
  return tooLarge ? new AppError('body_too_large') : null
}

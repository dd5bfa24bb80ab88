/** `/audit-log` and `/sites/{siteId}/audit-log`. */
import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'
import type { Context } from '../../src/context.ts'
import { AuditEntry, listAuditEntries, openAuditPosition } from '../../src/people/audit-log.ts'
import { type AuditFilter, MAX_NAMED } from '../../src/people/audit-search.ts'
import { createApp } from '../http/create-app.ts'
import type { Operation } from '../http/document.ts'
import { idParam, oneOfParam, timeParam, wordsParam } from '../http/query.ts'
import { siteIdOf } from '../http/request.ts'
import { refuseInvalid } from '../http/validation.ts'
import { commonErrors, pageResponse, siteErrors } from './responses.ts'
import { SealedPageQuery, sealedPaging } from './route.ts'

export const auditLog = createApp()

const AuditQuery = z.object({
  ...SealedPageQuery.shape,
  per: oneOfParam(['entry', 'act'], {
    fallback: 'entry',
    description: 'With `act`, of what was done at once only the first entry that matches',
  }),
  subject: wordsParam(
    `The id of a post, a key or another resource, or words of a slug, title or name that it has or had: in the newest ${MAX_NAMED} entries that give one with these words`,
  ),
  actor: wordsParam("Part of the operator's name"),
  action: wordsParam('An action such as `key.revoked`, or the noun of several: `key`'),
  resourceId: idParam('The id of a post, a key or another resource'),
  actorId: idParam('The id of an operator, whatever its name was, or of an API key'),
  actId: idParam('The id of what was done at once'),
  since: timeParam('Entries from then on'),
  until: timeParam('Entries before then'),
})

const DESCRIPTION =
  'One for each write of an operator, made in its transaction, and kept for 400 days. Nothing changes an entry.'

export const listAuditLogOperation = (): Operation => ({
  route: 'GET /audit-log',
  operationId: 'listAuditLog',
  summary: 'List who did what in the workspace, newest first',
  description: `${DESCRIPTION} Those of a site outlive it.`,
  query: AuditQuery,
  responses: { 200: pageResponse(AuditEntry, 'A page of entries'), ...commonErrors },
})

auditLog.get('/audit-log', zValidator('query', AuditQuery, refuseInvalid), async (c) =>
  c.json(await list(c.get('ctx'), null, c.req.valid('query'))),
)

export const listSiteAuditLogOperation = (): Operation => ({
  route: 'GET /sites/:siteId/audit-log',
  operationId: 'listSiteAuditLog',
  summary: 'List who did what in a site, newest first',
  description: `${DESCRIPTION} A site that is gone still has its own.`,
  query: AuditQuery,
  responses: { 200: pageResponse(AuditEntry, 'A page of entries'), ...siteErrors },
})

auditLog.get('/sites/:siteId/audit-log', zValidator('query', AuditQuery, refuseInvalid), async (c) =>
  c.json(await list(c.get('ctx'), siteIdOf(c), c.req.valid('query'))),
)

async function list(ctx: Context, siteId: string | null, query: z.infer<typeof AuditQuery>) {
  const { limit, cursor, per, ...given } = query
  const filter: AuditFilter = { siteId, ...given }
  const paging = await sealedPaging({ limit, cursor }, (sealed) => openAuditPosition(ctx, sealed))
  const page = await listAuditEntries(ctx, { ...paging, rows: per }, filter)
  return {
    next: page.next,
    items: page.items.map(({ noun: _, target: __, actorTarget: ___, ...entry }): AuditEntry => entry),
  }
}

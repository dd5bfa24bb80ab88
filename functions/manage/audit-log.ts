/** `/audit-log` and `/sites/{siteId}/audit-log`. */
import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'
import type { Context } from '../../src/context.ts'
import { AuditEntry, listAuditEntries, openAuditPosition } from '../../src/people/audit-log.ts'
import { MAX_NAMED } from '../../src/people/audit-search.ts'
import type { Operation } from '../http/document.ts'
import { createApp } from '../http/env.ts'
import { auditActionParam, idParam, oneOfParam, timeParam, wordsParam } from '../http/query.ts'
import { siteIdOf } from '../http/request.ts'
import { refuseInvalid } from '../http/validation.ts'
import { commonErrors, pageResponse, siteErrors } from './responses.ts'
import { SealedPageQuery, sealedPaging } from './route.ts'

export const auditLog = createApp()

const AuditQuery = z.object({
  ...SealedPageQuery.shape,
  per: oneOfParam(['entry', 'changeset'], {
    fallback: 'entry',
    description: '`changeset` lists only the first matching entry of each changeset',
  }),
  subject: wordsParam(
    `The id of a post, key or other resource, or words from its current or former slug, title or name. Words find the resources of the newest ${MAX_NAMED} entries that contain them`,
  ),
  actor: wordsParam("Part of the operator's name"),
  action: auditActionParam('An action such as `key.revoked`, or a noun such as `key` for all of its actions'),
  resourceId: idParam('The id of a post, key or other resource'),
  actorId: idParam('The id of an operator, under any name, or of an API key'),
  changesetId: idParam('The id of a changeset'),
  since: timeParam('Only entries at or after this time'),
  until: timeParam('Only entries before this time'),
})

const DESCRIPTION =
  'Lists writes, sign-ins, failed sign-ins and refused writes. A write and its entries are saved in one transaction. Entries never change and are kept for 400 days by default.'

export const listAuditLogOperation = (): Operation => ({
  route: 'GET /audit-log',
  operationId: 'listAuditLog',
  summary: 'List the audit log of all sites, newest first',
  description: `${DESCRIPTION} Entries of a site outlive the site.`,
  query: AuditQuery,
  responses: { 200: pageResponse(AuditEntry, 'A page of entries'), ...commonErrors },
})

auditLog.get('/audit-log', zValidator('query', AuditQuery, refuseInvalid), async (c) =>
  c.json(await list(c.get('ctx'), null, c.req.valid('query'))),
)

export const listSiteAuditLogOperation = (): Operation => ({
  route: 'GET /sites/:siteId/audit-log',
  operationId: 'listSiteAuditLog',
  summary: 'List the audit log of a site, newest first',
  description: `${DESCRIPTION} The log of a deleted site stays readable.`,
  query: AuditQuery,
  responses: { 200: pageResponse(AuditEntry, 'A page of entries'), ...siteErrors },
})

auditLog.get('/sites/:siteId/audit-log', zValidator('query', AuditQuery, refuseInvalid), async (c) =>
  c.json(await list(c.get('ctx'), siteIdOf(c), c.req.valid('query'))),
)

async function list(ctx: Context, siteId: string | null, query: z.infer<typeof AuditQuery>) {
  const { limit, cursor, per, ...filter } = query
  const paging = await sealedPaging({ limit, cursor }, (sealed) => openAuditPosition(ctx, sealed))
  const page = await listAuditEntries(ctx, { siteId, ...filter, ...paging, rows: per })
  return {
    next: page.next,
    items: page.items.map(({ names: _, hasRevision: __, ...entry }): AuditEntry => entry),
  }
}

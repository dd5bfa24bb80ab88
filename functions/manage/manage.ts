/** `/manage/v1`: the write API for operators. */
import { MAX_BODY_BYTES } from '../../src/core/limits.ts'
import { serveDocument } from '../http/assets.ts'
import { COMMITTED, isRead, withContext } from '../http/context.ts'
import type { ApiDescription } from '../http/document.ts'
import { createApp } from '../http/env.ts'
import { onError } from '../http/errors.ts'
import { refuseMethods } from '../http/methods.ts'
import { requireOperator, requireSite } from '../http/operator.ts'
import { limitBody, requireJson } from '../http/request.ts'
import { commonHeaders, errorResponse, invalidQueryResponse, textHeader } from '../http/responses.ts'
import { refuseUnknownParameters } from '../http/validation.ts'
import { alerts } from './alerts.ts'
import { auditLog } from './audit-log.ts'
import { changeRequests } from './change-request.ts'
import { changes } from './changes.ts'
import { guides } from './guides.ts'
import { keys } from './keys.ts'
import { describeLimits } from './limits.ts'
import { operators } from './operators.ts'
import { posts } from './posts.ts'
import { previewLinks } from './preview-links.ts'
import { publicationSchedules } from './publication-schedule.ts'
import { redirects } from './redirects.ts'
import { resends } from './resends.ts'
import { signIns } from './sign-ins.ts'
import { sitemap } from './sitemap.ts'
import { sites } from './sites.ts'
import { sweeps } from './sweep.ts'
import { training } from './training.ts'
import { usage } from './usage.ts'
import { webhookEndpoints } from './webhook-endpoints.ts'
import { webhooks } from './webhooks.ts'

export const manage = createApp()

manage.onError(async (error, c) => {
  const response = await onError(error, c)
  if (response.status === 500 && !isRead(c))
    response.headers.set(COMMITTED, c.get('ctx')?.written.committed ?? 'no')
  return response
})
manage.use(refuseMethods(manage, onError))
manage.use(withContext)
manage.get('/openapi.json', serveDocument)
// Every path below needs a token, even unknown ones.
manage.use(requireOperator)
manage.use('/sites/:siteId/*', requireSite)
manage.use(refuseUnknownParameters, limitBody(MAX_BODY_BYTES), requireJson)
const RESOURCES = [
  sites,
  keys,
  posts,
  publicationSchedules,
  changeRequests,
  previewLinks,
  guides,
  changes,
  sitemap,
  redirects,
  training,
  webhooks,
  webhookEndpoints,
  resends,
  alerts,
  usage,
  operators,
  signIns,
  auditLog,
  sweeps,
]
for (const resource of RESOURCES) manage.route('/', resource)

export const manageDescription = (): ApiDescription => {
  describeLimits()
  return {
    root: '/manage/v1',
    title: 'Headless Content API: management',
    description: 'Manage sites, keys, posts, guides, redirects, training rows, webhooks and operators.',
    schemes: {
      operatorToken: {
        type: 'http',
        scheme: 'bearer',
        description: 'A token of an operator, or the `OPERATOR_TOKEN` of the deployment',
      },
    },
    headers: { 'Cache-Control': textHeader('Responses are not cached', 'no-store') },
    readErrors: invalidQueryResponse,
    writeErrors: {
      403: errorResponse("The operator's role does not allow this"),
      500: {
        ...errorResponse('Internal error'),
        headers: {
          ...commonHeaders,
          [COMMITTED]: textHeader(
            'Says if the write reached the database: `no`, `yes` (at least in part) or `unknown` (the database did not answer in time)',
            'unknown',
          ),
        },
      },
    },
  }
}

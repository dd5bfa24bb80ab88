/**
 * `/console`: the web console, rendered on the server. Without JavaScript everything works except copy buttons, "select all" checkboxes
 * and live updates.
 */
import { secureHeaders } from 'hono/secure-headers'
import { AppError } from '../../src/core/errors.ts'
import { withContext } from '../http/context.ts'
import { createApp } from '../http/env.ts'
import { refuseMethods } from '../http/methods.ts'
import { requireSite } from '../http/operator.ts'
import { signedNotices } from './actions/signed-notices.ts'
import { flagDelayedEffect } from './actions/success.tsx'
import { alertSettings } from './alerts/alert-settings.tsx'
import { siteAlerts } from './alerts/site-alerts.tsx'
import { api } from './api.tsx'
import { assets, embeddable } from './assets.ts'
import { siteAuditLog, workspaceAuditLog } from './audit-log.tsx'
import { guide } from './content/guide.tsx'
import { lists } from './content/lists.tsx'
import { post } from './content/post.tsx'
import { ARTICLE, PREVIEW, previewHeaders } from './content/preview.tsx'
import { redirects } from './content/redirects.tsx'
import { selection } from './content/selection/selection.tsx'
import { trainingSelection } from './content/selection/training-selection.tsx'
import { training } from './content/training.tsx'
import { errorPage } from './errors.tsx'
import { limitForm } from './forms/form.ts'
import { integrations } from './integrations/integrations.tsx'
import { keys } from './keys.tsx'
import { layout } from './layout.tsx'
import { workspaceOverview } from './overview/overview.tsx'
import { siteOverview } from './overview/site-overview.tsx'
import { people } from './people/people.tsx'
import { search } from './search/search.tsx'
import { schemaBundles } from './settings/schema-bundles.tsx'
import { settings } from './settings/settings.tsx'
import { siteDeletion } from './settings/site-deletion.tsx'
import { sitemap } from './settings/sitemap.tsx'
import { sameOrigin } from './sign-in/same-origin.ts'
import { requireSignIn, signIn } from './sign-in/sign-in.tsx'
import { LINK, linkHeaders, signInLink } from './sign-in/sign-in-link.tsx'
import { loadSite, redirectInSite } from './site.ts'
import { sites } from './sites.tsx'
import { transfer } from './transfer/transfer.tsx'
import { usage } from './usage/usage.tsx'
import { usageByKey } from './usage/usage-by-key.tsx'

const SELF = ["'self'"]
const NONE = ["'none'"]
const IMAGES = ["'self'", 'data:']
const ROOT = '/console/overview'
/** Does not match `/sites/new`. */
const SITE = '/sites/:siteId{[0-9A-Fa-f-]{36}}'

export const workspaceConsole = createApp()

workspaceConsole.onError(errorPage)

workspaceConsole.use(layout)
workspaceConsole.use(refuseMethods(workspaceConsole, errorPage))
// The first middleware sets its headers last, so these replace the policy below.
workspaceConsole.use(SITE + PREVIEW, previewHeaders)
workspaceConsole.use(LINK, linkHeaders)
// Images of an article may be on any host.
for (const path of ['/content', '/content/selection', ARTICLE])
  workspaceConsole.use(SITE + path, policy({ imgSrc: [...IMAGES, 'https:'] }))
workspaceConsole.use('/assets/*', embeddable)
workspaceConsole.use(policy())
workspaceConsole.route('/assets', assets)
workspaceConsole.use(async function noStore(c, next) {
  c.header('Cache-Control', 'no-store')
  await next()
})
workspaceConsole.use(sameOrigin, withContext, signedNotices, flagDelayedEffect)
workspaceConsole.route('/', signIn)
workspaceConsole.route('/', signInLink)
// The routes above have their own limits: the sign-in page keeps forms of other pages.
workspaceConsole.use(limitForm, requireSignIn)
for (const path of ['', '/']) workspaceConsole.get(path, (c) => c.redirect(ROOT, 303))
workspaceConsole.route('/overview', workspaceOverview)
workspaceConsole.route('/sites', sites)
workspaceConsole.route('/people', people)
workspaceConsole.route('/alerts', alertSettings)
workspaceConsole.route('/search', search)
workspaceConsole.route('/audit-log', workspaceAuditLog)
workspaceConsole.use(`${SITE}/*`, requireSite, loadSite)
workspaceConsole.get(SITE, (c) => redirectInSite(c, '/overview'))
const PAGES = [
  siteOverview,
  api,
  keys,
  integrations,
  lists,
  selection,
  redirects,
  trainingSelection,
  training,
  post,
  guide,
  usage,
  usageByKey,
  settings,
  transfer,
  sitemap,
  siteAlerts,
  schemaBundles,
  siteDeletion,
  siteAuditLog,
]
for (const pages of PAGES) workspaceConsole.route(SITE, pages)

workspaceConsole.all('*', (c) => errorPage(new AppError('not_found'), c))

function policy({ imgSrc = IMAGES }: { imgSrc?: string[] } = {}) {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: NONE,
      styleSrc: SELF,
      scriptSrc: SELF,
      imgSrc,
      // The scripts fetch pages of the console.
      connectSrc: SELF,
      formAction: SELF,
      frameSrc: SELF,
      frameAncestors: NONE,
      baseUri: NONE,
    },
    // With `no-referrer` browsers send `Origin: null` with our own forms.
    referrerPolicy: 'same-origin',
    strictTransportSecurity: 'max-age=15552000',
    xFrameOptions: 'DENY',
  })
}

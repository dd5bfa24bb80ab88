/** Every page of the console, in each of its visual states, and the kinds of pages of `/docs`. */
import type { Page } from 'playwright-core'
import type { Service } from './service.ts'

type Visit = { name: string; open: (page: Page, service: Service) => Promise<unknown> }

export const WIDTHS = [360, 1440]
export const SCHEMES = ['light', 'dark'] as const

export const PAGES: Visit[] = [
  { name: 'overview', open: (page) => page.goto('/console/overview') },
  {
    name: 'overview-of-site',
    open: (page, { demo }) => page.goto(`/console/sites/${demo.siteId}/overview`),
  },
  { name: 'sites', open: (page) => page.goto('/console/sites') },
  { name: 'sites-found', open: (page) => page.goto('/console/sites?search=demo') },
  { name: 'sites-not-found', open: (page) => page.goto('/console/sites?search=none+of+these') },
  {
    name: 'site-menu',
    async open(page) {
      await makeSite(page)
      await makeSite(page)
      await page.locator('.switcher summary').click()
    },
  },
  { name: 'site-new', open: (page) => page.goto('/console/sites/new') },
  {
    name: 'site-new-refused',
    async open(page) {
      await page.goto('/console/sites/new')
      await page.getByLabel('Name', { exact: true }).fill('Engineering blog')
      await page.getByLabel('Domain').fill('https://blog.example.com')
      await page.getByRole('button', { name: 'Create site' }).click()
    },
  },
  { name: 'api', open: (page, { demo }) => page.goto(`/console/sites/${demo.siteId}/api`) },
  { name: 'api-empty', open: (page) => openNewSite(page) },
  { name: 'key-new', open: (page, { demo }) => page.goto(`/console/sites/${demo.siteId}/keys/new`) },
  {
    name: 'key-created',
    async open(page, { demo }) {
      await page.goto(`/console/sites/${demo.siteId}/keys/new`)
      await page.getByLabel('Name', { exact: true }).fill('Staging')
      await page.getByRole('button', { name: 'Create key' }).click()
    },
  },
  {
    name: 'key-revocation',
    async open(page, { demo }) {
      await page.goto(`/console/sites/${demo.siteId}/api`)
      await page.getByRole('link', { name: 'Revoke' }).first().click()
    },
  },
  {
    name: 'key-revoked',
    async open(page, { demo }) {
      await page.goto(`/console/sites/${demo.siteId}/keys/new`)
      await page.getByLabel('Name', { exact: true }).fill('Old importer')
      await page.getByLabel('Access').selectOption('sitemap')
      await page.getByLabel('Expires').fill('2030-01-31')
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('link', { name: 'Done' }).click()
      await page.getByRole('link', { name: 'Revoke Old importer' }).first().click()
      await page.getByRole('button', { name: 'Revoke key' }).click()
    },
  },
  { name: 'people', open: (page) => openPerson(page).then(() => page.goto('/console/people')) },
  { name: 'person-new', open: (page) => page.goto('/console/people/new') },
  { name: 'person-link', open: (page) => addPerson(page) },
  { name: 'person-token', open: (page) => addPerson(page, 'token') },
  {
    name: 'person-some-sites',
    async open(page) {
      await page.goto('/console/people/new')
      await page.getByLabel('Only these').check()
    },
  },
  {
    name: 'sign-in-link',
    async open(page) {
      await addPerson(page)
      await page.goto((await page.getByText('/sign-in/links/').textContent())!.trim())
    },
  },
  { name: 'person', open: (page) => openPerson(page) },
  {
    name: 'person-removal',
    async open(page) {
      await openPerson(page)
      await page.getByRole('link', { name: 'Remove' }).click()
      await page.getByRole('heading', { name: /^Remove / }).waitFor()
    },
  },
  { name: 'audit-log', open: (page) => page.goto('/console/audit-log') },
  { name: 'audit-log-site', open: (page, { demo }) => page.goto(`/console/sites/${demo.siteId}/audit-log`) },
  { name: 'integrations-empty', open: async (page) => openPage(page, await makeSite(page)) },
  {
    name: 'webhook-new',
    open: async (page) => openPage(page, await makeSite(page), '/webhook'),
  },
  {
    name: 'webhook-refused',
    async open(page) {
      await openPage(page, await makeSite(page), '/webhook')
      await setWebhook(page, 'http://cms.example.org/hooks')
    },
  },
  {
    name: 'webhook-set',
    async open(page) {
      await openPage(page, await makeSite(page), '/webhook')
      await setWebhook(page, NOBODY)
    },
  },
  { name: 'integrations', open: (page, service) => openIntegrations(page, service) },
  {
    name: 'integrations-tested',
    async open(page, service) {
      await openIntegrations(page, service)
      await page.getByRole('button', { name: 'Send test event' }).click()
      await page.getByText('View the exact request').waitFor()
    },
  },
  {
    name: 'integrations-failed',
    async open(page, service) {
      await openIntegrations(page, service, NOBODY)
      await page.getByRole('button', { name: 'Send test event' }).click()
      await page.getByText('View the exact request').waitFor()
    },
  },
  {
    name: 'deliveries-filtered',
    async open(page, { demo }) {
      await openPage(page, demo.siteId, '/deliveries')
      await unfoldFilters(page)
      await page.getByLabel('Outcome').selectOption('under_way')
      await page.getByRole('button', { name: 'Filter' }).click()
      await page.getByText('No deliveries found').waitFor()
    },
  },
  {
    name: 'deliveries',
    async open(page, service) {
      await openIntegrations(page, service, NOBODY)
      await page.getByRole('button', { name: 'Send test event' }).click()
      await page.getByText('View the exact request').waitFor()
      await page.getByRole('link', { name: 'All deliveries' }).click()
      await page.getByText('Not arrived:').waitFor()
    },
  },
  {
    name: 'deliveries-resent',
    async open(page, service) {
      await openIntegrations(page, service, NOBODY)
      await page.getByRole('button', { name: 'Send test event' }).click()
      await page.getByText('View the exact request').waitFor()
      await page.getByRole('link', { name: 'All deliveries' }).click()
      await page.getByRole('button', { name: 'Resend all failed events' }).click()
      await page.getByRole('button', { name: /^Resend \d+ events?$/ }).click()
      await page.getByText('failed again.').waitFor()
    },
  },
  {
    name: 'webhook-rotation',
    open: async (page, service) => {
      await openIntegrations(page, service)
      await page.getByRole('link', { name: 'Rotate secret' }).click()
    },
  },
  {
    name: 'webhook-removal',
    open: async (page, service) => {
      await openIntegrations(page, service)
      await page.getByRole('link', { name: 'Remove webhook' }).click()
    },
  },
  {
    name: 'delivery',
    async open(page, service) {
      await openIntegrations(page, service)
      await page.getByRole('button', { name: 'Send test event' }).click()
      await page.getByRole('link', { name: 'View the exact request' }).click()
      await page.getByRole('button', { name: 'Resend' }).click()
      await page.getByRole('heading', { name: 'Other attempts' }).waitFor()
      await page.getByText('Formatted body').click()
    },
  },
  {
    name: 'signature-check',
    open: (page, { demo }) => openPage(page, demo.siteId, '/signature-check'),
  },
  {
    name: 'signature-checked',
    async open(page, { demo }) {
      await openPage(page, demo.siteId, '/signature-check')
      await page.getByLabel('Timestamp').fill('1790000000')
      await page.getByLabel('Body').fill('{"event":"webhook.test"}')
      await page.getByLabel('Signature').fill('0'.repeat(64))
      await page.getByRole('button', { name: 'Check' }).click()
      await page.getByText('does not verify').waitFor()
    },
  },
  { name: 'content', open: (page, { demo }) => page.goto(`/console/sites/${demo.siteId}/content`) },
  {
    name: 'content-no-match',
    async open(page, { demo }) {
      await page.goto(`/console/sites/${demo.siteId}/content`)
      await unfoldFilters(page)
      await page.getByLabel('Search').fill('unicycle')
      await page.getByRole('button', { name: 'Filter' }).click()
      await page.getByText('No posts match').waitFor()
    },
  },
  {
    name: 'content-selected',
    async open(page, { demo }) {
      // Posts selected on an earlier page would be unpublished, too.
      await page.evaluate('sessionStorage.clear()')
      await page.goto(`/console/sites/${demo.siteId}/content?sort=title`)
      await page.getByLabel('Select Riding through winter').check()
      await page.getByText('1 selected').waitFor()
    },
  },
  {
    name: 'content-unpublishing',
    async open(page, { demo }) {
      await page.goto(`/console/sites/${demo.siteId}/content?status=published`)
      await page.getByLabel('All on this page').check()
      await page.getByRole('button', { name: 'Unpublish' }).click()
      await page.getByRole('heading', { name: /^Unpublish \d+ posts/ }).waitFor()
    },
  },
  {
    name: 'content-undone',
    async open(page, { demo }) {
      // Posts selected on an earlier page would be unpublished, too.
      await page.evaluate('sessionStorage.clear()')
      await page.goto(`/console/sites/${demo.siteId}/content?sort=title`)
      await page.getByLabel('Select Riding through winter').check()
      await page.getByRole('button', { name: 'Unpublish' }).click()
      await page.getByRole('button', { name: 'Unpublish 1 post' }).click()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('1 post published.').waitFor()
    },
  },
  {
    name: 'content-selection-refused',
    async open(page, { demo }) {
      await page.goto(`/console/sites/${demo.siteId}/content?status=published`)
      await page.getByLabel('All on this page').check()
      await page.getByRole('button', { name: 'Mark ready' }).click()
      await page.getByRole('heading', { name: 'No posts marked ready' }).waitFor()
    },
  },
  {
    name: 'content-refused',
    open: (page, { demo }) =>
      page.goto(`/console/sites/${demo.siteId}/content?language=e_n&updatedAfter=yesterday`),
  },
  {
    name: 'content-empty',
    async open(page) {
      await openNewSite(page)
      await page.getByRole('link', { name: 'Content', exact: true }).click()
    },
  },
  { name: 'guides', open: (page, { demo }) => page.goto(`/console/sites/${demo.siteId}/content/guides`) },
  { name: 'post', open: (page, service) => openPost(page, service, 'how-to-clean-a-chain') },
  { name: 'post-edit', open: (page, service) => openPost(page, service, 'how-to-clean-a-chain/edit') },
  {
    name: 'post-edit-refused',
    async open(page, service) {
      await openPost(page, service, 'how-to-clean-a-chain/edit')
      await page.getByLabel('Language', { exact: true }).fill('e_n')
      await page.getByLabel('Content', { exact: true }).fill('<p>One\n<b>two')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Nothing was saved').waitFor()
    },
  },
  { name: 'post-translation', open: (page, service) => openPost(page, service, 'kette-reinigen') },
  {
    name: 'post-with-sources',
    open: (page, service) => openPost(page, service, 'choosing-a-first-road-bike'),
  },
  {
    name: 'post-marked-ready',
    async open(page, service) {
      await openPost(page, service, 'are-tubeless-tyres-worth-it')
      const button = page.getByRole('button', { name: 'Mark ready' })
      if (await button.isVisible()) await button.click()
      await page.getByText(/^Ready[.:,]/).waitFor()
    },
  },
  {
    name: 'post-unchecked',
    open: (page, service) => openPost(page, service, 'notes-from-the-repair-cafe'),
  },
  {
    name: 'post-link-created',
    async open(page, service) {
      await makeLink(page, service)
      await page.getByText('You will not be able to see it again').waitFor()
    },
  },
  {
    name: 'post-link-revoked',
    async open(page, service) {
      await makeLink(page, service)
      await page.getByRole('link', { name: 'Done' }).click()
      await page
        .getByRole('button', { name: /^Revoke/ })
        .first()
        .click()
      await page.getByText('Link revoked. It no longer works.').waitFor()
    },
  },
  { name: 'draft', open: async (page, service) => openShared(page, await makeLink(page, service)) },
  { name: 'draft-gone', open: (page) => openShared(page, '/drafts/gone') },
  {
    name: 'guide',
    open: (page, { demo }) =>
      page.goto(`/console/sites/${demo.siteId}/content/guides/packing-for-a-weekend-tour`),
  },
  {
    name: 'post-rename-refused',
    async open(page, service) {
      await openPost(page, service, 'how-to-clean-a-chain')
      await page.getByRole('link', { name: 'Change slug' }).click()
      await page.getByLabel('Slug').fill('kette-reinigen')
      await page.getByRole('button', { name: 'Change slug' }).click()
      await page.getByText('Slug is already used by another post.').waitFor()
    },
  },
  {
    name: 'post-deletion',
    async open(page, service) {
      await openPost(page, service, 'how-to-clean-a-chain')
      await page.getByRole('link', { name: 'Delete' }).click()
    },
  },
  {
    name: 'guide-rename',
    open: (page, { demo }) =>
      page.goto(`/console/sites/${demo.siteId}/content/guides/packing-for-a-weekend-tour/slug`),
  },
  {
    name: 'redirects-empty',
    async open(page) {
      await openNewSite(page)
      await page.getByRole('link', { name: 'Content', exact: true }).click()
      await page.getByRole('link', { name: 'Redirects' }).click()
    },
  },
  {
    name: 'redirects',
    async open(page, { demo }) {
      await page.goto(`/console/sites/${demo.siteId}/content/redirects`)
      for (const [from, to] of [
        ['/2019/05/chains', '/blog/how-to-clean-a-chain'],
        ['/shop', 'https://shop.example.com/'],
      ] as const) {
        await page.getByLabel('From').fill(from)
        await page.getByLabel('To').fill(to)
        await page.getByRole('button', { name: 'Save redirect' }).click()
        await page.getByText('Redirect saved.').waitFor()
      }
    },
  },
  {
    name: 'redirects-refused',
    async open(page, { demo }) {
      await page.goto(`/console/sites/${demo.siteId}/content/redirects`)
      await page.getByLabel('From').fill('/?p=12')
      await page.getByLabel('To').fill('/blog')
      await page.getByRole('button', { name: 'Save redirect' }).click()
      await page.getByText('From must have neither a query nor a fragment.').waitFor()
    },
  },
  {
    name: 'training-empty',
    async open(page) {
      await openNewSite(page)
      await page.getByRole('link', { name: 'Content', exact: true }).click()
      await page.getByRole('link', { name: 'Training rows' }).click()
    },
  },
  { name: 'training', open: (page, service) => openTraining(page, service) },
  {
    name: 'training-row',
    async open(page, service) {
      await openTraining(page, service)
      await page.getByRole('link', { name: 'How often' }).first().click()
    },
  },
  {
    name: 'training-row-opted-in',
    async open(page, service) {
      await openTraining(page, service)
      await page.getByRole('link', { name: 'xxx' }).last().click()
      await page.getByRole('button', { name: 'Opt in' }).click()
    },
  },
  {
    name: 'training-row-deletion',
    async open(page, service) {
      await openTraining(page, service)
      await page.getByRole('link', { name: 'How often' }).first().click()
      await page.getByRole('link', { name: 'Delete' }).click()
    },
  },
  {
    name: 'usage',
    async open(page, service) {
      await useApi(service)
      await page.goto(`/console/sites/${service.demo.siteId}/usage`)
    },
  },
  {
    name: 'usage-used-up',
    async open(page, service) {
      const site = await makeSite(page)
      await page.goto(`/console/sites/${site}/settings`)
      await page.getByLabel('Custom daily quota').fill('5')
      await page.getByRole('button', { name: 'Save settings' }).click()
      await page.goto(`/console/sites/${site}/keys/new`)
      await page.getByLabel('Name', { exact: true }).fill('CMS')
      await page.getByRole('button', { name: 'Create key' }).click()
      const [key] = /hca_live_\w+/.exec(await page.content())!
      for (let times = 0; times < 5; times += 1)
        await fetch(`${service.origin}/api/v1/sites/${site}/posts`, {
          headers: { Authorization: `Bearer ${key}` },
        })
      await page.goto(`/console/sites/${site}/usage`)
      await page.getByText('Used up', { exact: true }).waitFor()
    },
  },
  {
    name: 'usage-empty',
    async open(page) {
      await openNewSite(page)
      await page.getByRole('link', { name: 'Usage' }).click()
    },
  },
  {
    name: 'transfer',
    open: (page, { demo }) => page.goto(`/console/sites/${demo.siteId}/settings/transfer`),
  },
  { name: 'transfer-check', open: (page, { demo }) => checkImport(page, demo.siteId) },
  { name: 'settings', open: (page, { demo }) => page.goto(`/console/sites/${demo.siteId}/settings`) },
  {
    name: 'settings-refused',
    async open(page, { demo }) {
      await page.goto(`/console/sites/${demo.siteId}/settings`)
      await page.getByLabel('Post path').fill('blog')
      await page.getByLabel('Custom daily quota').fill('many')
      await page.getByRole('button', { name: 'Save settings' }).click()
    },
  },
  {
    name: 'settings-saved',
    async open(page, { demo }) {
      await page.goto(`/console/sites/${demo.siteId}/settings`)
      await page.getByRole('button', { name: 'Save settings' }).click()
    },
  },
  {
    name: 'settings-old-urls',
    async open(page, { demo }) {
      await page.goto(`/console/sites/${demo.siteId}/settings`)
      await page.getByLabel('Domain').fill(`blog-${Date.now()}.example.com`)
      await page.getByRole('button', { name: 'Save settings' }).click()
      await page.getByRole('heading', { name: 'Old URLs in posts' }).waitFor()
    },
  },
  {
    name: 'settings-rebuilt',
    async open(page, { demo }) {
      await page.goto(`/console/sites/${demo.siteId}/settings`)
      await page.getByLabel('Domain').fill(`blog-${Date.now()}.example.com`)
      await page.getByRole('button', { name: 'Save settings' }).click()
      await page.getByRole('button', { name: 'Rebuild' }).click()
      await page.getByText('updated to the new URLs').waitFor()
    },
  },
  { name: 'sitemap-published', open: (page) => publishSitemap(page) },
  {
    name: 'sitemap-renewal',
    async open(page) {
      await publishSitemap(page)
      await page.getByRole('link', { name: 'Renew URLs' }).click()
    },
  },
  {
    name: 'sitemap-removal',
    async open(page) {
      await publishSitemap(page)
      await page.getByRole('link', { name: 'Stop publishing' }).click()
    },
  },
  {
    name: 'site-deletion-refused',
    async open(page, { demo }) {
      await page.goto(`/console/sites/${demo.siteId}/settings`)
      await page.getByRole('link', { name: 'Delete site' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Another')
      await page.getByRole('button', { name: 'Delete site' }).click()
    },
  },
  {
    name: 'site-deleted',
    async open(page) {
      await page.goto(`/console/sites/${await makeSite(page)}/settings/deletion`)
      await page.getByLabel('Name', { exact: true }).fill('Engineering blog')
      await page.getByRole('button', { name: 'Delete site' }).click()
      await page.getByText('Site deleted.').waitFor()
    },
  },
  { name: 'not-found', open: (page) => page.goto('/console/nowhere') },
]

export const OUTSIDE: Visit[] = [
  {
    name: 'form-kept',
    async open(page, service) {
      await signIn(page, service)
      await page.goto('/console/sites/new')
      await page.getByLabel('Name', { exact: true }).fill('Engineering blog')
      await page.getByLabel('Domain').fill('blog.example.com')
      await page.context().clearCookies()
      await page.getByRole('button', { name: 'Create site' }).click()
      await page.getByLabel('Token').waitFor()
    },
  },
  { name: 'sign-in', open: (page) => page.goto('/console/sign-in') },
  {
    name: 'sign-in-refused',
    async open(page) {
      await page.goto('/console/sites')
      await page.getByLabel('Token').fill('not the token')
      await page.getByRole('button', { name: 'Sign in' }).click()
    },
  },
  // Steps with code and answers, tables, a wide table, and a reference: other pages have nothing else.
  { name: 'docs-quick-start', open: (page) => page.goto('/docs') },
  { name: 'docs-webhooks', open: (page) => page.goto('/docs/webhooks') },
  { name: 'docs-costs', open: (page) => page.goto('/docs/costs') },
  { name: 'docs-missing', open: (page) => page.goto('/docs/nowhere') },
  { name: 'docs-reference', open: (page) => page.goto('/docs/reference') },
]

export async function signIn(page: Page, { operatorToken }: Service): Promise<void> {
  await page.goto('/console')
  await page.getByLabel('Token').fill(operatorToken)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
}

/** Nothing listens there. */
const NOBODY = 'http://127.0.0.1:1'

/** The demo site's page, with a webhook, by default to a receiver that responds. */
async function openIntegrations(page: Page, { demo, receiver }: Service, url = `${receiver}/pages/ok`) {
  await openPage(page, demo.siteId, '/webhook')
  await setWebhook(page, url)
  await openPage(page, demo.siteId)
  await page.getByText('Verify deliveries').waitFor()
}

function openPage(page: Page, siteId: string, below = ''): Promise<unknown> {
  return page.goto(`/console/sites/${siteId}/integrations${below}`)
}

/** They are folded on a narrow screen. */
async function unfoldFilters(page: Page): Promise<void> {
  const fold = page.locator('.fold > summary')
  if (await fold.isVisible()) await fold.click()
}

async function setWebhook(page: Page, url: string): Promise<void> {
  await page.getByLabel('URL').fill(url)
  await page.getByRole('button', { name: /^(Add webhook|Save webhook)$/ }).click()
}

async function makeSite(page: Page): Promise<string> {
  await openNewSite(page)
  return /sites\/([^/]+)/.exec(page.url())![1]!
}

async function openNewSite(page: Page): Promise<void> {
  await page.goto('/console/sites/new')
  await page.getByLabel('Name', { exact: true }).fill('Engineering blog')
  await page.getByLabel('Domain').fill('engineering.example.com')
  await page.getByRole('button', { name: 'Create site' }).click()
}

async function publishSitemap(page: Page): Promise<void> {
  await page.goto(`/console/sites/${await makeSite(page)}/settings`)
  await page.getByRole('button', { name: 'Publish sitemap' }).click()
}

/** Some requests for the chart. */
async function useApi({ origin, demo }: Service): Promise<void> {
  const headers = { Authorization: `Bearer ${demo.apiKey}` }
  for (let times = 0; times < 20; times++) {
    await fetch(`${origin}/api/v1/sites/${demo.siteId}/posts?pageSize=1`, { headers })
  }
}

function openPost(page: Page, { demo }: Service, slug: string) {
  return page.goto(`/console/sites/${demo.siteId}/content/posts/${slug}`)
}

/** Without the policy that blocks all scripts, axe's included. */
async function openShared(page: Page, path: string): Promise<void> {
  await page.route('**/drafts/*', async (route) => {
    const response = await route.fetch()
    const { 'content-security-policy': _, ...headers } = response.headers()
    await route.fulfill({ response, headers })
  })
  await page.goto(path)
  await page.unroute('**/drafts/*')
}

/**
 * Creates a preview link, and stays on the page that shows it.
 * @returns its path
 */
async function makeLink(page: Page, service: Service): Promise<string> {
  await openPost(page, service, 'notes-from-the-repair-cafe')
  await page.getByRole('button', { name: 'Preview link' }).click()
  const link = await page.getByText('/drafts/').textContent()
  return new URL(link!).pathname
}

/** The demo site's training rows; each visit opts one more out. */
async function openTraining(page: Page, { origin, operatorToken, demo }: Service): Promise<void> {
  const rows = [
    {
      prompt: 'How often should I clean the chain of a bike that I ride to work in the rain?',
      completion: 'Wipe it after every wet ride.\n\nClean it once a week, and oil it when it is dry.',
      postSlug: 'how-to-clean-a-chain',
      qualityBand: 'premium',
    },
    { prompt: 'x'.repeat(500), completion: 'y'.repeat(500), optIn: false },
  ]
  await fetch(`${origin}/manage/v1/sites/${demo.siteId}/training-rows`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${operatorToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ rows }),
  })
  await page.goto(`/console/sites/${demo.siteId}/content/training`)
}

async function addPerson(page: Page, signIn = 'link'): Promise<void> {
  await page.goto('/console/people/new')
  await page.getByLabel('Name', { exact: true }).fill(`ada-${Date.now()}@example.com`)
  await page.getByLabel('Role').selectOption('editor')
  await page.getByLabel('Sign in').selectOption(signIn)
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('You will not be able to see it again').waitFor()
}

async function checkImport(page: Page, siteId: string): Promise<void> {
  await page.goto(`/console/sites/${siteId}/settings/transfer`)
  const file = await page.request.get(`/console/sites/${siteId}/settings/transfer/export`)
  const broken = '{"type":"post","id":"x","post":{"slug":"broken","title":""}}\n{"type":"end"'
  const buffer = Buffer.from((await file.text()).replace('{"type":"end"', broken))
  await page.locator('#file').setInputFiles({ name: 'export.ndjson', mimeType: 'text/plain', buffer })
  await page.getByRole('button', { name: 'Preview import' }).click()
  await page.getByRole('heading', { name: 'Import preview' }).waitFor()
}

async function openPerson(page: Page): Promise<void> {
  await addPerson(page)
  await page.getByRole('link', { name: 'Done' }).click()
  await page.getByRole('heading', { name: 'Tokens' }).waitFor()
}

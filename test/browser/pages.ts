/** Every page of the console, in each of its visual states, and the kinds of pages of `/docs`. */
import type { Page } from 'playwright-core'
import type { Service } from './service.ts'

type Visit = { name: string; open: (page: Page, service: Service) => Promise<unknown> }
/** A path below the demo site unless it begins with `/`, or the way to the page. */
type Way = string | ((on: Visitor) => Promise<unknown>)
type Visitor = ReturnType<typeof visitor>

export const WIDTHS = [360, 1440]
export const SCHEMES = ['light', 'dark'] as const

/** Nothing listens there. */
const NOBODY = 'http://127.0.0.1:1'
const SITE_FIELDS = { Name: 'Engineering blog', Domain: 'engineering.example.com' }

function visitor(page: Page, service: Service) {
  const { demo, origin, operatorToken, receiver } = service
  const goto = (path: string) =>
    page.goto(
      path.startsWith('/') || path.startsWith('http') ? path : `/console/sites/${demo.siteId}/${path}`,
    )
  const press = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).first().click()
  const follow = (name: string | RegExp) => page.getByRole('link', { name, exact: true }).first().click()
  const see = (text: string | RegExp) => page.getByText(text).first().waitFor()
  const on = {
    page,
    service,
    goto,
    press,
    follow,
    see,
    seeHeading: (name: string | RegExp) => page.getByRole('heading', { name }).waitFor(),
    /** Fills the fields with these labels, and presses the button. */
    async send(button: string | RegExp, fields: Record<string, string>) {
      for (const [label, value] of Object.entries(fields))
        await page.getByLabel(label, { exact: true }).fill(value)
      await press(button)
    },
    async newSite() {
      await goto('/console/sites/new')
      await on.send('Create site', SITE_FIELDS)
      await page.waitForURL(/sites\/[0-9a-f-]{36}/)
      const [site] = /\/console\/sites\/[^/]+/.exec(page.url())!
      return `${site}/`
    },
    setWebhook: (url: string) => on.send(/^(Add webhook|Save webhook)$/, { URL: url }),
    /** The demo site's page, with a webhook, by default to a receiver that responds. */
    async openIntegrations(url = `${receiver}/pages/ok`) {
      await goto('integrations/webhook')
      await on.setWebhook(url)
      await goto('integrations')
      await see('Verify deliveries')
    },
    async sendTest(url?: string) {
      await on.openIntegrations(url)
      await press('Send test event')
      await see('View the exact request')
    },
    /** They are folded on a narrow screen. */
    async unfoldFilters() {
      const fold = page.locator('.fold > summary')
      if (await fold.isVisible()) await fold.click()
    },
    /** Posts selected on an earlier page would be changed, too. */
    async selectOne() {
      await page.evaluate('sessionStorage.clear()')
      await goto('content?sort=title')
      await page.getByLabel('Select Riding through winter').check()
    },
    async publishSitemap() {
      await goto(`${await on.newSite()}settings`)
      await press('Publish sitemap')
      await see('Sitemap published.')
    },
    /** Creates a preview link, and stays on the page that shows it. */
    async makeLink() {
      await goto('content/posts/notes-from-the-repair-cafe')
      await press('Preview link')
      await see('You will not be able to see it again')
      return new URL((await page.getByText('/drafts/').textContent())!).pathname
    },
    /** Without the policy that blocks all scripts, axe's included. */
    async openShared(path: string) {
      await page.route('**/drafts/*', async (route) => {
        const response = await route.fetch()
        const { 'content-security-policy': _, ...headers } = response.headers()
        await route.fulfill({ response, headers })
      })
      await goto(path)
      await page.unroute('**/drafts/*')
    },
    /** The demo site's training rows; each visit opts one more out. */
    async openTraining() {
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
      await goto('content/training')
    },
    async addPerson(signIn = 'link') {
      await goto('/console/people/new')
      await page.getByLabel('Role').selectOption('editor')
      await page.getByLabel('Sign in').selectOption(signIn)
      await on.send('Add', { Name: `ada-${Date.now()}@example.com` })
      await see('You will not be able to see it again')
    },
    async openPerson() {
      await on.addPerson()
      await follow('Done')
      await on.seeHeading('Tokens')
    },
    /** Requests for a chart. */
    async useApi(siteId: string, key: string, times: number) {
      const headers = { Authorization: `Bearer ${key}` }
      for (let made = 0; made < times; made++)
        await fetch(`${origin}/api/v1/sites/${siteId}/posts?pageSize=1`, { headers })
    },
  }
  return on
}

const WAYS: Record<string, Way> = {
  overview: '/console/overview',
  'overview-of-site': 'overview',
  sites: '/console/sites',
  'sites-found': '/console/sites?search=demo',
  'sites-not-found': '/console/sites?search=none+of+these',
  'site-menu': async (on) => {
    await on.newSite()
    await on.newSite()
    await on.page.locator('.switcher summary').click()
  },
  'site-new': '/console/sites/new',
  'site-new-refused': async (on) => {
    await on.goto('/console/sites/new')
    await on.send('Create site', { ...SITE_FIELDS, Domain: 'https://blog.example.com' })
  },
  api: 'api',
  'api-empty': (on) => on.newSite(),
  'key-new': 'keys/new',
  'key-created': async (on) => {
    await on.goto('keys/new')
    await on.send('Create key', { Name: 'Staging' })
  },
  'key-revocation': async (on) => {
    await on.goto('api')
    await on.follow(/^Revoke/)
  },
  'key-revoked': async (on) => {
    await on.goto('keys/new')
    await on.page.getByLabel('Access').selectOption('sitemap')
    await on.send('Create key', { Name: 'Old importer', Expires: '2030-01-31' })
    await on.follow('Done')
    await on.follow('Revoke Old importer')
    await on.press('Revoke key')
  },
  people: async (on) => {
    await on.openPerson()
    await on.goto('/console/people')
  },
  'person-new': '/console/people/new',
  'person-link': (on) => on.addPerson(),
  'person-token': (on) => on.addPerson('token'),
  'person-some-sites': async (on) => {
    await on.goto('/console/people/new')
    await on.page.getByLabel('Only these').check()
  },
  'sign-in-link': async (on) => {
    await on.addPerson()
    await on.goto((await on.page.getByText('/sign-in/links/').textContent())!.trim())
  },
  person: (on) => on.openPerson(),
  'person-removal': async (on) => {
    await on.openPerson()
    await on.follow('Remove')
    await on.seeHeading(/^Remove /)
  },
  'audit-log': '/console/audit-log',
  'audit-log-site': 'audit-log',
  'integrations-empty': async (on) => on.goto(`${await on.newSite()}integrations`),
  'webhook-new': async (on) => on.goto(`${await on.newSite()}integrations/webhook`),
  'webhook-refused': async (on) => {
    await on.goto(`${await on.newSite()}integrations/webhook`)
    await on.setWebhook('http://cms.example.org/hooks')
  },
  'webhook-set': async (on) => {
    await on.goto(`${await on.newSite()}integrations/webhook`)
    await on.setWebhook(NOBODY)
  },
  integrations: (on) => on.openIntegrations(),
  'integrations-tested': (on) => on.sendTest(),
  'integrations-failed': (on) => on.sendTest(NOBODY),
  'deliveries-filtered': async (on) => {
    await on.goto('integrations/deliveries')
    await on.unfoldFilters()
    await on.page.getByLabel('Outcome').selectOption('under_way')
    await on.press('Filter')
    await on.see('No deliveries found')
  },
  deliveries: async (on) => {
    await on.sendTest(NOBODY)
    await on.follow('All deliveries')
    await on.see('Not arrived:')
  },
  'deliveries-resent': async (on) => {
    await on.sendTest(NOBODY)
    await on.follow('All deliveries')
    await on.press('Resend all failed events')
    await on.press(/^Resend \d+ events?$/)
    await on.see('failed again.')
  },
  'webhook-rotation': async (on) => {
    await on.openIntegrations()
    await on.follow('Rotate secret')
  },
  'webhook-removal': async (on) => {
    await on.openIntegrations()
    await on.follow('Remove webhook')
  },
  delivery: async (on) => {
    await on.sendTest()
    await on.follow('View the exact request')
    await on.press('Resend')
    await on.seeHeading('Other attempts')
    await on.page.getByText('Formatted body').click()
  },
  'signature-check': 'integrations/signature-check',
  'signature-checked': async (on) => {
    await on.goto('integrations/signature-check')
    const claim = { Timestamp: '1790000000', Body: '{"event":"webhook.test"}', Signature: '0'.repeat(64) }
    await on.send('Check', claim)
    await on.see('does not verify')
  },
  content: 'content',
  'content-no-match': async (on) => {
    await on.goto('content')
    await on.unfoldFilters()
    await on.send('Filter', { Search: 'unicycle' })
    await on.see('No posts match')
  },
  'content-selected': async (on) => {
    await on.selectOne()
    await on.see('1 selected')
  },
  'content-unpublishing': async (on) => {
    await on.goto('content?status=published')
    await on.page.getByLabel('All on this page').check()
    await on.press('Unpublish')
    await on.seeHeading(/^Unpublish \d+ posts/)
  },
  'content-undone': async (on) => {
    await on.selectOne()
    await on.press('Unpublish')
    await on.press('Unpublish 1 post')
    await on.press('Undo')
    await on.see('1 post published.')
  },
  'content-selection-refused': async (on) => {
    await on.goto('content?status=published')
    await on.page.getByLabel('All on this page').check()
    await on.press('Mark ready')
    await on.seeHeading('No posts marked ready')
  },
  'content-refused': 'content?language=e_n&updatedAfter=yesterday',
  'content-empty': async (on) => on.goto(`${await on.newSite()}content`),
  guides: 'content/guides',
  post: 'content/posts/how-to-clean-a-chain',
  'post-edit': 'content/posts/how-to-clean-a-chain/edit',
  'post-edit-refused': async (on) => {
    await on.goto('content/posts/how-to-clean-a-chain/edit')
    await on.send('Save', { Language: 'e_n', Content: '<p>One\n<b>two' })
    await on.see('Nothing was saved')
  },
  'post-translation': 'content/posts/kette-reinigen',
  'post-with-sources': 'content/posts/choosing-a-first-road-bike',
  'post-marked-ready': async (on) => {
    await on.goto('content/posts/are-tubeless-tyres-worth-it')
    const button = on.page.getByRole('button', { name: 'Mark ready' })
    if (await button.isVisible()) await button.click()
    await on.see(/^Ready[.:,]/)
  },
  'post-unchecked': 'content/posts/notes-from-the-repair-cafe',
  'post-link-created': (on) => on.makeLink(),
  'post-link-revoked': async (on) => {
    await on.makeLink()
    await on.follow('Done')
    await on.press(/^Revoke/)
    await on.see('Link revoked. It no longer works.')
  },
  draft: async (on) => on.openShared(await on.makeLink()),
  'draft-gone': (on) => on.openShared('/drafts/gone'),
  guide: 'content/guides/packing-for-a-weekend-tour',
  'post-rename-refused': async (on) => {
    await on.goto('content/posts/how-to-clean-a-chain/slug')
    await on.send('Change slug', { Slug: 'kette-reinigen' })
    await on.see('Slug is already used by another post.')
  },
  'post-deletion': 'content/posts/how-to-clean-a-chain/deletion',
  'guide-rename': 'content/guides/packing-for-a-weekend-tour/slug',
  'redirects-empty': async (on) => on.goto(`${await on.newSite()}content/redirects`),
  redirects: async (on) => {
    await on.goto('content/redirects')
    for (const [From, To] of [
      ['/2019/05/chains', '/blog/how-to-clean-a-chain'],
      ['/shop', 'https://shop.example.com/'],
    ] as const) {
      await on.send('Save redirect', { From, To })
      await on.see('Redirect saved.')
    }
  },
  'redirects-refused': async (on) => {
    await on.goto('content/redirects')
    await on.send('Save redirect', { From: '/?p=12', To: '/blog' })
    await on.see('From must have neither a query nor a fragment.')
  },
  'training-empty': async (on) => on.goto(`${await on.newSite()}content/training`),
  training: (on) => on.openTraining(),
  'training-row': async (on) => {
    await on.openTraining()
    await on.follow(/^How often/)
  },
  'training-row-opted-in': async (on) => {
    await on.openTraining()
    await on.page.getByRole('link', { name: 'xxx' }).last().click()
    await on.press('Opt in')
  },
  'training-row-deletion': async (on) => {
    await on.openTraining()
    await on.follow(/^How often/)
    await on.follow('Delete')
  },
  usage: async (on) => {
    const { siteId, apiKey } = on.service.demo
    await on.useApi(siteId, apiKey, 20)
    await on.goto('usage')
  },
  'usage-used-up': async (on) => {
    const site = await on.newSite()
    await on.goto(`${site}settings`)
    await on.send('Save settings', { 'Custom daily quota': '5' })
    await on.goto(`${site}keys/new`)
    await on.send('Create key', { Name: 'CMS' })
    await on.seeHeading('Key created')
    const [key] = /hca_live_\w+/.exec(await on.page.content())!
    await on.useApi(site.split('/')[3]!, key, 5)
    await on.goto(`${site}usage`)
    await on.see(/^Used up$/)
  },
  'usage-empty': async (on) => on.goto(`${await on.newSite()}usage`),
  transfer: 'settings/transfer',
  'transfer-check': async (on) => {
    await on.goto('settings/transfer')
    const file = await on.page.request.get(`${on.page.url()}/export`)
    const broken = '{"type":"post","id":"x","post":{"slug":"broken","title":""}}\n{"type":"end"'
    const buffer = Buffer.from((await file.text()).replace('{"type":"end"', broken))
    await on.page.locator('#file').setInputFiles({ name: 'export.ndjson', mimeType: 'text/plain', buffer })
    await on.press('Preview import')
    await on.seeHeading('Import preview')
  },
  settings: 'settings',
  'settings-refused': async (on) => {
    await on.goto('settings')
    await on.send('Save settings', { 'Post path': 'blog', 'Custom daily quota': 'many' })
  },
  'settings-saved': async (on) => {
    await on.goto('settings')
    await on.press('Save settings')
  },
  'settings-old-urls': async (on) => {
    await on.goto('settings')
    await on.send('Save settings', { Domain: `blog-${Date.now()}.example.com` })
    await on.seeHeading('Old URLs in posts')
  },
  'settings-rebuilt': async (on) => {
    await on.goto('settings')
    await on.send('Save settings', { Domain: `blog-${Date.now()}.example.com` })
    await on.press('Rebuild')
    await on.see('updated to the new URLs')
  },
  'sitemap-published': (on) => on.publishSitemap(),
  'sitemap-renewal': async (on) => {
    await on.publishSitemap()
    await on.follow('Renew URLs')
  },
  'sitemap-removal': async (on) => {
    await on.publishSitemap()
    await on.follow('Stop publishing')
  },
  'site-deletion-refused': async (on) => {
    await on.goto('settings/deletion')
    await on.send('Delete site', { Name: 'Another' })
  },
  'site-deleted': async (on) => {
    await on.goto(`${await on.newSite()}settings/deletion`)
    await on.send('Delete site', { Name: SITE_FIELDS.Name })
    await on.see('Site deleted.')
  },
  'not-found': '/console/nowhere',
}

const WAYS_OUTSIDE: Record<string, Way> = {
  'form-kept': async ({ page, service, goto, send }) => {
    await signIn(page, service)
    await goto('/console/sites/new')
    await page.context().clearCookies()
    await send('Create site', SITE_FIELDS)
    await page.getByLabel('Token').waitFor()
  },
  'sign-in': '/console/sign-in',
  'sign-in-refused': async (on) => {
    await on.goto('/console/sites')
    await on.send('Sign in', { Token: 'not the token' })
  },
  // Steps with code and answers, tables, a wide table, and a reference: other pages have nothing else.
  'docs-quick-start': '/docs',
  'docs-webhooks': '/docs/webhooks',
  'docs-costs': '/docs/costs',
  'docs-missing': '/docs/nowhere',
  'docs-reference': '/docs/reference',
}

const visitsOf = (ways: Record<string, Way>): Visit[] =>
  Object.entries(ways).map(([name, way]) => ({
    name,
    async open(page, service) {
      const on = visitor(page, service)
      await (typeof way === 'string' ? on.goto(way) : way(on))
    },
  }))

export const PAGES = visitsOf(WAYS)
export const OUTSIDE = visitsOf(WAYS_OUTSIDE)

export async function signIn(page: Page, { operatorToken }: Service): Promise<void> {
  await page.goto('/console')
  await page.getByLabel('Token').fill(operatorToken)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
}

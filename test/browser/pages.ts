/** Every page of the console, in each of its visual states, and the kinds of pages of `/docs`. */
import type { Browser, Page } from 'playwright-core'
import type { Service } from './service.ts'

type Visit = {
  name: string
  /** It has the same elements as another page. */
  isLikeAnother: boolean
  open: (page: Page, service: Service) => Promise<unknown>
}
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
    page.goto(path.startsWith('/') ? path : `/console/sites/${demo.siteId}/${path}`)
  const press = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).first().click()
  const see = (text: string | RegExp) => page.getByText(text).first().waitFor()
  /** A request to the management API, below the demo site unless it begins with `/`. */
  async function manage<Answer = { id: string }>(method: string, path: string, body = {}): Promise<Answer> {
    const below = path.startsWith('/') ? path : `/sites/${demo.siteId}/${path}`
    const answer = await fetch(`${origin}/manage/v1${below}`, {
      method,
      headers: { Authorization: `Bearer ${operatorToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    return answer.json() as Answer
  }
  const on = {
    page,
    service,
    goto,
    press,
    see,
    manage,
    follow: (name: string | RegExp) => page.getByRole('link', { name, exact: true }).first().click(),
    seeHeading: (name: string | RegExp) => page.getByRole('heading', { name }).waitFor(),
    /** Fills the fields with these labels, and presses the button. */
    async send(button: string | RegExp, fields: Record<string, string>) {
      for (const [label, value] of Object.entries(fields))
        await page.getByLabel(label, { exact: true }).fill(value)
      await press(button)
    },
    /** Opens a page of a new site. */
    async openNewSite(below: string, fields = {}) {
      const site = { name: SITE_FIELDS.Name, domain: SITE_FIELDS.Domain, ...fields }
      const { id } = await manage('POST', '/sites', site)
      await goto(`/console/sites/${id}/${below}`)
      return id
    },
    /** Sends a test event from the demo site, by default to a receiver that responds. */
    async sendTest(url = `${receiver}/pages/ok`) {
      await manage('PUT', 'webhook', { url })
      await goto(`integrations/webhooks/${service.demo.siteId}`)
      await press('Send test event')
      await see('View delivery')
    },
    /** Resends leave out tests, so a draft is marked ready. */
    async failEvent() {
      await manage('PUT', 'webhook', { url: NOBODY })
      const draft = { title: 'Saddle height', contentHtml: '<p>Sit level.</p>', trustScore: 91 }
      await manage('PUT', 'posts/saddle-height', draft)
      await manage('PUT', 'posts/saddle-height/readiness')
      await goto('integrations/deliveries')
      await page
        .getByRole('row', { name: /Saddle height.*Failed/ })
        .first()
        .waitFor()
    },
    /** Posts selected on an earlier page would be changed, too. */
    async selectOne() {
      await page.evaluate('sessionStorage.clear()')
      await goto('content?sort=title')
      await page.getByLabel('Select Riding through winter').check()
    },
    async selectAllPublished() {
      await goto('content?status=published')
      await page.getByLabel('All on this page').check()
    },
    makePreviewLink: () =>
      manage<{ id: string; token: string }>('POST', 'posts/notes-from-the-repair-cafe/preview-links'),
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
      await manage('POST', 'training-rows', { rows })
      await goto('content/training')
    },
    addPerson: () =>
      manage('POST', '/operators', { name: `ada-${crypto.randomUUID()}@example.com`, role: 'editor' }),
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
  'sites-not-found': '/console/sites?search=none+of+these',
  search: '/console/search?q=chain',
  commands: async (on) => {
    await on.goto('content/posts/notes-from-the-repair-cafe')
    await on.page.keyboard.press('Control+k')
    await on.see('Copy ID')
  },
  'site-menu': async (on) => {
    await on.openNewSite('api')
    await on.openNewSite('api')
    await on.page.locator('.switcher summary').click()
  },
  'site-new': '/console/sites/new',
  'site-new-refused': async (on) => {
    await on.goto('/console/sites/new')
    await on.send('Create site', { ...SITE_FIELDS, Domain: 'https://blog.example.com' })
  },
  api: 'api',
  'api-empty': (on) => on.openNewSite('api'),
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
    const { id } = await on.manage('POST', 'keys', {
      name: 'Old importer',
      expiresAt: '2030-01-31T00:00:00Z',
    })
    await on.goto(`keys/${id}/revocation`)
    await on.press('Revoke key')
  },
  people: async (on) => {
    await on.addPerson()
    await on.goto('/console/people')
  },
  'person-new': '/console/people/new',
  'person-some-sites': async (on) => {
    await on.goto('/console/people/new')
    await on.page.getByLabel('Only these').check()
  },
  'sign-in-link': async (on) => {
    const { id } = await on.addPerson()
    const { url } = await on.manage<{ url: string }>('POST', `/operators/${id}/sign-in-links`)
    await on.goto(new URL(url).pathname)
  },
  person: async (on) => {
    const { id } = await on.addPerson()
    for (const credential of ['tokens', 'sign-in-links'])
      await on.manage('POST', `/operators/${id}/${credential}`)
    await on.goto(`/console/people/${id}`)
  },
  'person-removal': async (on) => on.goto(`/console/people/${(await on.addPerson()).id}/deletion`),
  'audit-log': '/console/audit-log',
  'audit-log-site': 'audit-log',
  alerts: '/console/alerts',
  'alerts-refused': async (on) => {
    await on.goto('/console/alerts')
    await on.send('Save alerts', {
      Slack: 'http://hooks.example.com/',
      'Failures in a row before an alert': '0',
    })
  },
  'integrations-empty': (on) => on.openNewSite('integrations'),
  'webhook-refused': async (on) => {
    await on.openNewSite('integrations/webhook')
    await on.send('Add webhook', { URL: 'http://cms.example.org/hooks' })
  },
  'integrations-tested': (on) => on.sendTest(),
  'integrations-failed': (on) => on.sendTest(NOBODY),
  deliveries: async (on) => {
    await on.sendTest(NOBODY)
    await on.follow('All deliveries')
    await on.see('Last 90 days, failed')
  },
  'deliveries-to-resend': async (on) => {
    await on.failEvent()
    await on.press('Resend failed')
    await on.see('Last failed')
  },
  'deliveries-resent': async (on) => {
    await on.failEvent()
    await on.press('Resend failed')
    await on.press(/^Resend \d+ events?$/)
    await on.see('failed again.')
  },
  delivery: async (on) => {
    await on.sendTest()
    await on.follow('View delivery')
    await on.press('Resend')
    await on.seeHeading('Other attempts')
    await on.page.getByText('Body as sent').click()
  },
  'signature-checked': async (on) => {
    await on.goto('integrations/signature-check')
    const claim = { Timestamp: '1790000000', Body: '{"event":"webhook.test"}', Signature: '0'.repeat(64) }
    await on.send('Check', claim)
    await on.see('does not verify')
  },
  content: 'content',
  'content-selected': async (on) => {
    await on.selectOne()
    await on.see('1 selected')
  },
  'content-unpublishing': async (on) => {
    await on.selectAllPublished()
    await on.press('Unpublish…')
    await on.seeHeading(/^Unpublish \d+ posts/)
  },
  'content-undone': async (on) => {
    await on.selectOne()
    await on.press('Unpublish…')
    await on.press('Unpublish 1 post')
    await on.press('Undo')
    await on.see('1 post published.')
  },
  'content-selection-refused': async (on) => {
    await on.manage('PUT', 'posts/unrated', { title: 'Unrated', contentHtml: '<p>One.</p>' })
    await on.goto('content?search=unrated')
    await on.page.getByLabel('Select Unrated').check()
    await on.press('Mark ready')
    await on.see('No posts marked ready.')
  },
  'content-refused': 'content?language=e_n&updatedAfter=yesterday',
  'content-empty': (on) => on.openNewSite('content'),
  guides: 'content/guides',
  post: 'content/posts/how-to-clean-a-chain',
  'post-edit': 'content/posts/how-to-clean-a-chain/edit',
  'post-new': 'content/new/posts',
  'post-edit-refused': async (on) => {
    await on.goto('content/posts/how-to-clean-a-chain/edit#language')
    await on.send('Save and publish', { Language: 'e_n', Content: '<p>One\n<b>two' })
    await on.see('Language must')
  },
  'post-translation': 'content/posts/kette-reinigen',
  'post-with-sources': 'content/posts/choosing-a-first-road-bike',
  'post-marked-ready': async (on) => {
    await on.manage('PUT', 'posts/are-tubeless-tyres-worth-it/readiness')
    await on.goto('content/posts/are-tubeless-tyres-worth-it')
    await on.see(/^(Marked ready|Ready)[.:,]/)
  },
  'post-changes': async (on) => {
    for (const word of ['late', 'early'])
      await on.manage('PUT', 'posts/pruning', {
        title: `Pruning in ${word} winter`,
        contentHtml: `<p>Prune in ${word} winter.</p>`,
        faqJsonLd: { '@type': word },
      })
    await on.goto('content/posts/pruning')
    await on.follow(/^Updated/)
    await on.seeHeading(/^Updated/)
  },
  'post-unchecked': 'content/posts/notes-from-the-repair-cafe',
  'post-link-revoked': async (on) => {
    const { id } = await on.makePreviewLink()
    await on.manage('PUT', `posts/notes-from-the-repair-cafe/preview-links/${id}/revocation`)
    await on.goto('content/posts/notes-from-the-repair-cafe')
  },
  draft: async (on) => on.openShared(`/drafts/${(await on.makePreviewLink()).token}`),
  'draft-gone': (on) => on.openShared('/drafts/gone'),
  guide: 'content/guides/packing-for-a-weekend-tour',
  'post-change-request': 'content/posts/notes-from-the-repair-cafe/change-request',
  redirects: async (on) => {
    const redirects = [
      { from: '/2019/05/chains', to: '/blog/how-to-clean-a-chain' },
      { from: '/shop', to: 'https://shop.example.com/' },
    ]
    await on.manage('PUT', 'redirects', { redirects })
    await on.goto('content/redirects')
  },
  'redirect-new': 'content/redirects/new',
  training: (on) => on.openTraining(),
  'training-row': async (on) => {
    await on.openTraining()
    await on.follow(/^How often/)
  },
  usage: async (on) => {
    const { siteId, apiKey } = on.service.demo
    await on.useApi(siteId, apiKey, 20)
    await on.goto('usage')
  },
  'usage-used-up': async (on) => {
    const siteId = await on.openNewSite('usage', { dailyQuota: 5 })
    const { key } = await on.manage<{ key: string }>('POST', `/sites/${siteId}/keys`, { name: 'CMS' })
    await on.useApi(siteId, key, 5)
    await on.page.reload()
    await on.see(/^Used up$/)
  },
  'usage-empty': (on) => on.openNewSite('usage'),
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
  'settings-refused': async (on) => {
    await on.goto('settings')
    await on.send('Save settings', { Domain: 'localhost', 'Custom daily quota': '-1' })
  },
  'settings-saved': async (on) => {
    await on.goto('settings')
    await on.press('Save settings')
  },
  'settings-publishing': 'settings/publishing',
  'settings-old-urls': async (on) => {
    await on.manage('PATCH', `/sites/${on.service.demo.siteId}`, { domain: `blog-${Date.now()}.example.com` })
    await on.goto('settings')
    await on.see('an old URL in')
  },
  'sitemap-published': async (on) => {
    await on.manage('PUT', 'sitemap')
    await on.goto('settings/sitemap')
  },
  'settings-alerts': 'settings/alerts',
  'site-deletion-refused': async (on) => {
    await on.goto('settings/deletion')
    await on.send('Delete site', { 'Type “Demo” to confirm': 'Another' })
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

const LIKE_OTHERS =
  'site-new api-empty person-new audit-log-site integrations-failed content-selected content-undone guides post-translation ' +
  'post-unchecked post-edit settings-refused settings-old-urls sign-in sites-not-found key-new docs-missing'

const visitsOf = (ways: Record<string, Way>): Visit[] =>
  Object.entries(ways).map(([name, way]) => ({
    name,
    isLikeAnother: LIKE_OTHERS.split(' ').includes(name),
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

/** The state of a browser that is signed in, for contexts that need no sign-in of their own. */
export async function sessionOf(browser: Browser, service: Service) {
  const page = await browser.newPage({ baseURL: service.origin })
  await signIn(page, service)
  const session = await page.context().storageState()
  await page.close()
  return session
}

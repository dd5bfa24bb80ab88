import type { BrowserContext, Locator, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { inChromium } from './in-chromium.ts'
import { signIn } from './pages.ts'

const WIDTHS = [360, 700, 880, 1000, 1440]
/** Widths at which a table of the console fits its columns. */
const WITH_COLUMNS = [1440]

const LONG_WORD = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
const LONG_SLUG = `${'long-'.repeat(30)}slug`
const LONG_NAME = 'bartholomew.featherstonehaugh@engineering.subsidiary.example.com'

inChromium('lists', (world) => {
  let context: BrowserContext
  let page: Page
  let site: string

  beforeAll(async () => {
    site = `/sites/${world.service.demo.siteId}`
    await fill()
    context = await world.browser.newContext({ baseURL: world.service.origin, reducedMotion: 'reduce' })
    page = await context.newPage()
    await signIn(page, world.service)
  })

  /** A path below the demo site unless it begins with `/`. */
  const goto = (path: string, on = page) => on.goto(path.startsWith('/') ? path : `/console${site}/${path}`)
  const put = (slug: string, fields: object) =>
    world.manage('PUT', `${site}/posts/${slug}`, { contentHtml: '<p>Words.</p>', ...fields })
  const setSize = (width: number, height = 800) => page.setViewportSize({ width, height })
  /** How many pixels the page or a list on it is too wide. */
  const overflow = () =>
    page.evaluate(`Math.max(...[document.documentElement, ...document.querySelectorAll('.cards')]
      .map((element) => element.scrollWidth - element.clientWidth))`)

  /** A site whose texts all have the maximum length. */
  async function fill() {
    await world.manage('POST', '/operators', { name: LONG_NAME, role: 'viewer' })
    await world.manage('POST', '/sites', { name: LONG_WORD, domain: `${'long-'.repeat(11)}name.example.com` })
    await put(LONG_SLUG, { title: LONG_WORD, trustScore: 50 })
    await put('18-rtl', { title: 'מדריך' })
    await world.manage('PUT', `${site}/webhook`, { url: `${world.service.receiver}/widths/ok` })
    await world.manage('PUT', `${site}/posts/${LONG_SLUG}/readiness`, {})
  }

  const LISTS = [
    ['posts', 'content'],
    ['guides', 'content/guides'],
    ['deliveries', 'integrations/deliveries'],
    ['the audit log of a site', 'audit-log'],
    ['keys', 'api'],
    ['sites', '/console/sites'],
    ['people', '/console/people'],
    ['the audit log', '/console/audit-log'],
  ] as const

  it.each(LISTS)('%s fit every screen, as cards where columns have no room', async (_, path) => {
    await goto(path)
    await page.locator('.cards tbody tr').first().waitFor()
    for (const width of WIDTHS) {
      await setSize(width)
      const layout = async () => ({
        width: await page.evaluate('innerWidth'),
        overflow: await overflow(),
        hasColumns: await page.locator('.cards thead').first().isVisible(),
      })
      await expect.poll(layout).toEqual({ width, overflow: 0, hasColumns: WITH_COLUMNS.includes(width) })
    }
  })

  it('an article with a wide table and long lines of code fits every screen', async () => {
    const cells = Array.from({ length: 24 }, (_, at) => `<td>Column-number-${at}</td>`).join('')
    const contentHtml = `<p>Before.</p><table><tr>${cells}</tr></table><pre>${'code '.repeat(200)}</pre>`
    await put('table', { title: 'Wide', contentHtml })
    await goto('content/posts/table')
    await page.getByRole('cell', { name: 'Column-number-0', exact: true }).waitFor()
    for (const width of WIDTHS) {
      await setSize(width)
      await expect.poll(async () => [width, await overflow()]).toEqual([width, 0])
    }
  })

  it('the cards of a phone are a table for screen readers, too', async () => {
    await setSize(360, 640)
    await goto('content?search=kette-reinigen')
    const session = await context.newCDPSession(page)
    const { nodes } = await session.send('Accessibility.getFullAXTree')
    const roles = nodes.filter(({ ignored }) => !ignored).map(({ role }) => String(role?.value))
    for (const role of ['table', 'rowgroup', 'row', 'rowheader', 'cell']) expect(roles).toContain(role)
  })

  const boxOf = async (shown: Locator) => (await shown.boundingBox())!

  it('lists start on the first screen of a phone', async () => {
    // Without failed deliveries, which the page shows first.
    const { id } = await world.manage('POST', '/sites', { name: 'Quiet', domain: 'quiet.example.com' })
    await world.manage('PUT', `/sites/${id}/webhook`, { url: `${world.service.receiver}/widths/ok` })
    const draft = { title: 'A', contentHtml: '<p>Words.</p>', trustScore: 90 }
    await world.manage('PUT', `/sites/${id}/posts/a`, draft)
    await world.manage('PUT', `/sites/${id}/posts/a/readiness`, {})
    await setSize(360, 640)
    const deliveries = `/console/sites/${id}/integrations/deliveries`
    for (const path of ['content', 'content/training', '/console/sites', '/console/audit-log', deliveries]) {
      await goto(path)
      const top = async () => (await boxOf(page.locator('tbody tr').first())).y
      await expect.poll(top, { message: path }).toBeLessThan(640)
    }
  })

  it('the guide has one line for each part and page on a phone, with whole words', async () => {
    await setSize(360, 640)
    await page.goto('/docs/webhooks')
    for (const name of ['Parts', 'Guide']) {
      const part = page.getByRole('navigation', { name })
      await expect.poll(async () => (await boxOf(part)).height).toBeLessThan(48)
    }
  })

  it('the choices for schedules of a removed person are spaced apart', async () => {
    const { id } = await world.manage('POST', '/operators', { name: 'Scheduler', role: 'editor' })
    const { token } = await world.manage<{ token: string }>('POST', `/operators/${id}/tokens`, {})
    await put('to-come', { title: 'To come', trustScore: 90 })
    const publishAt = new Date(Date.now() + 3_600_000).toISOString()
    await world.manage('PUT', `${site}/posts/to-come/publication-schedule`, { publishAt }, token)
    await page.goto(`/console/people/${id}/deletion`)
    const [keep, cancel] = [page.locator('.choice').first(), page.locator('.choice').last()]
    const gap = async () => (await boxOf(cancel)).y - (await boxOf(keep)).y - (await boxOf(keep)).height
    await expect.poll(gap).toBeGreaterThan(4)
  })

  it('the time of a redirect is on one line, however long its URL', async () => {
    const redirects = [{ from: `/${LONG_SLUG}`, to: '/blog/kette-reinigen' }]
    await world.manage('PUT', `${site}/redirects`, { redirects })
    await setSize(1440)
    await goto('content/redirects')
    await expect.poll(async () => (await boxOf(page.locator('tbody time').first())).height).toBeLessThan(30)
  })

  it.each([360, 1440])(
    'a right-to-left title is aligned with the others, next to its checkbox, at %s px',
    async (width) => {
      await setSize(width)
      await goto('content?sort=title')
      const lefts = `[...new Set([...document.querySelectorAll('tbody th > a')].map((link) =>
      Math.round(link.getClientRects()[0].x)))]`
      await expect.poll(() => page.evaluate(lefts)).toHaveLength(1)
      const places = async () => {
        const box = await boxOf(page.getByLabel('Select מדריך'))
        const title = await boxOf(page.getByRole('link', { name: 'מדריך' }))
        const all = await boxOf(page.getByLabel('All on this page'))
        // On phones the box for all rows stands at the end of the line of the filters.
        return { isUnderAll: box.x === all.x, isBeforeTitle: box.x + box.width < title.x }
      }
      await expect.poll(places).toEqual({ isUnderAll: width > 640, isBeforeTitle: true })
    },
  )

  it('a card has a line for its title and one for everything else, also for the longest title and slug', async () => {
    await setSize(760)
    await goto('content?search=kette-reinigen')
    const lines = `[...new Set(
      [...document.querySelectorAll('tbody tr > *')].map((cell) => Math.round(cell.getBoundingClientRect().bottom / 8)),
    )].length`
    await expect.poll(() => page.evaluate(lines)).toBe(2)
    const { height } = await boxOf(page.locator('tbody tr'))
    await goto('content?search=Donau')
    await page.evaluate(`document.querySelector('tbody time').textContent = 'Dec 28, 2026, 12:58 PM'`)
    await expect.poll(async () => (await boxOf(page.locator('tbody tr'))).height).toBe(height)
  })

  it.each([true, false])(
    'the current tab is in view on a narrow screen, and the page stays at its fragment (with JavaScript: %s)',
    async (javaScriptEnabled) => {
      const own = await world.browser.newContext({
        baseURL: world.service.origin,
        javaScriptEnabled,
        storageState: await context.storageState(),
        viewport: { width: 360, height: 400 },
      })
      const narrow = await own.newPage()
      const isInView = async (name: string) => {
        const tab = narrow.getByRole('navigation', { name: 'Site' }).getByRole('link', { name, exact: true })
        const { x, width } = await boxOf(tab)
        // A scroll position is a whole pixel.
        return x > -1 && x + width < 361
      }
      await goto('settings', narrow)
      await expect.poll(() => isInView('Settings')).toBe(true)
      await expect.poll(() => isInView('API')).toBe(false)
      await goto('overview', narrow)
      await expect.poll(() => isInView('Overview')).toBe(true)
      await expect.poll(() => isInView('Settings')).toBe(false)
      await goto('integrations/signature-check#code', narrow)
      await expect.poll(async () => Math.abs((await boxOf(narrow.locator('#code'))).y)).toBeLessThan(400)
      await own.close()
    },
  )
})

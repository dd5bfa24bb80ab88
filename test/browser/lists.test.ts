import type { BrowserContext, Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { inChromium } from './in-chromium.ts'
import { signIn } from './pages.ts'

const WIDTHS = [360, 700, 1000, 1179, 1180, 1440]

inChromium('lists and posts', (world) => {
  let context: BrowserContext
  let page: Page
  let siteId: string

  beforeAll(async () => {
    const site = { name: 'Lists', domain: 'lists.example.com' }
    siteId = (await world.manage('POST', '/sites', site)).id
    for (const word of ['winter', 'summer', 'autumn']) await put(word, `Tyres for ${word}`)
  })
  beforeEach(() => open())
  afterEach(() => context?.close())

  async function open(options: object = {}) {
    await context?.close()
    context = await world.browser.newContext({
      baseURL: world.service.origin,
      reducedMotion: 'reduce',
      ...options,
    })
    page = await context.newPage()
    await signIn(page, world.service)
  }

  const put = (slug: string, title: string, contentHtml = '<p>x</p>') =>
    world.manage('PUT', `/sites/${siteId}/posts/${slug}`, { title, contentHtml })
  const goto = (below: string) => page.goto(`/console/sites/${siteId}/${below}`)

  it('a click after typing a search does what its button says', async () => {
    await goto('content')
    await page.getByRole('searchbox', { name: 'Search' }).pressSequentially('winter')
    await page.getByRole('link', { name: 'Tyres for summer' }).click()
    await page.getByRole('heading', { level: 1, name: 'Tyres for summer' }).waitFor()
    await goto('content')
    await page.getByRole('searchbox', { name: 'Search' }).pressSequentially('winter')
    await page.keyboard.press('Enter')
    await page.waitForURL(/search=winter/)
    await page.getByText('1 post', { exact: true }).waitFor()
  })

  it('arrow keys in Sort move through the options, and Filter applies the choice', async () => {
    await goto('content')
    const sort = page.getByLabel('Sort')
    await sort.focus()
    for (const _ of [1, 2, 3, 4]) await page.keyboard.press('ArrowDown')
    expect(await sort.inputValue()).toBe('title')
    expect(new URL(page.url()).search).toBe('')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.waitForURL(/sort=title/)
    await page.locator('tbody tr').first().getByText('Tyres for autumn').waitFor()
  })

  it('selected posts stay selected through a search, and the bar counts the hidden ones', async () => {
    await goto('content')
    await page.getByLabel('Select Tyres for winter').check()
    await page.getByRole('searchbox', { name: 'Search' }).fill('summer')
    await page.keyboard.press('Enter')
    await page.waitForURL(/search=summer/)
    await page.getByText('1 selected, 1 not on this page').waitFor()
    await page.getByLabel('Select Tyres for summer').check()
    await page.getByText('2 selected, 1 not on this page').waitFor()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('2 posts published.').waitFor()
    await goto('content')
    await page.getByText('None selected').waitFor()
  })

  it('a table that is wider than the screen scrolls on its own on the page of its post', async () => {
    const cells = Array.from({ length: 24 }, (_, at) => `<td>Column-number-${at}</td>`).join('')
    const contentHtml = `<p>Before.</p><table><tr>${cells}</tr></table><pre>${'code '.repeat(200)}</pre>`
    await put('table', 'Wide', contentHtml)
    await goto('content/posts/table')
    await page.getByRole('cell', { name: 'Column-number-0', exact: true }).waitFor()
    const overflows = []
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 })
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      overflows.push([width, overflow])
    }
    expect(overflows).toEqual(WIDTHS.map((width) => [width, 0]))
  })

  it('a refused schedule keeps its field, zone and title and says that the time is past; an edit offers the time again', async () => {
    await open({ timezoneId: 'Pacific/Kiritimati' })
    await put('plan', 'The plan')
    await goto('content/posts/plan')
    await page.getByRole('textbox', { name: 'Publish at' }).fill('2020-01-31T10:00')
    await page.getByRole('button', { name: 'Schedule', exact: true }).click()
    await page.getByText('Publish at is in the past: must be within the next 366 days').first().waitFor()
    const field = page.getByRole('textbox', { name: 'Publish at' })
    expect(await field.inputValue()).toBe('2020-01-31T10:00')
    expect(await field.getAttribute('type')).toBe('datetime-local')
    await page.getByText('In your time zone.').waitFor()
    await page.getByText('The plan').waitFor()
    const next = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10)
    await field.fill(`${next}T10:00`)
    await page.getByRole('button', { name: 'Schedule', exact: true }).click()
    await page.getByText('Scheduled for').waitFor()
    await goto('content/posts/plan/edit')
    await page.getByLabel('Title', { exact: true }).fill('The new plan')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('was cancelled.').waitFor()
    await page.getByRole('button', { name: 'Reschedule for' }).click()
    await page.getByText('Scheduled.', { exact: true }).waitFor()
    await page.getByText('Scheduled for').waitFor()
    expect(await page.getByRole('textbox', { name: 'Publish at' }).inputValue()).toBe(`${next}T10:00`)
  })
})

import type { BrowserContext, Page } from 'playwright-core'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { inChromium } from './in-chromium.ts'
import { sessionOf } from './pages.ts'

inChromium('lists and posts', (world) => {
  let context: BrowserContext
  let page: Page
  let siteId: string
  let storageState: Awaited<ReturnType<typeof sessionOf>>

  beforeAll(async () => {
    const site = { name: 'Lists', domain: 'lists.example.com' }
    siteId = (await world.manage('POST', '/sites', site)).id
    for (const word of ['winter', 'summer', 'autumn']) await put(word, `Tyres for ${word}`)
    storageState = await sessionOf(world.browser, world.service)
  })
  afterEach(() => context.close())

  /** Opens a page of the site in a browser that has not visited it before. */
  async function open(below: string, options: object = {}) {
    const baseURL = world.service.origin
    context = await world.browser.newContext({ baseURL, storageState, reducedMotion: 'reduce', ...options })
    page = await context.newPage()
    await goto(below)
  }

  const put = (slug: string, title: string, contentHtml = '<p>x</p>') =>
    world.manage('PUT', `/sites/${siteId}/posts/${slug}`, { title, contentHtml })
  const goto = (below: string) => page.goto(`/console/sites/${siteId}/${below}`)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

  it('Ctrl+K finds a page as one types, and Enter opens it', async () => {
    await open('usage')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('summer')
    await page.getByRole('dialog').getByRole('link', { name: 'Tyres for summer' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Tyres for summer' }).waitFor()
    await page.getByRole('link', { name: 'Search' }).click()
    await page.keyboard.type('audit')
    await page.getByRole('dialog').getByRole('link', { name: 'Audit log' }).first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
  })

  it('Ctrl+K runs the commands of a post: publishes it as its button does, and copies its id', async () => {
    const { id } = await put('command', 'Wheels')
    await open('content/posts/command', { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('button', { name: 'Copy ID' }).click()
    await page.getByRole('dialog').getByText('Copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(id)
    // Enter before a word runs no command.
    await page.getByRole('searchbox', { name: 'Search' }).focus()
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Publish')
    await page.getByRole('searchbox', { name: 'Search' }).fill('publish')
    await page.getByRole('dialog').getByRole('link', { name: 'Settings: Publishing' }).waitFor()
    // Enter in the field would run the first result, so the arrow leads to the second.
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Settings: Publishing')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.getByText('Published. The post is now in the sitemap.').waitFor()
  })

  it('an image that does not load looks like none', async () => {
    const image = { url: 'https://none.invalid/a.png' }
    const post = { title: 'Tyres without a picture', contentHtml: '<p>x</p>', image }
    await world.manage('PUT', `/sites/${siteId}/posts/unloaded`, post)
    await open('content?search=picture')
    await expect.poll(() => page.locator('.thumbnail:visible').count()).toBe(0)
    await world.manage('DELETE', `/sites/${siteId}/posts/unloaded`)
  })

  it('j, k, x, e and ? move, select, edit and list the keys, until they are turned off', async () => {
    const focused = () => page.evaluate('document.activeElement.textContent')
    await open('content?sort=title')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    expect(await focused()).toBe('Tyres for summer')
    await page.keyboard.press('k')
    expect(await focused()).toBe('Tyres for autumn')
    await page.keyboard.press('x')
    expect(await page.getByLabel('Select Tyres for autumn').isChecked()).toBe(true)
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Next row').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.keyboard.press('e')
    await page.waitForURL(/content\/posts\/autumn\/edit/)
    await goto('content?sort=title')
    await page.keyboard.press('?')
    await page.getByLabel('Use single keys in this browser').uncheck()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' })
    await page.keyboard.press('j')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY')
    await page.locator('.account > summary').click()
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
    expect(await page.getByLabel('Use single keys in this browser').isChecked()).toBe(false)
    expect(await page.locator('.account').getAttribute('open')).toBe(null)
    await page.mouse.click(5, 5)
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' })
  })

  it('j and k also move over rows without a link', async () => {
    const targets = ['https://example.org/', '/blog/winter', '/elsewhere']
    const redirects = targets.map((to, at) => ({ from: `/old-${at}`, to }))
    await world.manage('PUT', `/sites/${siteId}/redirects`, { redirects })
    await open('content/redirects')
    const row = () => page.evaluate('document.activeElement.closest("tr")?.rowIndex')
    for (const at of [1, 2, 3, 3]) {
      await page.keyboard.press('j')
      expect(await row()).toBe(at)
    }
    await page.keyboard.press('k')
    expect(await row()).toBe(2)
  })

  it('j moves over the entries of the audit log, and Enter opens one, as a click anywhere on its row does', async () => {
    await open('audit-log')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    expect(await page.evaluate('document.activeElement.className')).toBe('row-link')
    expect(await page.evaluate('document.activeElement.closest("tr").rowIndex')).toBe(2)
    const { href } = (await page.evaluate('({ href: document.activeElement.href })')) as { href: string }
    await page.keyboard.press('Enter')
    await page.waitForURL(href)
    await page.goBack()
    const row = page.getByRole('row').nth(2)
    await row.click({ position: { x: 500, y: 20 } })
    await page.waitForURL(href)
  })

  it('a long title is cut in the audit log, and the words after it are not', async () => {
    await put('long', 'Tyres and wheels '.repeat(10))
    await open('audit-log?subject=long', { viewport: { width: 1200, height: 900 } })
    const [end, cell] = (await page.evaluate(`(() => {
      const range = new Range()
      range.selectNodeContents(document.querySelector('th > .sentence').lastChild)
      return [range, document.querySelector('tbody th')].map((each) => each.getBoundingClientRect().right)
    })()`)) as [number, number]
    expect(end).toBeLessThanOrEqual(cell)
    await world.manage('DELETE', `/sites/${siteId}/posts/long`)
  })

  it('a click anywhere on a row opens its title, but not one on its checkbox', async () => {
    await open('content?search=winter')
    const row = page.getByRole('row', { name: 'Tyres for winter' })
    await row.getByRole('checkbox').click()
    await page.getByText('1 selected').waitFor()
    const clicks = [() => row.click({ position: { x: 700, y: 30 } }), () => row.locator('time').click()]
    for (const click of clicks) {
      await click()
      await page.getByRole('heading', { level: 1, name: 'Tyres for winter' }).waitFor()
      await page.goBack()
    }
  })

  it('after Back from an opened row, the selection and the focus are as before', async () => {
    await open('content')
    await page.getByLabel('Select Tyres for winter').check()
    await page.getByRole('link', { name: 'Tyres for summer' }).click()
    await page.getByRole('heading', { level: 1, name: 'Tyres for summer' }).waitFor()
    await page.goBack()
    await page.getByText('1 selected').waitFor()
    expect(await page.getByLabel('Select Tyres for winter').isChecked()).toBe(true)
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Tyres for summer')
    await press('Clear')
  })

  it('Escape closes More filters', async () => {
    await open('content')
    await page.getByText('More filters').click()
    await page.getByLabel('Language').focus()
    await page.keyboard.press('Escape')
    await page.getByLabel('Language').waitFor({ state: 'hidden' })
    expect(await page.evaluate('document.activeElement.textContent')).toBe('More filters')
  })

  it('More filters opens at a date that is half typed', async () => {
    await open('content')
    await page.getByText('More filters').click()
    await page.getByLabel('Updated after').pressSequentially('01')
    await page.getByRole('heading', { level: 1 }).click()
    await page.getByLabel('Updated after').waitFor({ state: 'hidden' })
    await press('Filter')
    await page.getByLabel('Updated after').waitFor()
  })

  it('p publishes a row, also after a question, and returns to it in the list', async () => {
    await put('code', 'Valves with code', '<p onclick="x()">x</p>')
    await put('plain', 'Valves without')
    await open('content?search=valves&sort=title')
    const focused = () => page.evaluate('document.activeElement.textContent')
    await page.keyboard.press('j')
    await page.keyboard.press('p')
    await page.getByText('The content can run code').waitFor()
    await press('Publish anyway')
    await page.getByText('1 post published.').waitFor()
    expect(new URL(page.url()).searchParams.get('search')).toBe('valves')
    await expect.poll(focused).toBe('Valves with code')
    await page.keyboard.press('j')
    const before = page.url()
    await page.keyboard.press('p')
    // The first publication's address has an undo, too.
    await page.waitForURL(({ href }) => href !== before)
    await expect.poll(focused).toBe('Valves without')
    await page.reload()
    await press('Undo')
    await page.getByText('1 post unpublished.').waitFor()
  })

  it('a person with all sites has no list of sites and no hint about others, also without JavaScript', async () => {
    await open('usage', { javaScriptEnabled: false })
    await page.goto('/console/people/new')
    const hint = page.getByText('They cannot see other sites.')
    expect(await hint.isVisible()).toBe(false)
    await page.getByLabel('Only these').check()
    expect(await hint.isVisible()).toBe(true)
    await page.getByLabel('Lists').check()
    expect(await page.getByLabel('Lists').isChecked()).toBe(true)
  })

  it('the menu leads back to the list as it was filtered', async () => {
    await open('content?search=winter')
    await goto('usage')
    await page.getByRole('link', { name: 'Content', exact: true }).click()
    await page.getByText('1 post', { exact: true }).waitFor()
  })

  it('the menu leads to the whole audit log after one of its rows was opened', async () => {
    await open('audit-log?action=key&since=2026-11-21T10:00:01.500Z&until=2026-11-21T10:00:09.501Z')
    const link = page.getByRole('link', { name: 'Audit log', exact: true })
    expect(await link.getAttribute('href')).not.toContain('since')
  })

  it('a click after typing a search does what its button says', async () => {
    await open('content')
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
    await open('content')
    const sort = page.getByLabel('Sort')
    await sort.focus()
    for (const _ of [1, 2, 3, 4]) await page.keyboard.press('ArrowDown')
    expect(await sort.inputValue()).toBe('title')
    expect(new URL(page.url()).search).toBe('')
    await press('Filter')
    await page.waitForURL(/sort=title/)
    await page.locator('tbody tr').first().getByText('Tyres for autumn').waitFor()
  })

  it.each([true, false])(
    'Enter in a checkbox changes nothing (with JavaScript: %s)',
    async (javaScriptEnabled) => {
      await put('entered', 'Tyres for rain')
      await open('content?search=rain', { javaScriptEnabled })
      const sent: string[] = []
      page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`))
      await page.getByLabel('Select Tyres for rain').check()
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: 'Tyres for rain' }).click()
      await page.getByRole('heading', { level: 1, name: 'Tyres for rain' }).waitFor()
      expect(sent.filter((request) => request.startsWith('POST'))).toEqual([])
      expect(await world.manage('GET', `/sites/${siteId}/posts/entered`)).toMatchObject({
        post: { status: 'draft' },
      })
    },
  )

  it('selected posts stay selected through a search, with the hidden ones counted, but not in the list of another state', async () => {
    await open('content')
    await page.getByLabel('Select Tyres for winter').check()
    await page.getByRole('searchbox', { name: 'Search' }).fill('summer')
    await page.keyboard.press('Enter')
    await page.waitForURL(/search=summer/)
    await page.getByText('1 selected, 1 not on this page').waitFor()
    await page.getByLabel('Select Tyres for summer').check()
    await page.getByText('2 selected, 1 not on this page').waitFor()
    await goto('content?search=nothing-has-this')
    await goto('content')
    await page.getByText('2 selected').waitFor()
    await press('Publish')
    await page.getByText('2 posts published.').waitFor()
    await goto('content')
    await page.getByText('None selected').waitFor()
    await page.getByLabel('Select Tyres for winter').check()
    await goto('usage')
    await goto('content')
    await page.getByText('None selected').waitFor()
    await page.getByLabel('Select Tyres for summer').check()
    await goto('content?status=published')
    await page.getByText('None selected').waitFor()
    await page.getByLabel('Select Tyres for summer').check()
    await page.getByRole('link', { name: 'Tyres for summer' }).click()
    await page.getByRole('heading', { level: 1, name: 'Tyres for summer' }).waitFor()
    await goto('content?status=published')
    await page.getByText('1 selected').waitFor()
  })

  it('buttons that would change no selected post say why, once, and their line does not cover the last post', async () => {
    for (const word of ['winter', 'summer'])
      await world.manage('PUT', `/sites/${siteId}/posts/${word}/publication`)
    await open('content?search=tyres', { viewport: { width: 360, height: 640 } })
    for (const word of ['winter', 'summer']) await page.getByLabel(`Select Tyres for ${word}`).check()
    await page.getByText('Publish, Mark ready: already published', { exact: true }).waitFor()
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    const [bar, last] = await Promise.all(
      [page.locator('.selected'), page.locator('.selection + .ends')].map((part) => part.boundingBox()),
    )
    expect(last!.y + last!.height).toBeLessThanOrEqual(bar!.y)
    await page.getByLabel('Select Tyres for autumn').check()
    await expect.poll(() => page.getByText('already published').count()).toBe(0)
  })

  it('a refused schedule keeps its field, zone and title and says that the time is past; an edit offers the time again', async () => {
    await put('plan', 'The plan')
    await open('content/posts/plan', { timezoneId: 'Pacific/Kiritimati' })
    const field = page.getByRole('textbox', { name: 'Publish at' })
    const openMenu = () => page.locator('main summary', { hasText: 'Schedule' }).click()
    await openMenu()
    await page.locator('[name=publishAt]:focus').waitFor()
    // The limit of a page that was opened long ago.
    await page.evaluate(`document.querySelector('[name=publishAt]').min = ''`)
    await field.fill('2020-01-31T10:00')
    await press('Schedule')
    await page.getByText('Publish at is in the past: must be within the next 366 days').first().waitFor()
    expect(await field.inputValue()).toBe('2020-01-31T10:00')
    expect(await field.getAttribute('type')).toBe('datetime-local')
    await page.getByText('In your time zone, ').waitFor()
    await page.getByText('The plan').waitFor()
    const next = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10)
    await field.fill(`${next}T10:00`)
    await press('Schedule')
    await page.getByText('Scheduled for').waitFor()
    await goto('content/posts/plan/edit')
    await page.getByLabel('Title', { exact: true }).fill('The new plan')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('was cancelled.').waitFor()
    await page.getByRole('button', { name: 'Reschedule for' }).click()
    await page.getByText('Scheduled for').waitFor()
    await openMenu()
    expect(await field.inputValue()).toBe(`${next}T10:00`)
  })
})

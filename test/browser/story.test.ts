import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { inChromium } from './in-chromium.ts'
import { sessionOf, signIn } from './pages.ts'
import type { Service } from './service.ts'

/** The image of a post on the demo site. */
const POST_IMAGE = 'https://example.com/chain.jpg'

inChromium('the console', (world) => {
  let service: Service
  let demo: string
  let session: Awaited<ReturnType<typeof sessionOf>>
  let context: BrowserContext
  let page: Page
  let complaints: string[]

  beforeAll(async () => {
    service = world.service
    demo = `/console/sites/${service.demo.siteId}`
    session = await sessionOf(world.browser, service)
  })
  afterEach(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })

  /** A browser that nobody has signed in with. */
  async function openNew(options: Parameters<Browser['newContext']>[0] = {}) {
    context = await world.browser.newContext({ baseURL: service.origin, ...options })
    await context.route(POST_IMAGE, (route) => route.fulfill({ status: 204 }))
    page = await context.newPage()
    complaints = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => {
      if (!/^(data:|http:\/\/127\.0\.0\.1:)/.test(request.url()) && request.url() !== POST_IMAGE)
        complaints.push(request.url())
    })
  }

  /** A page in a browser with the operator's session. */
  async function open(path: string, options: Parameters<typeof openNew>[0] = {}) {
    await openNew({ storageState: session, ...options })
    await page.goto(path)
  }

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const follow = (name: string | RegExp) => page.getByRole('link', { name, exact: true }).first().click()

  it('a developer reads the guide and the reference with the site’s id in the examples, and no other part of the URL', async () => {
    const { siteId } = service.demo
    await openNew()
    await page.goto(`/docs/errors?site=${siteId}`)
    await page.getByText(`"${service.origin}/api/v1/sites/${siteId}/posts/no-such-post"`).waitFor()
    await follow('API')
    await page.getByText(`${service.origin}/api/v1/sites/${siteId}/posts"`).first().waitFor()
    await page.goto('/docs/errors?site=%3Cb%3Ecanary&canary=canary')
    await page.getByText('"$API/sites/$SITE/posts/no-such-post"').waitFor()
    expect(await page.content()).not.toContain('canary')
  })

  it('a text is copied, and the page says so before the button shows its label again', async () => {
    await open(`${demo}/api`, { permissions: ['clipboard-read', 'clipboard-write'] })
    const copied = () => page.evaluate('navigator.clipboard.readText()')
    const button = page.getByRole('button', { name: 'Copy Base URL' })
    const label = () => page.evaluate(`document.querySelector('main button[data-copy]').firstChild.data`)
    await button.click()
    await page.getByRole('button', { name: 'Copied Base URL' }).waitFor()
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' })
    await expect.poll(copied).toBe(`${service.origin}/api/v1`)
    await expect.poll(label).toBe('Copy')
    await expect.poll(() => button.locator('.visually-hidden').count()).toBe(1)
    await page.getByRole('button', { name: 'Copy Site ID' }).click()
    await expect.poll(copied).toBe(service.demo.siteId)
  })

  it("times are in the reader's zone with UTC on hover, and a filter's time is entered in it", async () => {
    await open(`${demo}/api`, { timezoneId: 'Pacific/Kiritimati', locale: 'de-DE' })
    await expect.poll(() => page.locator('tbody time').first().innerText()).toMatch(/ago$|^now$/)
    await page.goto(`${demo}/content`)
    const age = page.locator('tbody time').first()
    await expect.poll(() => age.innerText()).toMatch(/ago$|^now$/)
    const draft = 'posts/notes-from-the-repair-cafe'
    await manage('POST', `/${service.demo.siteId}/${draft}/preview-links`, {})
    await page.goto(`${demo}/content/${draft}`)
    const time = page.locator('main time:not([data-relative])').first()
    const instant = new Date((await time.getAttribute('datetime'))!)
    const local = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Pacific/Kiritimati' } as const
    await expect.poll(() => time.innerText()).toBe(new Intl.DateTimeFormat('de-DE', local).format(instant))
    await expect
      .poll(() => time.getAttribute('title'))
      .toMatch(/^\d\d:\d\d:\d\d,\d{3} GMT\+14 · \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC$/)
    await page.goto(`${demo}/content`)
    await page.getByText('More filters').click()
    await page.getByLabel('Updated after').fill('2020-01-31T10:00')
    await press('Filter')
    await page.waitForURL(/updatedAfter=/)
    expect(new URL(page.url()).searchParams.get('updatedAfter')).toBe('2020-01-30T20:00:00.000Z')
    await expect.poll(() => page.getByLabel('Updated after').inputValue()).toBe('2020-01-31T10:00')
  })

  it("filters of the audit log apply with Filter or Enter, and its days are the reader's", async () => {
    await open('/console/audit-log', { timezoneId: 'Pacific/Kiritimati' })
    await page.getByLabel('Type').selectOption('key')
    await press('Filter')
    await page.waitForURL(/action=key/)
    expect(new URL(page.url()).search).toBe('?action=key')
    await page.getByText('Time range').click()
    await page.getByLabel('From').fill('2020-01-31T10:00')
    await press('Filter')
    await page.waitForURL(/since=/)
    const { since, action } = Object.fromEntries(new URL(page.url()).searchParams)
    expect([action, since]).toEqual(['key', '2020-01-30T20:00:00.000Z'])
    await page.getByRole('rowheader', { name: 'today' }).waitFor()
    await page.getByLabel('About').fill('First key')
    await page.keyboard.press('Enter')
    await page.waitForURL(/subject=First/)
  })

  it('a form can only be submitted once', async () => {
    await open(`${demo}/keys/new`)
    const send = `document.querySelector('form.fields').dispatchEvent(new SubmitEvent('submit', { cancelable: true }))`
    expect(await page.evaluate(`[${send}, ${send}]`)).toEqual([true, false])
  })

  it('the menu of sites finds one, and Escape or a click elsewhere closes it', async () => {
    await open(`${demo}/api`)
    const menu = page.locator('.switcher .menu-panel')
    await page.locator('.switcher summary').click()
    await page.locator('#site-search:focus').waitFor()
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'hidden' })
    await expect.poll(focused).toBe('Other sites')
    await page.keyboard.press('Enter')
    await menu.waitFor()
    // The margin, which the open menu does not cover
    await page.mouse.click(1275, 500)
    await menu.waitFor({ state: 'hidden' })
    await page.locator('.switcher summary').click()
    await page.locator('#site-search:focus').waitFor()
    await page.keyboard.type('demo')
    await menu.getByRole('link', { name: /^Demo/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${demo}/overview`)
  })

  it('everything but copying works without JavaScript', async () => {
    await openNew({ javaScriptEnabled: false })
    await signIn(page, service)
    await page.locator('.switcher summary').click()
    await page.getByPlaceholder('Name or domain').first().fill('example demo')
    await page.keyboard.press('Enter')
    await follow(/^Demo/)
    await page
      .getByRole('heading', { name: 'First steps' })
      .or(page.getByRole('heading', { name: 'Recent changes' }))
      .waitFor()
    await page.goto(`${demo}/content`)
    await expect.poll(() => page.locator('tbody time').first().innerText()).toMatch(/ UTC$/)
    await page.goto(`${demo}/keys/new`)
    await page.getByLabel('Name', { exact: true }).fill('Script-free')
    await press('Create key')
    await page.getByText('hca_live_').first().waitFor()
    await page.getByRole('button', { name: /^Copy/ }).waitFor({ state: 'hidden' })
    await follow('Done')
    await follow('Revoke… Script-free')
    await press('Revoke key')
    await page.getByText('Key “Script-free” revoked').waitFor()

    await page.goto(`/console/sites/${await makeSite()}/integrations`)
    await follow('Add webhook')
    await page.getByLabel('URL').fill(`${service.receiver}/plain/status/503`)
    await press('Add webhook')
    await page.getByText('whsec_').waitFor()
    await follow('Done')
    await press('Send test event')
    await page.getByText('Fix the receiver, then resend').waitFor()
    await follow('All deliveries')
    await page.getByLabel('Outcome').selectOption('failed')
    await press('Filter')
    await page.getByRole('row').getByRole('link', { name: 'Test event' }).click()
    await page.getByText('said no').waitFor()
    await follow('Deliveries')
    await follow('Check a signature')
    await page.getByText('Ruby', { exact: true }).click()
    await page.getByText('OpenSSL::HMAC').waitFor()
    await follow('Webhooks')
    await page.getByRole('row').getByRole('link', { name: '127.0.0.1' }).first().click()
    await page.locator('main summary', { hasText: 'More' }).click()
    await follow('Remove webhook…')
    await press('Remove webhook')
    await page.getByText('No webhook yet').waitFor()
  })

  it.each([true, false])(
    'posts are selected and published (with JavaScript: %s)',
    async (javaScriptEnabled) => {
      const siteId = await makeSite()
      for (const slug of ['one', 'two', 'three'])
        await manage('PUT', `/${siteId}/posts/${slug}`, { title: slug, contentHtml: '<p>Words.</p>' })
      await open(`/console/sites/${siteId}/content`, { javaScriptEnabled })
      const publish = page.getByRole('button', { name: 'Publish', exact: true })
      await expect.poll(() => publish.isVisible()).toBe(!javaScriptEnabled)
      await page.getByLabel('Select one').check()
      await page.getByLabel('Select two').check()
      const all = page.getByLabel('All on this page')
      await all.waitFor({ state: javaScriptEnabled ? 'visible' : 'hidden' })
      if (javaScriptEnabled) {
        await page.getByText('2 selected').waitFor()
        await all.check()
        await page.getByText('3 selected').waitFor()
        await page.getByLabel('Select three').uncheck()
        await expect.poll(() => all.isChecked()).toBe(false)
        // The selection is kept, and the keyboard has one stop per row.
        await page.getByLabel('Sort').selectOption('title')
        await press('Filter')
        await page.waitForURL(/sort=title/)
        await page.getByText('2 selected').waitFor()
        await page.getByRole('link', { name: 'one', exact: true }).focus()
        await page.keyboard.press('ArrowDown')
        await page.keyboard.press('Space')
        await page.getByText('3 selected').waitFor()
        await page.keyboard.press('Shift+Tab')
        await page.keyboard.press('Tab')
        await expect.poll(focused).toBe('three')
        await page.keyboard.press('Space')
        await page.getByLabel('Select one').click()
        await page.getByLabel('Select two').click({ modifiers: ['Shift'] })
        await page.getByText('None selected').waitFor()
        await page.getByLabel('Select one').click()
        await page.getByLabel('Select two').click()
      }
      await publish.click()
      await page.getByText('2 posts published.').waitFor()
      await page.locator('.notice:focus').waitFor()
      await expect.poll(() => page.getByRole('row').getByText('Published').count()).toBe(2)
      // With the script, a reload shows the notice no more.
      await page.reload()
      await page.getByRole('heading', { name: 'Content' }).waitFor()
      await page.getByText('2 posts published.').waitFor({ state: javaScriptEnabled ? 'hidden' : 'visible' })
    },
  )

  it('a button shows that it waits, and can be used again after loading was stopped', async () => {
    const site = await makeSite('/waiting/ok')
    // The first webhook has the id of its site.
    await open(`/console/sites/${site}/integrations/webhooks/${site}`)
    const seen = await page.evaluate(`(() => {
      const form = document.querySelector('form[action$="/tests"]')
      const button = form.querySelector('button')
      const seen = []
      form.addEventListener('submit', (event) => {
        seen.push([event.defaultPrevented ? 'blocked' : 'sent', button.textContent.trim(), button.ariaBusy])
        event.preventDefault()
      })
      button.click()
      button.click()
      dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))
      seen.push(['stopped', button.textContent.trim(), button.ariaBusy])
      button.click()
      return seen
    })()`)
    expect(seen).toEqual([
      ['sent', 'Sending…', 'true'],
      ['blocked', 'Sending…', 'true'],
      ['stopped', 'Send test event', null],
      ['sent', 'Sending…', 'true'],
    ])
  })

  it('the list of deliveries updates automatically but not while it has the focus, and / focuses its search', async () => {
    const { siteId, send } = await openDeliveries()
    await send()
    await page.getByText('1 event of the last 90 days').waitFor()
    await expect.poll(() => page.locator('[data-renew] time').first().innerText()).not.toContain('UTC')
    // The focus arrives during the update.
    const link = page.locator('[data-renew] a').first()
    await page.route(`**/sites/${siteId}/integrations/deliveries`, async (route) => {
      await send()
      await link.focus()
      await route.continue()
    })
    const renewal = await page.waitForResponse((response) => response.request().resourceType() === 'fetch')
    await renewal.finished()
    await page.unrouteAll({ behavior: 'wait' })
    // A later request of the page, so that it has handled the one before.
    await page.evaluate('fetch(location.href).then((response) => response.text())')
    expect(await page.evaluate("document.activeElement.closest('[data-renew]') !== null")).toBe(true)
    await link.blur()
    await page.getByText('2 events of the last 90 days').waitFor()
    await page.reload()
    const hint = page.locator('main kbd')
    await hint.filter({ hasText: /^\/$/ }).waitFor()
    await page.keyboard.press('/')
    await expect.poll(focused).toBe('Search')
    await hint.waitFor({ state: 'hidden' })
  })

  it('the list of deliveries pauses when the user is inactive, and says when it cannot be updated', async () => {
    await openDeliveries(() => page.clock.install())
    await page.getByText('Updates automatically.').waitFor()
    await page.clock.fastForward('05:05')
    await page.getByText('Paused after five minutes without activity.').waitFor()
    await page.keyboard.press('Shift')
    await page.getByText('Updates automatically.').waitFor()
    const setHidden = (hidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`)
    await setHidden(true)
    await page.getByText('Paused while this tab is in the background.').waitFor()
    const renewal = page.waitForRequest((request) => request.resourceType() === 'fetch')
    await setHidden(false)
    await renewal
    await page.getByText('Updates automatically.').waitFor()
    await page.route(page.url(), (route) => route.abort())
    await page.clock.fastForward(5_000)
    await page.getByText('Paused: the service did not respond.').waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    const cookies = await context.cookies()
    await context.clearCookies()
    await page.clock.fastForward(5_000)
    await page.getByText('Paused: you are no longer signed in.').waitFor()
    await context.addCookies(cookies)
    await page.clock.fastForward(5_000)
    await page.getByText('Updates automatically.').waitFor()
    // The browser logs the aborted request.
    complaints = complaints.filter((text) => !text.includes('net::ERR_FAILED'))
  })

  it('a keyboard is enough, and focus is always visible', async () => {
    await openNew()
    await page.goto('/console')
    await expect.poll(focused).toBe('Token')
    await page.keyboard.type(service.operatorToken)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.waitForLoadState()
    await page.keyboard.press('Tab')
    await expect.poll(focused).toBe('Skip to content')
    await page.keyboard.press('Enter')
    await page.locator('main:target').waitFor()
    await tabTo('New site', 1)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'New site' }).waitFor()
    await expect.poll(focused).toBe('Name')
    for (const text of ['Typed', 'typed.example.com', 'Growth']) {
      await page.keyboard.type(text)
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    await tabTo('Settings')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    await tabTo('Publishing')
    await page.keyboard.press('Enter')
    await page.getByLabel('Post path').waitFor()
    await tabTo('Allow the training export')
    await page.keyboard.press('Space')
    await tabTo('Save settings')
    await page.keyboard.press('Enter')
    await page.getByText('Settings saved.').waitFor()
    await expect.poll(() => page.getByLabel('Allow the training export').isChecked()).toBe(true)
  })

  /** The deliveries of a new site, whose list is empty. `send` sends it a test event. */
  async function openDeliveries(prepare = async () => {}) {
    const siteId = await makeSite('/deliveries/ok')
    const { key } = await manage<{ key: string }>('POST', `/${siteId}/keys`, { name: 'test' })
    const send = () =>
      fetch(`${service.origin}/api/v1/webhooks/test`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}` },
      })
    await openNew({ storageState: session })
    await prepare()
    await page.goto(`/console/sites/${siteId}/integrations/deliveries`)
    await page.getByText('No deliveries yet').waitFor()
    return { siteId, send }
  }

  /** @param receiver the path of a webhook's receiver, if the site has one */
  async function makeSite(receiver?: string): Promise<string> {
    const { id } = await manage('POST', '', { name: 'Story', domain: 'story.example.com' })
    if (receiver) await manage('PUT', `/${id}/webhook`, { url: service.receiver + receiver })
    return id
  }

  const manage = <Answer = { id: string }>(method: string, below: string, body?: object) =>
    world.manage<Answer>(method, `/sites${below}`, body)

  async function tabTo(name: string, atMost = 30): Promise<void> {
    // A page that still loads may drop a key or move the focus.
    await page.waitForLoadState()
    const passed: string[] = []
    while (passed.length < atMost) {
      await page.evaluate('window.left = document.activeElement')
      await page.keyboard.press('Tab')
      await expect.poll(() => page.evaluate('document.activeElement !== window.left')).toBe(true)
      await expect
        .poll(() => page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), {
          message: `a stop after ${passed.join(', ')} at ${page.url()}`,
        })
        .toBe('solid')
      passed.push(await focused())
      if (passed.at(-1) === name) return
    }
    throw new Error(`No ${name} in ${passed.join(', ')}`)
  }

  function focused(): Promise<string> {
    return page.evaluate(
      '(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()',
    ) as Promise<string>
  }
})

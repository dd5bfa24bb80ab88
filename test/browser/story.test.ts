import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { inChromium } from './in-chromium.ts'
import { signIn } from './pages.ts'
import type { Service } from './service.ts'

inChromium('the console', (world) => {
  let service: Service
  let context: BrowserContext
  let page: Page
  let complaints: string[]

  beforeAll(() => {
    service = world.service
  })
  beforeEach(() => open())
  afterEach(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })

  async function open(options: Parameters<Browser['newContext']>[0] = {}) {
    await context?.close()
    context = await world.browser.newContext({ baseURL: service.origin, ...options })
    context.setDefaultTimeout(15_000)
    page = await context.newPage()
    complaints = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => {
      if (!/^(data:|http:\/\/127\.0\.0\.1:)/.test(request.url())) complaints.push(request.url())
    })
  }

  it('a developer reads the guide and the reference with the site’s id in the examples, and no other part of the URL', async () => {
    const { siteId } = service.demo
    await page.goto(`/docs/errors?site=${siteId}`)
    await page.getByText(`"${service.origin}/api/v1/sites/${siteId}/posts/no-such-post"`).waitFor()
    await page.getByRole('link', { name: 'API', exact: true }).click()
    await page.getByText(`${service.origin}/api/v1/sites/${siteId}/posts"`).first().waitFor()
    await page.goto('/docs/errors?site=%3Cb%3Ecanary&canary=canary')
    await page.getByText('"$API/sites/$SITE/posts/no-such-post"').waitFor()
    expect(await page.content()).not.toContain('canary')
  })

  it('a user signs in, creates a site, issues a key, uses it, and revokes it', async () => {
    await signIn(page, service)
    await page.getByRole('link', { name: 'New site' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Cooking')
    await page.getByLabel('Domain').fill('cooking.example.com')
    await page.getByRole('button', { name: 'Create site' }).click()
    await page.getByText('No keys yet').waitFor()

    await page.getByRole('link', { name: 'New key' }).click()
    await page.getByLabel('Name', { exact: true }).fill('CMS')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('heading', { name: 'Key created' }).waitFor()
    const key = await page.locator('dd code').first().innerText()
    expect(page.url()).not.toContain(key)

    await page.getByRole('link', { name: 'Done' }).click()
    await page.getByRole('heading', { name: 'API' }).waitFor()
    const [baseUrl, siteId] = await Promise.all(
      ['Base URL', 'Site ID'].map((name) => factOf(name).innerText()),
    )
    const read = () =>
      fetch(`${baseUrl}/sites/${siteId}/posts`, { headers: { Authorization: `Bearer ${key}` } })
    const answer = await read()
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ items: [], total: 0 })

    await page.getByRole('link', { name: 'Revoke CMS' }).click()
    await page.getByRole('heading', { name: 'Revoke the key “CMS”?' }).waitFor()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText('Key “CMS” revoked').waitFor()
    expect((await read()).status).toBe(401)

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are signed out.').waitFor()
    await page.goto(`/console/sites/${siteId}/api`)
    await page.waitForURL((url) => url.pathname === '/console/sign-in')
    await page.getByLabel('Token').fill(service.operatorToken)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'API', exact: true }).waitFor()
  })

  it('a text is copied, and the page says so before the button shows its label again', async () => {
    await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    await signIn(page, service)
    await page.goto(`/console/sites/${service.demo.siteId}/api`)
    const button = page.getByRole('button', { name: 'Copy Base URL' })
    const label = () => page.evaluate(`document.querySelector('button[data-copy]').firstChild.data`)
    await button.click()
    await page.getByRole('button', { name: 'Copied Base URL' }).waitFor()
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' })
    await expect.poll(copied).toBe(`${service.origin}/api/v1`)
    await expect.poll(label).toBe('Copy')
    await expect.poll(() => button.locator('.visually-hidden').count()).toBe(1)
    const line = await page.locator('pre code').innerText()
    await page.getByRole('button', { name: 'Copy First request' }).click()
    await expect.poll(copied).toBe(line)
  })

  it("times are in the reader's zone, with UTC on hover", async () => {
    await open({ timezoneId: 'Pacific/Kiritimati', locale: 'de-DE' })
    await signIn(page, service)
    await page.goto(`/console/sites/${service.demo.siteId}/api`)
    await expect.poll(() => page.locator('tbody time[data-day]').first().innerText()).toBe('today')
    await page.goto(`/console/sites/${service.demo.siteId}/content`)
    const time = page.locator('tbody time').first()
    const instant = new Date((await time.getAttribute('datetime'))!)
    const local = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Pacific/Kiritimati' } as const
    await expect.poll(() => time.innerText()).toBe(new Intl.DateTimeFormat('de-DE', local).format(instant))
    await expect
      .poll(() => time.getAttribute('title'))
      .toMatch(/^\d\d:\d\d:\d\d,\d{3} GMT\+14 · \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC$/)
  })

  it("a filter's time is entered in the reader's zone", async () => {
    await open({ timezoneId: 'Pacific/Kiritimati' })
    await signIn(page, service)
    await page.goto(`/console/sites/${service.demo.siteId}/content`)
    await page.getByText('More filters').click()
    await page.getByLabel('Updated after').fill('2020-01-31T10:00')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.waitForURL(/updatedAfter=/)
    expect(new URL(page.url()).searchParams.get('updatedAfter')).toBe('2020-01-30T20:00:00.000Z')
    await expect.poll(() => page.getByLabel('Updated after').inputValue()).toBe('2020-01-31T10:00')
  })

  it("filters of the audit log apply with Filter or Enter, and yesterday is the reader's", async () => {
    await open({ timezoneId: 'Pacific/Kiritimati' })
    await signIn(page, service)
    await page.goto('/console/audit-log')
    await page.getByLabel('What').selectOption('key')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.waitForURL(/action=key/)
    expect(new URL(page.url()).search).toBe('?action=key')
    await page.getByRole('link', { name: 'Yesterday' }).click()
    await page.waitForURL(/since=/)
    const { searchParams } = new URL(page.url())
    const [since, until] = ['since', 'until'].map((name) => searchParams.get(name)!)
    expect(searchParams.get('action')).toBe('key')
    expect([since, until].map((at) => at!.slice(10))).toEqual(['T10:00:00.000Z', 'T10:00:00.000Z'])
    await expect.poll(() => page.getByLabel('From').inputValue()).toMatch(/T00:00$/)
    await expect
      .poll(() => page.getByRole('link', { name: 'Yesterday' }).getAttribute('aria-current'))
      .toBe('true')
    await page.getByLabel('About').fill('First key')
    await page.keyboard.press('Enter')
    await page.waitForURL(/subject=First/)
  })

  it('a form can only be submitted once', async () => {
    await open({})
    await signIn(page, service)
    await page.goto(`/console/sites/${service.demo.siteId}/keys/new`)
    const send = `document.querySelector('form.fields').dispatchEvent(new SubmitEvent('submit', { cancelable: true }))`
    expect(await page.evaluate(`[${send}, ${send}]`)).toEqual([true, false])
  })

  it('the menu of sites finds one, and Escape or a click elsewhere closes it', async () => {
    await open({})
    await signIn(page, service)
    await page.goto(`/console/sites/${service.demo.siteId}/api`)
    const menu = page.locator('.switcher-menu')
    await page.locator('.switcher summary').click()
    await page.locator('#site-search:focus').waitFor()
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'hidden' })
    await expect.poll(focused).toBe('Other sites')
    await page.keyboard.press('Enter')
    await menu.waitFor()
    await page.getByRole('heading', { name: 'Keys' }).click()
    await menu.waitFor({ state: 'hidden' })
    await page.locator('.switcher summary').click()
    await page.locator('#site-search:focus').waitFor()
    await page.keyboard.type('demo')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/console/sites?*')
    await page.getByRole('link', { name: 'Demo', exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe('?search=demo')
  })

  it('everything but copying works without JavaScript', async () => {
    await open({ javaScriptEnabled: false })
    await signIn(page, service)
    await page.locator('.switcher summary').click()
    await page.getByPlaceholder('Name or domain').first().fill('example demo')
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByRole('link', { name: 'Demo', exact: true }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.goto(`/console/sites/${service.demo.siteId}/content`)
    await expect.poll(() => page.locator('tbody time').first().innerText()).toMatch(/ UTC$/)
    await page.goto(`/console/sites/${service.demo.siteId}/keys/new`)
    await page.getByLabel('Name', { exact: true }).fill('Script-free')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('hca_live_').first().waitFor()
    await page.getByRole('button', { name: /^Copy/ }).waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: 'Done' }).click()
    await page.getByRole('link', { name: 'Revoke Script-free' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText('Key “Script-free” revoked').waitFor()

    await page.goto(`/console/sites/${await makeSite()}/integrations`)
    await page.getByRole('link', { name: 'Set up a webhook' }).click()
    await page.getByLabel('URL').fill(`${service.receiver}/plain/status/503`)
    await page.getByRole('button', { name: 'Add webhook' }).click()
    await page.getByText('whsec_').waitFor()
    await page.getByRole('link', { name: 'Done' }).click()
    await page.getByText('Ruby', { exact: true }).click()
    await page.getByText('OpenSSL::HMAC').waitFor()
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByText('Fix the receiver, then resend').waitFor()
    await page.getByRole('link', { name: 'All deliveries' }).click()
    await page.getByLabel('Outcome').selectOption('failed')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('row').getByRole('link', { name: 'Test event' }).click()
    await page.getByText('said no').waitFor()
    await page.getByRole('link', { name: 'All deliveries' }).click()
    await page.locator('.back').getByRole('link', { name: 'Integrations' }).click()
    await page.getByRole('link', { name: 'Remove webhook' }).click()
    await page.getByRole('button', { name: 'Remove webhook' }).click()
    await page.getByText('No webhook yet').waitFor()
  })

  it.each([true, false])(
    'posts are selected and published (with JavaScript: %s)',
    async (javaScriptEnabled) => {
      await open({ javaScriptEnabled })
      await signIn(page, service)
      const siteId = await makeSite()
      for (const slug of ['one', 'two', 'three']) {
        await manage('PUT', `/${siteId}/posts/${slug}`, { title: slug, contentHtml: '<p>Words.</p>' })
      }
      await page.goto(`/console/sites/${siteId}/content`)
      const publish = page.getByRole('button', { name: 'Publish', exact: true })
      await expect.poll(() => publish.isDisabled()).toBe(javaScriptEnabled)
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
        await page.getByRole('button', { name: 'Filter' }).click()
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
      await page.locator('.outcome:focus').waitFor()
      await expect.poll(() => page.getByRole('row').getByText('Published').count()).toBe(2)
    },
  )

  it('a button shows that it waits, and can be used again after loading was stopped', async () => {
    await signIn(page, service)
    const siteId = await makeSite()
    await manage('PUT', `/${siteId}/webhook`, { url: `${service.receiver}/${siteId}/ok` })
    await page.goto(`/console/sites/${siteId}/integrations`)
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

  it('the list of deliveries updates automatically, and / focuses its search', async () => {
    const { send } = await openDeliveries()
    await send()
    await page.getByText('1 event', { exact: true }).waitFor()
    await send()
    await page.getByText('2 events', { exact: true }).waitFor()
    await expect.poll(() => page.locator('[data-renew] time').first().innerText()).not.toContain('UTC')
    await page.reload()
    const hint = page.locator('main kbd')
    await hint.filter({ hasText: /^\/$/ }).waitFor()
    await page.keyboard.press('/')
    await expect.poll(focused).toBe('Search')
    await hint.waitFor({ state: 'hidden' })
  })

  it('the list of deliveries is not replaced while it has the focus, even if the focus arrives during the update', async () => {
    const { siteId, send } = await openDeliveries()
    await send()
    await page.reload()
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
    await page.getByText('2 events', { exact: true }).waitFor()
  })

  it('the list of deliveries pauses when the user is inactive, and says when it cannot be updated', async () => {
    await page.clock.install()
    await openDeliveries()
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
    await page.goto('/console')
    await expect.poll(focused).toBe('Token')
    await page.keyboard.type(service.operatorToken)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.keyboard.press('Tab')
    await expect.poll(focused).toBe('Skip to content')
    await page.keyboard.press('Enter')
    await page.locator('main:target').waitFor()
    await tabTo('New site', 1)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'New site' }).waitFor()
    await tabTo('Name')
    await page.keyboard.type('Typed')
    await page.keyboard.press('Tab')
    await page.keyboard.type('typed.example.com')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Growth')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('No keys yet').waitFor()
    await tabTo('Settings')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    await tabTo('Training')
    await page.keyboard.press('Enter')
    await page.locator('#training:target').waitFor()
    await tabTo('Allow the training export')
    await page.keyboard.press('Space')
    await tabTo('Save settings')
    await page.keyboard.press('Enter')
    await page.getByText('Settings saved.').waitFor()
    await expect.poll(() => page.getByLabel('Allow the training export').isChecked()).toBe(true)

    await tabTo('Integrations')
    await page.keyboard.press('Enter')
    await page.getByText('No webhook yet').waitFor()
    await tabTo('Set up a webhook')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Set up a webhook' }).waitFor()
    await tabTo('URL')
    await page.keyboard.type(`${service.receiver}/keys/ok`)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Webhook added' }).waitFor()
    await tabTo('Done')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Recent deliveries' }).waitFor()
    await tabTo('Send test event')
    await page.keyboard.press('Enter')
    await page.getByText('The receiver responded with 200.').waitFor()
    await tabTo('View the exact request')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Repeat with curl' }).waitFor()
    await tabTo('Resend')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Other attempts' }).waitFor()
  })

  /** The deliveries of a new site, whose list is empty. `send` sends it a test event. */
  async function openDeliveries(script = 'ok') {
    await signIn(page, service)
    const siteId = await makeSite()
    await manage('PUT', `/${siteId}/webhook`, { url: `${service.receiver}/${siteId}/${script}` })
    const { key } = await manage<{ key: string }>('POST', `/${siteId}/keys`, { name: 'test' })
    const send = () =>
      fetch(`${service.origin}/api/v1/webhooks/test`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}` },
      })
    await page.goto(`/console/sites/${siteId}/integrations/deliveries`)
    await page.getByText('No deliveries yet').waitFor()
    return { siteId, send }
  }

  async function makeSite(): Promise<string> {
    return (await manage<{ id: string }>('POST', '', { name: 'Story', domain: 'story.example.com' })).id
  }

  const manage = <Answer>(method: string, below: string, body?: object) =>
    world.manage<Answer>(method, `/sites${below}`, body)

  async function tabTo(name: string, atMost = 30): Promise<void> {
    for (let stops = 1; stops <= atMost; stops++) {
      await page.evaluate('window.left = document.activeElement')
      await page.keyboard.press('Tab')
      await page.waitForFunction('document.activeElement !== window.left')
      await expect
        .poll(() => page.evaluate('getComputedStyle(document.activeElement).outlineStyle'))
        .toBe('solid')
      if ((await focused()) === name) return
    }
    throw new Error(`No ${name} within ${atMost} stops`)
  }

  /** The value of a fact that can be copied. */
  const factOf = (label: string) =>
    page.locator('.copyable', { has: page.getByText(label, { exact: true }) }).locator('code')

  const copied = () => page.evaluate('navigator.clipboard.readText()')

  function focused(): Promise<string> {
    return page.evaluate(
      '(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()',
    ) as Promise<string>
  }
})

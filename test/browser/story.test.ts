import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { chromiumPath, launchChromium } from './chromium.ts'
import { signIn } from './pages.ts'
import { type Service, startService } from './service.ts'

describe.skipIf(!chromiumPath)('in Chromium (skipped where none is installed)', () => {
  let browser: Browser
  let service: Service
  let context: BrowserContext
  let page: Page
  let complaints: string[]

  beforeAll(async () => {
    ;[browser, service] = await Promise.all([launchChromium(), startService()])
  })

  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  beforeEach(() => open())

  afterEach(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })

  async function open(options: Parameters<Browser['newContext']>[0] = {}) {
    await context?.close()
    context = await browser.newContext({ baseURL: service.origin, ...options })
    context.setDefaultTimeout(15_000)
    page = await context.newPage()
    complaints = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => {
      if (!/^(data:|http:\/\/127\.0\.0\.1:)/.test(request.url())) complaints.push(request.url())
    })
  }

  it('somebody signs in, creates a site, issues a key, uses it, and revokes it', async () => {
    await signIn(page, service)
    await page.getByRole('link', { name: 'New site' }).click()
    await page.getByLabel('Name').fill('Cooking')
    await page.getByLabel('Domain').fill('cooking.example.com')
    await page.getByRole('button', { name: 'Create site' }).click()
    await page.getByText('No keys yet').waitFor()

    await page.getByRole('link', { name: 'New key' }).click()
    await page.getByLabel('Name').fill('CMS')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('heading', { name: 'Key created' }).waitFor()
    const key = await page.locator('dd code').first().innerText()
    expect(page.url()).not.toContain(key)

    await page.getByRole('link', { name: 'Done' }).click()
    const [baseUrl, siteId] = await page.locator('dd code').allInnerTexts()
    const read = () =>
      fetch(`${baseUrl}/sites/${siteId}/posts`, { headers: { Authorization: `Bearer ${key}` } })
    const answer = await read()
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ items: [], total: 0 })

    await page.getByRole('link', { name: 'Revoke CMS' }).click()
    await page.getByRole('heading', { name: 'Revoke the key “CMS”?' }).waitFor()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText('The key “CMS” is revoked').waitFor()
    expect((await read()).status).toBe(401)

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are signed out.').waitFor()
    await page.goto(`/console/sites/${siteId}/api`)
    expect(new URL(page.url()).pathname).toBe('/console/sign-in')
    await page.getByLabel('Operator token').fill(service.operatorToken)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'API', exact: true }).waitFor()
  })

  it('a text is copied, and said to be', async () => {
    await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    await signIn(page, service)
    await page.goto(`/console/sites/${service.demo.siteId}/api`)
    await page.getByRole('button', { name: 'Copy Site ID' }).click()
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' })
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(service.demo.siteId)
    await page.getByRole('button', { name: 'Copy First request' }).click()
    const line = String(await page.evaluate('navigator.clipboard.readText()'))
    expect(line).toBe(await page.locator('pre code').innerText())
  })

  it("times are in the reader's zone, with UTC on hover", async () => {
    await open({ timezoneId: 'Pacific/Kiritimati', locale: 'de-DE' })
    await signIn(page, service)
    const time = page.locator('tbody time').first()
    const instant = new Date((await time.getAttribute('datetime'))!)
    const local = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Pacific/Kiritimati' } as const
    expect(await time.innerText()).toBe(new Intl.DateTimeFormat('de-DE', local).format(instant))
    expect(await time.getAttribute('title')).toMatch(/^\d{1,2} \w+ \d{4}, \d\d:\d\d UTC$/)
  })

  it('all but copying works without JavaScript', async () => {
    await open({ javaScriptEnabled: false })
    await signIn(page, service)
    expect(await page.locator('tbody time').first().innerText()).toMatch(/ UTC$/)
    await page.goto(`/console/sites/${service.demo.siteId}/keys/new`)
    await page.getByLabel('Name').fill('Script-free')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('hca_live_').first().waitFor()
    expect(await page.getByRole('button', { name: /^Copy/ }).count()).toBe(0)
    await page.getByRole('link', { name: 'Done' }).click()
    await page.getByRole('link', { name: 'Revoke Script-free' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText('The key “Script-free” is revoked').waitFor()
  })

  it('a keyboard is enough, and every stop is visible', async () => {
    await page.goto('/console')
    await tabTo('Operator token')
    await page.keyboard.type(service.operatorToken)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Sites' }).waitFor()
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Skip to content')
    await page.keyboard.press('Enter')
    await tabTo('New site', 1)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'New site' }).waitFor()
    await tabTo('Name')
    await page.keyboard.type('Typed')
    await page.keyboard.press('Tab')
    await page.keyboard.type('typed.example.com')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('No keys yet').waitFor()
    await tabTo('Settings')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    await tabTo('Allow the training export')
    await page.keyboard.press('Space')
    await tabTo('Save settings')
    await page.keyboard.press('Enter')
    await page.getByText('The settings are saved.').waitFor()
    expect(await page.getByLabel('Allow the training export').isChecked()).toBe(true)
  })

  async function tabTo(name: string, atMost = 30): Promise<void> {
    for (let stops = 1; stops <= atMost; stops++) {
      await page.keyboard.press('Tab')
      expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
      if ((await focused()) === name) return
    }
    throw new Error(`No ${name} within ${atMost} stops`)
  }

  function focused(): Promise<string> {
    return page.evaluate(
      '(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()',
    ) as Promise<string>
  }
})

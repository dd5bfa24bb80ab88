import type { Browser, BrowserContext, Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
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

  it('a developer tries an operation in the reference with a pasted key, which the browser does not keep', async () => {
    await page.goto('/docs/reference')
    await page.getByRole('textbox', { name: 'Token' }).first().fill(service.demo.apiKey)
    await page.getByRole('link', { name: 'List drafts and published posts' }).click()
    await page.getByRole('button', { name: /^Test Request.*\/posts\)$/ }).click()
    const client = page.getByRole('dialog')
    await client.locator('#siteId').getByRole('combobox').last().fill(service.demo.siteId)
    const answer = page.waitForResponse((response) => response.url().includes(service.demo.siteId))
    await client.getByRole('button', { name: /^Send Request/ }).click()
    expect((await answer).status()).toBe(200)
    await client.getByText('200 OK').waitFor()
    const kept = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])'
    expect(await page.evaluate(kept)).not.toContain(service.demo.apiKey)
    expect(await page.evaluate('indexedDB.databases()')).toEqual([])
  })

  it('a user signs in, creates a site, issues a key, uses it, and revokes it', async () => {
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

  it('a user sets a webhook, tests it, sees a draft announced, rotates the secret and sends it again', async () => {
    const siteId = await makeSite()
    await signIn(page, service)
    await page.goto(`/console/sites/${siteId}/integrations`)
    await page.getByRole('link', { name: 'Set a webhook' }).click()
    await page.getByLabel('URL').fill(`${service.receiver}/story/ok`)
    await page.getByRole('button', { name: 'Set webhook' }).click()
    await page.getByRole('heading', { name: 'Webhook set' }).waitFor()
    const secret = await page.locator('dd code').innerText()
    expect(page.url()).not.toContain(secret)
    await page.getByRole('link', { name: 'Done' }).click()

    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByText('The receiver answered 200.').waitFor()
    expect(await page.locator('#test pre').innerText()).toBe('thanks')

    await manage('PUT', `/${siteId}/posts/news`, {
      title: 'News',
      contentHtml: '<p>New.</p>',
      trustScore: 91,
    })
    await manage('PUT', `/${siteId}/posts/news/readiness`)
    const row = page.getByRole('row').filter({ hasText: 'article.ready' })
    await expect
      .poll(
        async () => {
          await page.goto(`/console/sites/${siteId}/integrations?event=article.ready`)
          return row.filter({ hasText: 'Delivered' }).count()
        },
        { timeout: 15_000 },
      )
      .toBe(1)
    await row.getByRole('link').click()
    await page.getByRole('heading', { name: 'article.ready' }).waitFor()
    const delivery = page.url()
    const posts = async () =>
      (await (await fetch(`${service.receiver}/story`)).json()) as {
        body: string
        headers: Record<string, string>
      }[]
    const [, post] = await posts()
    expect(await page.locator('#request pre').first().innerText()).toBe(post!.body)
    expect(new Webhook(secret).verify(post!.body, post!.headers)).toMatchObject({ slug: 'news' })

    await page.getByRole('link', { name: 'Check a signature' }).click()
    await page.getByLabel('Timestamp').fill(post!.headers['x-service-timestamp']!)
    await page.getByLabel('Body').fill(post!.body)
    await page.getByLabel('Signature').fill(post!.headers['x-service-signature']!)
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText("Genuine: this is signed with this site's secret.").waitFor()
    await page.getByLabel('Body').fill(JSON.stringify(JSON.parse(post!.body)))
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText('Serialised again').waitFor()

    await page.goto(`/console/sites/${siteId}/integrations`)
    await page.getByRole('link', { name: 'Rotate secret' }).click()
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByRole('heading', { name: 'Secret rotated' }).waitFor()
    const next = await page.locator('dd code').innerText()
    await page.goto(delivery)
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByRole('heading', { name: 'Other attempts' }).waitFor()
    const [, , again] = await posts()
    for (const each of [secret, next])
      expect(new Webhook(each).verify(again!.body, again!.headers)).toMatchObject({ slug: 'news' })
    await page.getByText('Formatted body').click()
    await page.getByText('"slug": "news"').waitFor()

    await page.goto(`/console/sites/${siteId}/integrations`)
    await page.getByRole('link', { name: 'Remove webhook' }).click()
    await page.getByRole('button', { name: 'Remove webhook' }).click()
    await page.getByText('No webhook yet').waitFor()
  })

  it('a text is copied, and the page says so', async () => {
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

  it("a filter's time is entered in the reader's zone", async () => {
    await open({ timezoneId: 'Pacific/Kiritimati' })
    await signIn(page, service)
    await page.goto(`/console/sites/${service.demo.siteId}/content`)
    await page.getByLabel('Updated after').fill('2020-01-31T10:00')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByText('8 posts').waitFor()
    expect(new URL(page.url()).searchParams.get('updatedAfter')).toBe('2020-01-30T20:00:00.000Z')
    expect(await page.getByLabel('Updated after').inputValue()).toBe('2020-01-31T10:00')
  })

  it('a form can only be submitted once', async () => {
    await open({})
    await signIn(page, service)
    await page.goto(`/console/sites/${service.demo.siteId}/keys/new`)
    const send = `document.querySelector('form.fields').dispatchEvent(new SubmitEvent('submit', { cancelable: true }))`
    expect([await page.evaluate(send), await page.evaluate(send)]).toEqual([true, false])
  })

  it('everything but copying works without JavaScript', async () => {
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

    await page.goto(`/console/sites/${await makeSite()}/integrations`)
    await page.getByRole('link', { name: 'Set a webhook' }).click()
    await page.getByLabel('URL').fill(`${service.receiver}/plain/status/503`)
    await page.getByRole('button', { name: 'Set webhook' }).click()
    await page.getByText('whsec_').waitFor()
    await page.getByRole('link', { name: 'Done' }).click()
    await page.getByText('Ruby').click()
    await page.getByText('OpenSSL::HMAC').waitFor()
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByText('Bring it up, then send again').waitFor()
    await page.getByLabel('Outcome').selectOption('failed')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('row').getByRole('link', { name: 'webhook.test' }).click()
    await page.getByText('said no').waitFor()
    await page.getByRole('link', { name: 'All deliveries' }).click()
    await page.getByRole('link', { name: 'Remove webhook' }).click()
    await page.getByRole('button', { name: 'Remove webhook' }).click()
    await page.getByText('No webhook yet').waitFor()
  })

  it('a keyboard is enough, and focus is always visible', async () => {
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

    await tabTo('Integrations')
    await page.keyboard.press('Enter')
    await page.getByText('No webhook yet').waitFor()
    await tabTo('Set a webhook')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Set a webhook' }).waitFor()
    await tabTo('URL')
    await page.keyboard.type(`${service.receiver}/keys/ok`)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Webhook set' }).waitFor()
    await tabTo('Done')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Recent deliveries' }).waitFor()
    await tabTo('Send test event')
    await page.keyboard.press('Enter')
    await page.getByText('The receiver answered 200.').waitFor()
    await tabTo('What was sent, byte for byte')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Repeat it yourself' }).waitFor()
    await tabTo('Send again')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Other attempts' }).waitFor()
  })

  async function makeSite(): Promise<string> {
    return (await manage<{ id: string }>('POST', '', { name: 'Story', domain: 'story.example.com' })).id
  }

  async function manage<Answer>(method: string, below: string, body?: object): Promise<Answer> {
    const answer = await fetch(`${service.origin}/manage/v1/sites${below}`, {
      method,
      headers: { Authorization: `Bearer ${service.operatorToken}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(await answer.text())
    return answer.json() as Promise<Answer>
  }

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

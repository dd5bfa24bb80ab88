import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { stopAtMinute } from '../../support/clock.ts'
import { chooseIn, errorBeside, filledIn, openedIn, signIn, visit, wordsOf } from '../../support/console.ts'
import { call, makeSite, type TestSite } from '../../support/site.ts'
import { deliveries, received, setWebhook } from '../../support/webhook.ts'

const SECRET = /whsec_[A-Za-z0-9+/]{43}=/

const at = (site: TestSite, below = '') => `/console/sites/${site.id}/integrations${below}`

async function signedIn(script?: string) {
  const site = await makeSite()
  const secret = script ? await setWebhook(site, script) : null
  const cookie = await signIn()
  return {
    site,
    secret,
    open: (below = '') => visit(at(site, below), { cookie }),
    post: (below: string, form: Record<string, string> = {}) => visit(at(site, below), { cookie, form }),
    async follow(below: string, form: Record<string, string> = {}) {
      const { status, location } = await visit(at(site, below), { cookie, form })
      expect(status).toBe(303)
      return visit(location!.replace(/#.*/, ''), { cookie })
    },
  }
}

describe('without a webhook', () => {
  it('the page links to adding one, and already has the snippets', async () => {
    const { open } = await signedIn()
    const page = await open()
    expect(wordsOf(page)).toMatch(/No webhook yet .* Set up a webhook/)
    expect(page.text).not.toContain('Send test event')
    for (const name of ['Node', 'Python', 'PHP', 'Go', 'Ruby'])
      expect(page.text).toContain(`<summary>${name}</summary>`)
  })

  it('a test, a rotation and a removal do nothing', async () => {
    const { open, post, site } = await signedIn()
    expect(await post('/tests')).toMatchObject({ status: 303, location: at(site) })
    expect((await open('/webhook/secret-rotations')).status).toBe(404)
    const since = new Date().toISOString()
    expect((await post(`/webhook/secret-rotations?since=${since}`)).status).toBe(404)
    expect((await post('/webhook/removal')).status).toBe(404)
    expect(wordsOf(await open('/signature-check'))).toContain(
      'There is no secret to check signatures with yet',
    )
  })
})

describe('events and further webhooks', () => {
  it('are selected by checkboxes, added with a secret, tested, changed, rotated and removed', async () => {
    const { site, open, post, follow } = await signedIn('ok/first')
    const { url } = await site.manage('GET', '/webhook')
    await follow('/webhook', { url, 'post.updated': 'on' })
    expect(await site.manage('GET', '/webhook')).toMatchObject({ events: ['post.updated'] })
    expect(wordsOf(await open())).toContain('article.ready, post.updated')
    expect(wordsOf(await open('/webhooks'))).toContain('A published post was deleted.')

    const further = { new: '1', url: url.replace('ok/first', 'status/500'), 'post.deleted': 'on' }
    expect((await post('/webhooks', { ...further, url: 'http://10.0.0.1/' })).status).toBe(400)
    const added = await post('/webhooks', further)
    expect([added.status, SECRET.test(added.text)]).toEqual([201, true])
    const { items } = await site.manage('GET', '/webhooks')
    const page = `/webhooks/${items[1]!.id}`
    const tested = wordsOf(await follow(`${page}/tests`))
    expect(tested).toMatch(/Test of webhook 2 .*Answered 500/)
    await follow(page, { url: url.replace('first', 'second') })
    expect(wordsOf(await follow(`${page}/tests`))).toMatch(/Test of webhook 2 .*Arrived/)
    expect((await received(site)).at(-1)!.path).toContain('second')
    const { action } = /action="[^"]*(?<action>\/secret-rotations\?[^"]*)"/.exec(
      (await open(`${page}/secret-rotations`)).text,
    )!.groups!
    const rotated = await post(page + action!.replaceAll('&amp;', '&'))
    expect(SECRET.exec(rotated.text)![0]).not.toBe(SECRET.exec(added.text)![0])
    await follow(`${page}/removal`)
    expect((await open(page)).status).toBe(404)
    expect(await site.manage('GET', '/webhooks')).toMatchObject({ items: [{ id: site.id, url }] })
  })
})

describe('the URL', () => {
  it('is set with a secret that is shown once and verifies deliveries', async () => {
    const { site, open, post, follow } = await signedIn()
    await setWebhook(site, 'ok')
    const { url } = await site.manage('GET', '/webhook')
    await site.manage('DELETE', '/webhook')
    const answer = await post('/webhook', { new: '1', url: ` ${url} ` })
    expect(answer.status).toBe(201)
    const secret = SECRET.exec(answer.text)![0]
    expect(wordsOf(answer)).toContain('You will not be able to see it again')
    await follow('/tests')
    const [test] = await received(site)
    expect(new Webhook(secret).verify(test!.body, test!.headers)).toMatchObject({ event: 'webhook.test' })
    const page = await open()
    expect(page.text).toContain(url)
    expect(page.text).not.toMatch(SECRET)
  })

  it('can be changed without a new secret', async () => {
    const { open, follow } = await signedIn('ok')
    expect(filledIn('url', await open('/webhook'))).toMatch(/^http:\/\/127.*\/ok$/)
    const page = await follow('/webhook', { url: 'https://cms.example.com.au/hooks' })
    expect(wordsOf(page)).toContain('Webhook saved')
    expect(page.text).toContain('https://cms.example.com.au/hooks')
    expect(page.text).not.toMatch(SECRET)
  })

  it('that somebody else has set or changed since the form was opened is shown next to the typed one', async () => {
    const { site, open, post } = await signedIn()
    const [ours, theirs] = ['https://ours.example.com/hooks', 'https://theirs.example.com/hooks']
    const opened = openedIn(await open('/webhook'))
    await site.manage('PUT', '/webhook', { url: theirs, events: ['post.deleted'] })
    const question = await post('/webhook', { new: '1', url: ours, 'post.updated': 'on', opened })
    expect(question.status).toBe(409)
    expect(wordsOf(question)).toContain(`URL Saved version ${theirs} Your version ${ours}`)
    expect(await site.manage('GET', '/webhook')).toMatchObject({ url: theirs })
    const { fields } = chooseIn(question, { url: 1 })
    expect((await post('/webhook', fields)).status).toBe(303)
    expect(await site.manage('GET', '/webhook')).toMatchObject({
      url: ours,
      events: ['post.updated', 'post.deleted'],
    })
  })

  it('of a webhook that was removed meanwhile is not set again', async () => {
    const { site, open, post } = await signedIn('ok')
    const opened = openedIn(await open('/webhook'))
    await site.manage('DELETE', '/webhook')
    expect((await post('/webhook', { url: 'https://ours.example.com/', opened })).status).toBe(404)
  })

  it.each([
    ['', 'URL is required.'],
    ['cms', 'URL must be an absolute URL of at most 2048 characters.'],
    ['http://cms.example.org/', 'URL must use https.'],
    ['https://10.0.0.1/', 'URL must not be an IP address.'],
    ['https://me:pw@cms.example.org/', 'URL must not carry a user or a password.'],
  ])('%j is refused with an error at the field, which keeps it', async (url, words) => {
    const { post, open } = await signedIn()
    const answer = await post('/webhook', { new: '1', url })
    expect(answer.status).toBe(400)
    expect(errorBeside('url', answer)).toBe(words)
    expect(filledIn('url', answer) ?? '').toBe(url)
    expect(wordsOf(await open())).toContain('No webhook yet')
  })
})

describe('the secret', () => {
  const rotation = async ({ open }: Awaited<ReturnType<typeof signedIn>>) => {
    const question = await open('/webhook/secret-rotations')
    expect(wordsOf(question)).toContain('carries both signatures for 24 hours')
    expect(wordsOf(question)).toContain('X-Service-Signature uses the new secret immediately')
    return /action="[^"]*\/integrations([^"]+)"/.exec(question.text)![1]!
  }

  it('is rotated after a confirmation, shown once, and used at once, together with the previous one', async () => {
    const visitor = await signedIn('ok')
    const { site, secret, open, post, follow } = visitor
    const answer = await post(await rotation(visitor))
    expect(answer.status).toBe(201)
    const next = SECRET.exec(answer.text)![0]
    expect(next).not.toBe(secret)
    const page = await open()
    expect(wordsOf(page)).toMatch(/Rotated .* The previous secret is valid until /)
    expect(page.text).not.toMatch(SECRET)
    await follow('/tests')
    const [test] = await received(site)
    for (const each of [secret!, next])
      expect(new Webhook(each).verify(test!.body, test!.headers)).toBeTruthy()
  })

  it('is rotated once when the button is pressed twice', async () => {
    const visitor = await signedIn('ok')
    const { site, secret, post, follow } = visitor
    const below = await rotation(visitor)
    const answers = await Promise.all([post(below), post(below)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(wordsOf(answers.find(({ status }) => status === 409)!)).toContain(
      'Nothing was changed. If you have not seen the new secret',
    )
    await follow('/tests')
    const [test] = await received(site)
    expect(new Webhook(secret!).verify(test!.body, test!.headers)).toBeTruthy()
  })

  it('is rotated with a warning if the previous one is still valid', async () => {
    const visitor = await signedIn('ok')
    await visitor.post(await rotation(visitor))
    expect(wordsOf(await visitor.open('/webhook/secret-rotations'))).toContain('stops working immediately')
  })
})

describe('removing', () => {
  it('asks for confirmation, then stops deliveries and keeps the log', async () => {
    const { open, follow } = await signedIn('ok')
    await follow('/tests')
    expect(wordsOf(await open('/webhook/removal'))).toContain('Remove this webhook?')
    const page = await follow('/webhook/removal')
    expect(wordsOf(page)).toMatch(/Webhook removed.* No webhook yet .* Recent deliveries .* webhook.test/)
  })
})

describe('a test', () => {
  it('shows status, time and response on the page', async () => {
    const { site, follow } = await signedIn('ok')
    const page = await follow('/tests')
    expect(wordsOf(page)).toMatch(
      /Arrived\. The receiver responded with 200\. Status 200 Duration \d+ ms .* thanks/,
    )
    expect(await deliveries(site)).toMatchObject([{ event: 'webhook.test', status: 200, manual: false }])
  })

  it.each([
    ['status/401', 'Answered 401. The receiver responded with 401. Only 2xx counts', 'refused the signature'],
    ['status/403', 'Answered 403.', 'refused the signature'],
    ['status/404', 'Answered 404.', 'There is nothing at this path'],
    ['status/405', 'Answered 405.', 'does not accept POST'],
    ['status/410', 'Answered 410.', 'There is nothing at this path'],
    ['status/413', 'Answered 413.', 'Raise its limit'],
    ['status/415', 'Answered 415.', 'application/json'],
    ['status/429', 'Answered 429.', 'limits the request rate'],
    ['status/418', 'Answered 418.', 'See the response below'],
    ['status/500', 'Answered 500.', 'Check its log'],
    ['status/503', 'Answered 503.', 'Usually a proxy responds like this'],
    ['redirect/302', 'Redirected.', 'Change the webhook URL to the target'],
    ['reset', 'Connection lost.', 'check its log at this time'],
  ])('that fails, %s, says so and how to fix it', async (script, outcome, advice) => {
    const { follow } = await signedIn(script)
    const words = wordsOf(await follow('/tests'))
    expect(words).toContain(outcome)
    expect(words).toContain(advice)
    if (script.startsWith('status')) expect(words).toContain('said no')
  })

  it('is not sent after ten within the minute, and the page says so', async () => {
    stopAtMinute()
    const { site, post } = await signedIn('ok')
    for (let i = 0; i < 10; i++) await call('/api/v1/webhooks/test', { method: 'POST', key: site.key })
    const answer = await post('/tests')
    expect(answer.status).toBe(429)
    expect(answer.headers.get('Retry-After')).toBe('60')
    expect(wordsOf(answer)).toContain(
      'No test was sent. The limit is 10 test events per minute for each site.',
    )
    expect(await received(site)).toHaveLength(10)
    expect(await deliveries(site)).toHaveLength(10)
  })

  it('of another site is not shown', async () => {
    const [mine, other] = [await signedIn('ok'), await signedIn('ok')]
    await other.follow('/tests')
    const [delivery] = await deliveries(other.site)
    expect(wordsOf(await mine.open(`?tested=${delivery!.id}`))).not.toContain('Arrived')
    expect((await mine.open('?tested=nonsense')).status).toBe(200)
  })
})

import { describe, expect, it } from 'vitest'
import { workspaceConsole } from '../../../functions/console/console.tsx'
import { labelOf } from '../../../functions/console/parts/fields/field-labels.ts'
import { decode, signIn, visit, wordsOf } from '../../support/console.ts'
import { call, makeSite, manage } from '../../support/site.ts'
import { callsOf } from '../../support/sql.ts'
import { setWebhook } from '../../support/webhook.ts'
import { BROKEN_DATABASE } from '../../support/world.ts'

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'none'; " +
  "form-action 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'"

async function answersOfAllKinds() {
  const cookie = await signIn()
  const { id } = await makeSite()
  return {
    page: await visit('/console/sites', { cookie }),
    'page of a site': await visit(`/console/sites/${id}/api`, { cookie }),
    'sign-in page': await visit('/console/sign-in'),
    redirect: await visit('/console/sites'),
    'refused form': await visit('/console/sites', { cookie, form: {} }),
    'missing page': await visit('/console/nowhere', { cookie }),
    'wrong method': await visit('/console/sites/new', { cookie, form: {} }),
    'cross-site form': await visit('/console/sites', {
      cookie,
      form: {},
      headers: { Origin: 'https://evil.example' },
    }),
    failure: await visit('/console/sites', { cookie, world: BROKEN_DATABASE }),
  }
}

describe('every answer', () => {
  it('has security headers, and is not cached', async () => {
    for (const [kind, { headers }] of Object.entries(await answersOfAllKinds())) {
      const seen = {
        kind,
        policy: headers.get('Content-Security-Policy'),
        sniff: headers.get('X-Content-Type-Options'),
        frame: headers.get('X-Frame-Options'),
        referrer: headers.get('Referrer-Policy'),
        cache: headers.get('Cache-Control'),
        request: headers.get('X-Request-Id'),
      }
      expect(seen).toEqual({
        kind,
        policy: POLICY,
        sniff: 'nosniff',
        frame: 'DENY',
        referrer: 'same-origin',
        cache: 'no-store',
        request: expect.any(String),
      })
    }
  })

  it('has the same policy on a page that updates itself, except that it may connect to this service', async () => {
    const { id } = await makeSite()
    const { headers } = await visit(`/console/sites/${id}/integrations`, { cookie: await signIn() })
    const policy = headers.get('Content-Security-Policy')
    expect(policy).toBe(POLICY.replace("connect-src 'none'", "connect-src 'self'"))
  })

  it('is a page without inline scripts or styles and without resources from other hosts', async () => {
    for (const [kind, { status, headers, text }] of Object.entries(await answersOfAllKinds())) {
      if (status === 303) continue
      expect([kind, headers.get('Content-Type')]).toEqual([kind, 'text/html; charset=UTF-8'])
      expect(text).toMatch(/^<!doctype html><html lang="en">/)
      expect(text).not.toMatch(/<style|<script(?! src="\/console\/assets\/)| style=| on[a-z]+=/)
      const urls = [...text.matchAll(/ (?:src|href|action)="([^"]*)"/g)].map(([, url]) => url!)
      expect(urls.filter((url) => !/^(\/|#|data:image\/svg)/.test(url))).toEqual([])
    }
  })
})

describe('the fields of forms', () => {
  it('have the same labels on the page that shows an interrupted form', async () => {
    const site = await makeSite()
    await setWebhook(site, 'ok')
    await site.put('a')
    const cookie = await signIn()
    const person = await manage('POST', '/operators', {
      name: `ada-${crypto.randomUUID()}`,
      role: 'viewer',
    })
    const below = ['settings', 'keys/new', 'content/redirects', 'content/posts/a/slug']
    const ofWebhooks = ['webhook', 'webhooks', 'signature-check', 'resends'].map(
      (page) => `integrations/${page}`,
    )
    const pages = [
      ...[...below, ...ofWebhooks].map((page) => `/sites/${site.id}/${page}`),
      '/sites/new',
      '/people/new',
      `/people/${person.id}`,
    ]
    let compared = 0
    for (const page of pages) {
      const { text } = await visit(`/console${page}`, { cookie })
      for (const [form] of text.matchAll(/<form method="post"[\s\S]*?<\/form>/g)) {
        for (const [, name, label] of form.matchAll(/<label for="([^"]+)">([^<]+)</g)) {
          expect([page, name, labelOf(name!)]).toEqual([page, name, decode(label!)])
          compared++
        }
      }
    }
    expect(compared).toBeGreaterThan(20)
  })
})

describe('pages requested at once', () => {
  it('each show their own site', async () => {
    const cookie = await signIn()
    const ids = await Promise.all(Array.from({ length: 10 }, async () => (await makeSite()).id))
    const pages = await Promise.all(ids.map((id) => visit(`/console/sites/${id}/integrations`, { cookie })))
    for (const [i, { text }] of pages.entries()) {
      const named = [...text.matchAll(/\/console\/sites\/([0-9a-f-]{36})/g)].map(([, id]) => id)
      expect(new Set(named)).toEqual(new Set([ids[i]]))
    }
  })
})

describe('404', () => {
  it.each([
    '/console/nowhere',
    '/console/sites/nonsense',
    '/console/sites/nonsense/api',
    `/console/sites/${crypto.randomUUID()}/settings`,
    '/console/assets/console-000000000000.css',
  ])('%s is a page with a link back', async (path) => {
    const answer = await visit(path, { cookie: await signIn() })
    expect(answer.status).toBe(404)
    expect(wordsOf(answer)).toContain('Page not found')
    expect(answer.text).toContain('<a href="/console/sites">All sites</a>')
  })

  it('is sent for unknown paths and keys below a site', async () => {
    const { id } = await makeSite()
    const cookie = await signIn()
    for (const below of ['/nowhere', `/keys/${crypto.randomUUID()}/revocation`, '/keys/x/revocation']) {
      expect((await visit(`/console/sites/${id}${below}`, { cookie })).status).toBe(404)
    }
    for (const keyId of [crypto.randomUUID(), 'x']) {
      const path = `/console/sites/${id}/keys/${keyId}/revocation`
      expect((await visit(path, { cookie, form: {} })).status).toBe(404)
    }
  })
})

describe('405', () => {
  it('is a page with the allowed methods', async () => {
    const cookie = await signIn()
    const answer = await visit('/console/sites/new', { cookie, form: {} })
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'GET, HEAD'])
    expect(wordsOf(answer)).toContain('Method not allowed')
    const put = await visit('/console/sites', {
      cookie,
      method: 'PUT',
      headers: { Origin: 'https://api.test' },
    })
    expect([put.status, put.headers.get('Allow')]).toEqual([405, 'GET, HEAD, POST'])
  })
})

/** Every form of the console by its path, with `:` before parameters. */
const FORMS = workspaceConsole.routes
  .filter(({ method }) => method === 'POST')
  .map(({ path }) => `/console${path.replace(/^\/console/, '').replace(/\{.*?\}(?=\/|$)/, '')}`)

/** A form of `bytes` bytes, with or without Content-Length. */
async function postForm(path: string, bytes: number, { announced = true, ...options } = {} as Posted) {
  const body = `name=${'x'.repeat(bytes - 5)}`
  const headers = {
    'Content-Type': 'application/x-www-form-urlencoded',
    ...(announced && { 'Content-Length': String(bytes) }),
    Origin: 'https://api.test',
    // Failed sign-ins count by address.
    'CF-Connecting-IP': crypto.randomUUID(),
  }
  return visit(path, {
    ...options,
    method: 'POST',
    headers,
    body: announced ? body : new Blob([body]).stream(),
  })
}

type Posted = { announced?: boolean; cookie?: string }

describe('413', () => {
  it('is a page, and the form does nothing', async () => {
    const cookie = await signIn()
    for (const announced of [true, false]) {
      const answer = await postForm('/console/sign-out', 33 * 1024, { announced })
      expect(answer.status).toBe(413)
      expect(wordsOf(answer)).toContain('Too large')
    }
    expect((await visit('/console/sites', { cookie })).status).toBe(200)
  })

  it.each(FORMS)('is the answer to a long POST %s from a browser that never signed in', async (path) => {
    const limit = (path === '/console/sign-in' ? 128 : 32) * 1024
    const filled = path.replace(':siteId', crypto.randomUUID()).replace(/:\w+/g, 'x')
    expect((await postForm(filled, limit + 1)).status).toBe(413)
    expect((await postForm(filled, limit + 1, { announced: false })).status).toBe(413)
    expect((await postForm(filled, limit)).status).not.toBe(413)
  })

  it('is the answer to a form of more than 9 MiB from any browser', async () => {
    const cookie = await signIn()
    const limit = 9 * 1024 * 1024
    for (const path of ['/console/sign-in', '/console/sites']) {
      for (const announced of [true, false])
        expect((await postForm(path, limit + 1, { cookie, announced })).status).toBe(413)
      expect((await postForm(path, limit, { cookie })).status).not.toBe(413)
    }
  })
})

describe('500', () => {
  it('is a page with the request id and without the cause', async () => {
    const answer = await visit('/console/sites', { cookie: await signIn(), world: BROKEN_DATABASE })
    expect(answer.status).toBe(500)
    expect(wordsOf(answer)).toContain(`Request ID ${answer.headers.get('X-Request-Id')}`)
    expect(answer.text).not.toMatch(/postgres|password|select|Neon/i)
  })
})

const OTHERWISE = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-origin' }

describe('a form from another site', () => {
  it.each([
    ['by its origin', { Origin: 'https://evil.example' }],
    ['by the fetch metadata', { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' }],
    [
      'by the fetch metadata of a sibling host',
      { Origin: 'https://sister.api.test', 'Sec-Fetch-Site': 'same-site' },
    ],
    ['by one of the two', { 'Sec-Fetch-Site': 'cross-site' }],
    ['by its origin, against the fetch metadata', OTHERWISE],
    ['without either', { Origin: '' }],
    ...['application/json', 'application/xml', 'image/png', 'x'].map(
      (type): [string, Record<string, string>] => [
        `with a body of the type ${type}`,
        { 'Content-Type': type, Origin: 'https://evil.example' },
      ],
    ),
  ])('is refused %s, and does nothing', async (_, headers) => {
    const cookie = await signIn()
    const answer = await visit('/console/sign-out', { cookie, form: {}, headers })
    expect(answer.status).toBe(403)
    expect(wordsOf(answer)).toContain('nothing was changed')
    expect((await visit('/console/sites', { cookie })).status).toBe(200)
  })

  it.each(['application/json', ''])(
    'is refused without Origin and Sec-Fetch-Site, also as %j',
    async (type) => {
      const cookie = await signIn()
      const headers: Record<string, string> = type ? { 'Content-Type': type } : {}
      expect((await visit('/console/sign-out', { cookie, method: 'POST', headers })).status).toBe(403)
      expect((await visit('/console/sites', { cookie })).status).toBe(200)
    },
  )

  it('is recognized by fetch metadata if the browser sends no Origin', async () => {
    const cookie = await signIn()
    const post = (site: string) =>
      visit('/console/sign-out', { cookie, method: 'POST', headers: { 'Sec-Fetch-Site': site } })
    expect((await post('cross-site')).status).toBe(403)
    expect((await post('same-site')).status).toBe(403)
    expect((await post('same-origin')).status).toBe(303)
    expect((await post('none')).status).toBe(303)
  })

  it('cannot sign anyone in', async () => {
    const answer = await visit('/console/sign-in', {
      form: { token: 'x' },
      headers: { Origin: 'https://evil.example' },
    })
    expect(answer.status).toBe(403)
  })
})

describe('the stylesheet and the script', () => {
  it('are served by the Worker, with types, and can be cached for ever', async () => {
    const { text } = await visit('/console/sign-in')
    const [stylesheet, script] = [/<link rel="stylesheet" href="([^"]+)"/, /<script src="([^"]+)" defer/].map(
      (pattern) => pattern.exec(text)![1]!,
    )
    expect(stylesheet).toMatch(/^\/console\/assets\/console-[0-9a-f]{12}\.css$/)
    const css = await visit(stylesheet!)
    expect(css.headers.get('Content-Type')).toBe('text/css; charset=utf-8')
    expect(css.text).toContain('prefers-color-scheme: dark')
    const js = await visit(script!)
    expect(js.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8')
    expect(js.text).toContain('clipboard')
    for (const { status, headers } of [css, js]) {
      expect(status).toBe(200)
      expect(headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    }
  })
})

describe('a page', () => {
  it('takes at most three queries', async () => {
    const site = await makeSite()
    const { id, keyId } = site
    const cookie = await signIn()
    await setWebhook(site, 'ok')
    const tested = await visit(`/console/sites/${id}/integrations/tests`, { cookie, form: {} })
    const deliveryId = /tested=([0-9a-f-]{36})/.exec(tested.location!)![1]!
    const below = [
      ...['', '/api', '/keys/new', `/keys/${keyId}/revocation`, '/settings', '/integrations'],
      ...['/settings/deletion', '/content/training'],
      `/integrations?tested=${deliveryId}&event=webhook.test&outcome=delivered`,
      ...['', '/secret-rotations', '/removal'].map((page) => `/integrations/webhook${page}`),
      '/integrations/deliveries',
      `/integrations/deliveries/${deliveryId}`,
      '/integrations/signature-check',
      `/integrations/signature-check?delivery=${deliveryId}`,
    ]
    for (const path of ['', '/new', ...below.map((page) => `/${id}${page}`)]) {
      const calls = await callsOf(() => visit(`/console/sites${path}`, { cookie }))
      expect({ path, atMostThree: calls > 0 && calls <= 3 }).toEqual({ path, atMostThree: true })
    }
    expect(await callsOf(() => visit('/console/sign-in'))).toBe(0)
  })
})

describe('the pages of a site', () => {
  it('link to the guide with the site’s id, where questions arise', async () => {
    const { id } = await makeSite()
    const cookie = await signIn()
    const linked = new Set<string>()
    for (const page of [
      'api',
      'keys/new',
      'integrations',
      'settings',
      'usage',
      'content',
      'content/redirects',
      'content/training',
    ]) {
      const { text } = await visit(`/console/sites/${id}/${page}`, { cookie })
      const links = [...text.matchAll(/href="(\/docs\/[^"]+)"/g)].map(([, url]) => url!)
      expect([page, links.length > 0]).toEqual([page, true])
      for (const url of links) linked.add(url)
    }
    for (const url of linked) {
      const { pathname, searchParams } = new URL(url, 'https://api.test')
      expect([url, searchParams.get('site'), (await call(pathname)).status]).toEqual([url, id, 200])
    }
  })
})

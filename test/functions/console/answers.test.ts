import { describe, expect, it } from 'vitest'
import { workspaceConsole } from '../../../functions/console/console.tsx'
import { labelOf } from '../../../functions/console/parts/fields/field-labels.ts'
import { browse, decode, signIn, visit, wordsOf } from '../../support/console.ts'
import { putGuide } from '../../support/content.ts'
import { hand, lostEvent } from '../../support/outbox.ts'
import { call, makeSite, manage } from '../../support/site.ts'
import { callsOf } from '../../support/sql.ts'
import { deliveries, setWebhook } from '../../support/webhook.ts'
import { BROKEN_DATABASE } from '../../support/world.ts'

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'"

describe('every answer', () => {
  it('has security headers, is not cached, and is a page without inline scripts, styles or foreign resources', async () => {
    const cookie = await signIn()
    const { id } = await makeSite()
    const answers = {
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
    for (const [kind, { status, headers, text }] of Object.entries(answers)) {
      expect({ kind, ...Object.fromEntries(headers) }).toMatchObject({
        kind,
        'content-security-policy': POLICY,
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
        'cache-control': 'no-store',
        'x-request-id': expect.any(String),
      })
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
    const below = ['settings', 'keys/new', 'content/redirects']
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
    `/console/sites/${crypto.randomUUID()}/nowhere`,
    `/console/sites/${crypto.randomUUID()}/settings`,
    '/console/assets/console-000000000000.css',
  ])('%s is a page with a link back', async (path) => {
    const answer = await visit(path, { cookie: await signIn() })
    expect(answer.status).toBe(404)
    expect(wordsOf(answer)).toContain('Page not found')
    expect(answer.text).toContain('<a class="button" href="/console/sites">All sites</a>')
  })

  it('in a site leads to its pages', async () => {
    const { at, open } = await browse(await makeSite())
    const { text } = await open('/nowhere')
    for (const [page, name] of [
      ['/overview', 'Overview'],
      ['/content', 'Content'],
    ] as const)
      expect(text).toContain(`<a class="button" href="${at(page)}">${name}</a>`)
  })

  it('offers a search for a post or guide that does not exist', async () => {
    const { id } = await makeSite()
    for (const kind of ['posts', 'guides']) {
      const answer = await visit(`/console/sites/${id}/content/${kind}/none`, { cookie: await signIn() })
      expect(answer.status).toBe(404)
      expect(answer.text).toContain('<form action="/console/search">')
    }
  })

  it('keeps the menu of the site in view', async () => {
    const { id } = await makeSite()
    const answer = await visit(`/console/sites/${id}/nonsense`, { cookie: await signIn() })
    expect(answer.status).toBe(404)
    expect(answer.text).toContain(`<a href="/console/sites/${id}/settings"`)
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

  it('is the answer to each long form from a browser that never signed in', async () => {
    for (const path of FORMS) {
      const limit = (path === '/console/sign-in' ? 128 : 32) * 1024
      const filled = path.replace(':siteId', crypto.randomUUID()).replace(/:\w+/g, 'x')
      expect([path, (await postForm(filled, limit + 1)).status]).toEqual([path, 413])
      expect([path, (await postForm(filled, limit)).status]).not.toEqual([path, 413])
    }
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

describe('a form from another site', () => {
  const evil = { Origin: 'https://evil.example' }

  it('is refused by its origin or the fetch metadata, whatever its type, and does nothing', async () => {
    const cookie = await signIn()
    const types = ['application/json', 'application/xml', 'image/png', 'x']
    const from: Record<string, string>[] = [
      evil,
      { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' },
      { Origin: 'https://sister.api.test', 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { ...evil, 'Sec-Fetch-Site': 'same-origin' },
      { Origin: '' },
      { Origin: '', 'Content-Type': 'application/json' },
      ...types.map((type) => ({ 'Content-Type': type, ...evil })),
    ]
    for (const headers of from) {
      const answer = await visit('/console/sign-out', { cookie, form: {}, headers })
      expect([headers, answer.status]).toEqual([headers, 403])
      expect(wordsOf(answer)).toContain('nothing was changed')
    }
    expect((await visit('/console/sites', { cookie })).status).toBe(200)
    expect((await visit('/console/sign-in', { form: { token: 'x' }, headers: evil })).status).toBe(403)
  })

  it('is recognized by fetch metadata if the browser sends no Origin', async () => {
    const cookie = await signIn()
    const post = (site?: string) =>
      visit('/console/sign-out', { cookie, method: 'POST', headers: site ? { 'Sec-Fetch-Site': site } : {} })
    for (const site of [undefined, 'cross-site', 'same-site']) expect((await post(site)).status).toBe(403)
    for (const site of ['same-origin', 'none']) expect((await post(site)).status).toBe(303)
  })
})

describe('the stylesheet and the script', () => {
  it('are served by the Worker, with types, and can be cached for ever', async () => {
    const { text } = await visit('/console/sign-in')
    const [stylesheet, script] = [/<link rel="stylesheet" href="([^"]+)"/, /<script src="([^"]+)" defer/].map(
      (pattern) => pattern.exec(text)![1]!,
    )
    expect(stylesheet).toMatch(/^\/console\/assets\/theme-[0-9a-f]{12}\.css$/)
    const css = await visit(stylesheet!)
    expect(css.headers.get('Content-Type')).toBe('text/css; charset=utf-8')
    expect(css.text).toContain('light-dark(')
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
    const { site, eventId } = await lostEvent()
    await hand([{ kind: 'event', eventId }])
    await putGuide(site, 'guide')
    await site.manage('POST', '/training-rows', { rows: [{ prompt: 'P', completion: 'C' }] })
    const [row] = (await site.manage('GET', '/training-rows')).items
    const [delivery] = await deliveries(site)
    const list = encodeURIComponent('/content?search=50%25&page=2')
    const { at, open } = await browse(site)
    const takes: [calls: number, paths: string[]][] = [
      [1, ['/console/sites/new']],
      [2, ['/console/sites', '/console/people', '/console/audit-log']],
      [
        3,
        [
          '/console/overview',
          '/console/alerts',
          ...['/overview', '/usage', '/audit-log', '/content', '/content/guides', '/content?search=a'],
          ...['', '/preview', '/json', '/deletion', '/edit', `?list=${list}`].map(
            (page) => `/content/posts/draft${page}`,
          ),
          ...['', '/preview', '/json', '/edit'].map((page) => `/content/guides/guide${page}`),
          ...[
            `/content/training/${row!.id}`,
            '/content/redirects',
            '/settings',
            '/settings/publishing',
            '/settings/deletion',
          ],
          ...['', '/deliveries', '/deliveries?search=a&outcome=not_arrived'].map(
            (page) => `/integrations${page}`,
          ),
          ...[
            `deliveries/${delivery!.id}`,
            'signature-check',
            `signature-check?delivery=${delivery!.id}`,
          ].map((page) => `/integrations/${page}`),
          ...['', '/secret-rotations', '/removal'].map((page) => `/integrations/webhook${page}`),
          ...['', '/edit'].map((page) => `/integrations/webhooks/${site.id}${page}`),
          ...['/api', `/keys/${site.keyId}/revocation`, '/content/training'],
        ],
      ],
    ]
    for (const [atMost, paths] of takes)
      for (const path of paths) {
        const calls = await callsOf(async () => expect((await open(path)).status).toBe(200))
        expect({ path, isWithin: calls <= atMost, calls }).toEqual({ path, isWithin: true, calls })
      }
    expect(await callsOf(() => visit('/console/sign-in'))).toBe(0)
    // Publishing reads the content first, to ask about it.
    for (const [form, calls] of [
      ['readiness', 3],
      ['publication', 4],
      ['readiness', 3],
    ] as const)
      expect(
        await callsOf(() => open(at(`/content/posts/draft/${form}`), { form: { status: 'published' } })),
      ).toBe(calls)
  })
})

describe('the pages with lists, and those of a site,', () => {
  it('refuse an invalid cursor, and do not fall back to the first page', async () => {
    const { open } = await browse(await makeSite())
    const lists = ['/integrations/deliveries', '/content/training', '/audit-log']
    for (const list of ['/console/sites', '/console/audit-log', ...lists]) {
      const page = await open(`${list}?cursor=abc`)
      expect([list, page.status, wordsOf(page)]).toEqual([
        list,
        400,
        expect.stringContaining('This page link is no longer valid. First page'),
      ])
    }
  })

  it('link to the guide with the site’s id, where questions arise', async () => {
    const { id } = await makeSite()
    const cookie = await signIn()
    const linked = new Set<string>()
    for (const page of [
      'api',
      'keys/new',
      'integrations',
      'settings/publishing',
      'settings/sitemap',
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

it('a test alert without a target says that there is none', async () => {
  const cookie = await signIn()
  const { location } = await visit('/console/alerts/tests', { cookie, form: {} })
  expect(wordsOf(await visit(location!, { cookie }))).toContain('Alerts have no target.')
})

import { describe, expect, it } from 'vitest'
import { list } from '../../../src/cli/wordpress/list.ts'
import { type SiteOptions, wordpressSite } from '../../../src/cli/wordpress/site.ts'
import { PASSWORD, type Recorded, startWordPress, USER } from './support/replay.ts'
import { lossText, readAll } from './support/wxr.ts'

const RECORDED = 'harbour.ndjson'
// As recorded, so that there are several pages.
const options: SiteOptions = { pages: 'guides', defaultLanguage: 'en', pageSize: 4 }
const signedIn = { ...options, env: { WORDPRESS_USER: USER, WORDPRESS_PASSWORD: PASSWORD } }
const noWait = { ...options, wait: async () => {} }

const index = { name: 'B', home: '{base}', namespaces: ['wp/v2'] }
const API: Recorded = { headers: { link: '<{base}/wp-json/>; rel="https://api.w.org/"' } }

describe('a running WordPress', () => {
  it('returns its public content, page by page', async () => {
    await using wordpress = await startWordPress(RECORDED)
    const { source, found, skipped, losses } = await readAll(await wordpressSite(wordpress.url, options))
    expect(source.total).toBe(8)
    expect(
      found.map(({ file, kind, article: { slug, status } }) => `${file}: ${kind} ${slug} ${status}`),
    ).toEqual([
      'post 6 (Spring tide): posts spring-tide published',
      'post 7 (Winter work): posts winter-work published',
      'post 8 (Tom & Jerry sail): posts tom-jerry published',
      'post 9 (no-title): posts no-title published',
      'post 10 (港の朝): posts 港の朝 published',
      'page 18 (About): guides about published',
      'page 19 (History): guides history published',
    ])
    expect(skipped).toEqual([
      {
        file: 'post 11 (Only for members)',
        reason: 'it has a password: set WORDPRESS_USER and WORDPRESS_PASSWORD of a user who may edit it',
      },
    ])
    const { host } = new URL(wordpress.url)
    expect(losses.map((loss) => `${loss.file}: ${loss.field}: ${lossText(loss)}`)).toEqual([
      'post 6 (Spring tide): sticky: posts cannot be pinned',
      'post 6 (Spring tide): contentHtml: a block that WordPress renders on each view is left out: latest-posts',
      'post 6 (Spring tide): contentHtml: the styles of the site decide how text looks: style attribute',
      'post 7 (Winter work): contentHtml: its pages are joined: 2',
      'post 7 (Winter work): contentHtml: the styles of the site decide how text looks: style',
      'post 7 (Winter work): contentHtml: the styles of the site decide how text looks: style attribute',
      'post 7 (Winter work): contentHtml: the shortcode belongs to a plugin or theme: kept as text: [contact-form]',
      'post 9 (no-title): title: it has no title: the first words of its body are used',
      'page 19 (History): parent: guides cannot be nested',
      `${host}: status: WordPress shows drafts, private and scheduled posts only with WORDPRESS_USER and WORDPRESS_PASSWORD`,
      `${host}: attachment: an upload: its file is not moved, and its page is left out: 2`,
      `${host}: comment: comments by readers are left out: 3`,
    ])
  })

  it('can be read without pretty permalinks too', async () => {
    await using wordpress = await startWordPress('harbour-plain.ndjson')
    const source = await wordpressSite(wordpress.url, options)
    expect(source.target('/?p=7', '')).toMatchObject({ kind: 'posts', slug: 'winter-work' })
    expect(source.target('/?page_id=19', '')).toMatchObject({ kind: 'guides', slug: 'history' })
    expect((await readAll(source)).found).toHaveLength(7)
    expect(wordpress.asked.filter((path) => path.startsWith('/wp-json'))).toEqual([])
  })

  it('resolves its URLs to articles before anything is read', async () => {
    await using wordpress = await startWordPress(RECORDED)
    const source = await wordpressSite(wordpress.url, options)
    expect(source.target('/2024/03/winter-work/#paint', '')).toMatchObject({
      slug: 'winter-work',
      language: 'en',
    })
    expect(source.mediaPath('/wp-content/uploads/2024/03/pier.png', '')).toBe(
      'wp-content/uploads/2024/03/pier.png',
    )
  })

  it('is read without its pages when requested', async () => {
    await using wordpress = await startWordPress(RECORDED, (path) =>
      path.includes('/pages?per_page=1') ? { headers: { 'x-wp-total': '2' }, body: [] } : undefined,
    )
    const { found, losses } = await readAll(await wordpressSite(wordpress.url, { ...options, pages: 'none' }))
    expect(found).toHaveLength(5)
    expect(losses).toContainEqual(
      expect.objectContaining({ field: 'page', reason: 'they are left out', detail: '2' }),
    )
  })
})

describe('a site that promises more pages than it has', () => {
  /** Each page by its number, of a promised thousand million. */
  const endless = (postsOf: (page: number) => number[], pages = '1000000000') =>
    startWordPress(null, (path) => {
      if (path === '/') return API
      if (path === '/wp-json/') return { body: index }
      if (!path.startsWith('/wp-json/wp/v2/posts')) return { body: {} }
      const page = Number(/[?&]page=(\d+)/.exec(path)?.[1] ?? 1)
      const body = postsOf(page).map((id) => ({
        ...{ id, slug: `p${id}`, link: `{base}/p${id}/`, status: 'publish' },
        ...{ title: { rendered: 'P' }, content: { rendered: '<p>a</p>' } },
      }))
      return { headers: { 'x-wp-totalpages': pages, 'x-wp-total': '9' }, body }
    })
  const postsOnly = { ...options, pages: 'none' } as const

  it.each([
    ['20 pages in a row are of', 'pages 2 to 21 are empty', (page: number) => (page === 1 ? [1, 2] : [])],
    ['a page is of', 'page 2 repeats the one before', () => [1, 2]],
    [
      'a page after empty ones is of',
      'page 4 repeats the one before',
      (page: number) => (page % 3 === 1 ? [1, 2] : []),
    ],
  ])('is read until %s no use, and the report says so', async (_, problem, postsOf) => {
    await using wordpress = await endless(postsOf)
    const { found, skipped } = await readAll(await wordpressSite(wordpress.url, postsOnly))
    expect(found.map(({ article }) => article.slug)).toEqual(['p1', 'p2'])
    expect(skipped).toEqual([
      {
        file: 'wp/v2/posts',
        reason: `${problem}, of 1,000,000,000 announced pages: reading stops here`,
      },
    ])
  })

  it('is read past empty pages of posts that the user may not edit', async () => {
    await using wordpress = await endless((page) => (page % 20 === 1 ? [page] : []), '61')
    const { found, skipped } = await readAll(await wordpressSite(wordpress.url, postsOnly))
    expect(found.map(({ article }) => article.slug)).toEqual(['p1', 'p21', 'p41', 'p61'])
    expect(skipped).toEqual([])
  })

  it('is read to page 10,000 at most', async () => {
    const rest = {
      isSignedIn: false,
      get: async (_route: string, { page }: Record<string, string> = {}) => ({
        body: [{ id: Number(page) }],
        headers: new Headers({ 'x-wp-totalpages': '1000000000' }),
      }),
    }
    const reasons: string[] = []
    let posts = 0
    for await (const _ of list(rest, 'posts', {}, {}, (...words) => void reasons.push(words.join(': '))))
      posts++
    expect(posts).toBe(10_000)
    expect(reasons).toEqual(['wp/v2/posts: reading stops after page 10,000'])
  })

  it('is refused without a number of pages', async () => {
    await using wordpress = await endless(() => [1], 'many')
    await expect(wordpressSite(wordpress.url, postsOnly)).rejects.toThrow(
      'wp/v2/posts has no page count (X-WP-TotalPages)',
    )
  })
})

describe('a busy site', () => {
  it('is retried after the time it asks for', async () => {
    const waits: number[] = []
    const answers: Recorded[] = [
      { status: 503 },
      { status: 503, headers: { 'retry-after': '7' } },
      { status: 429, headers: { 'retry-after': new Date(Date.now() - 1_000).toUTCString() } },
    ]
    await using wordpress = await startWordPress(RECORDED, (path) =>
      path.startsWith('/wp-json/wp/v2/posts') ? answers.shift() : undefined,
    )
    const wait = async (ms: number) => void waits.push(ms)
    const { found } = await readAll(await wordpressSite(wordpress.url, { ...options, wait }))
    expect(found).toHaveLength(7)
    expect(waits).toEqual([1_000, 7_000, 0])
  })

  it('fails in one line when it wants too long a pause, or stays busy', async () => {
    const busy = (headers: Record<string, string>) =>
      startWordPress(RECORDED, (path) => (path.includes('/posts') ? { status: 503, headers } : undefined))
    await using long = await busy({ 'retry-after': '900' })
    await expect(wordpressSite(long.url, noWait)).rejects.toThrow(
      /answered 503 and asks to wait 900 s: run the same command again to continue$/,
    )
    await using endless = await busy({})
    await expect(wordpressSite(endless.url, noWait)).rejects.toThrow(/answered 503 6 times: /)
  })

  it('that does not answer fails after a timeout', async () => {
    await using wordpress = await startWordPress(null, () => 'hang')
    await expect(wordpressSite(wordpress.url, { ...options, timeoutMs: 50 })).rejects.toThrow(
      `No answer from ${wordpress.url}/ in 0.05 s`,
    )
  })
})

describe('a URL is refused in one line', () => {
  const refusal = async (script: Parameters<typeof startWordPress>[1], given: Partial<SiteOptions> = {}) => {
    await using wordpress = await startWordPress(null, script)
    const reason = await wordpressSite(wordpress.url, { ...noWait, ...given }).then(
      () => 'none',
      (error: Error) => error.message,
    )
    expect(reason).not.toContain('\n')
    return reason.replaceAll(wordpress.url, 'URL')
  }

  it('that is not a WordPress', async () => {
    expect(await refusal(() => ({ body: '<h1>Hello</h1>' }))).toBe(
      'URL/ is not a WordPress site: no REST API was found',
    )
    expect(await refusal(() => ({ status: 500 }))).toBe('URL/ answered 500')
  })

  it('whose REST API is switched off', async () => {
    const page = { body: '<link href="/wp-content/themes/a.css">' }
    expect(await refusal((path) => (path === '/' ? page : { status: 404 }))).toBe(
      'The REST API of URL/ is disabled or hidden: use an export (Tools → Export) instead',
    )
    const off = { status: 401, body: { code: 'rest_cannot_access', message: 'Only authenticated users' } }
    expect(await refusal((path) => (path === '/' ? API : off))).toBe(
      'The REST API of URL/ is disabled or needs a login (rest_cannot_access): use an export instead',
    )
  })

  it.each([
    [
      'its page',
      { status: 202, headers: { 'sg-captcha': 'challenge' }, body: '<html></html>' },
      'SiteGround',
    ],
    [
      'its page',
      { status: 403, headers: { 'cf-mitigated': 'challenge' }, body: 'Just a moment' },
      'Cloudflare',
    ],
    ['its API', { status: 405, headers: { 'x-amzn-waf-action': 'captcha' } }, 'AWS WAF'],
    [
      'its API',
      { body: '<meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=x">' },
      'SiteGround',
    ],
  ])('where a bot check answers for %s', async (where, answer, name) => {
    const reason = await refusal((path) => (where === 'its page' || path !== '/' ? answer : API))
    expect(reason).toMatch(
      new RegExp(`^A bot check of ${name} answers \\d+ at URL/\\S* instead of WordPress: .* use an export`),
    )
  })

  it('with a wrong password', async () => {
    await using wordpress = await startWordPress(RECORDED)
    const env = { WORDPRESS_USER: USER, WORDPRESS_PASSWORD: 'nonsense' }
    await expect(wordpressSite(wordpress.url, { ...options, env })).rejects.toThrow(
      /users\/me\?_fields=id answered 401: You are not currently logged in\. \(WORDPRESS_USER and WORDPRESS_PASSWORD \(an application password, of someone who may edit posts\) are refused\)$/,
    )
  })

  it('where a password would be sent in the clear, or half of it is missing', async () => {
    await expect(wordpressSite('http://blog.example', signedIn)).rejects.toThrow(
      'WORDPRESS_PASSWORD is sent only over https: http://blog.example/ is not',
    )
    await expect(
      wordpressSite('https://blog.example', { ...options, env: { WORDPRESS_USER: 'a' } }),
    ).rejects.toThrow('Set both WORDPRESS_USER and WORDPRESS_PASSWORD, or neither')
    await expect(wordpressSite('https://a:b@blog.example', options)).rejects.toThrow(
      /not a password in the URL$/,
    )
    await expect(wordpressSite('blog.example', options)).rejects.toThrow(
      '"blog.example" is not an http or https URL',
    )
  })

  it('that leads to another host, before a password goes there', async () => {
    await using elsewhere = await startWordPress(RECORDED)
    const redirect = { status: 301, headers: { location: `${elsewhere.url}/` } }
    expect(await refusal((path) => (path === '/' ? redirect : undefined))).toBe(
      `URL/ leads to ${elsewhere.url}, another host: use that address if it is the blog's`,
    )
    const link = { headers: { link: `<${elsewhere.url}/wp-json/>; rel="https://api.w.org/"` } }
    expect(await refusal((path) => (path === '/' ? link : undefined), { env: signedIn.env })).toContain(
      'another host',
    )
    expect(elsewhere.asked).toEqual([])
  })

  it('that redirects in a loop', async () => {
    expect(await refusal(() => ({ status: 302, headers: { location: '/' } }))).toBe(
      'URL/ redirects more than 5 times',
    )
  })

  it('where nothing listens', async () => {
    const { url } = await startWordPress(null).then(async (server) => {
      await server[Symbol.asyncDispose]()
      return server
    })
    await expect(wordpressSite(url, options)).rejects.toThrow(`Cannot reach ${url}/: ECONNREFUSED`)
  })

  it('that does not support TLS', async () => {
    await using wordpress = await startWordPress(RECORDED)
    await expect(wordpressSite(wordpress.url.replace('http:', 'https:'), options)).rejects.toThrow(
      /^127\.0\.0\.1:\d+ has a TLS error: \w+$/,
    )
  })

  it('whose lists are not those of WordPress', async () => {
    const lists = (answer: Recorded) =>
      refusal((path) => (path === '/' ? API : path === '/wp-json/' ? { body: index } : answer))
    expect(await lists({ body: {} })).toBe('wp/v2/posts is not a list of posts')
    expect(await lists({ body: '<br>\n<b>Warning</b>' })).toMatch(
      /did not answer with JSON: <br> <b>Warning<\/b>$/,
    )
    expect(await lists({ status: 500, body: { code: 'internal', message: 'Out of memory' } })).toMatch(
      /answered 500: Out of memory \(internal\)$/,
    )
  })
})

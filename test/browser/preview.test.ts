import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type HttpServer, startHttpServer } from '../support/http-server.ts'
import { inChromium } from './in-chromium.ts'
import { signIn } from './pages.ts'

const SLUG = 'hostile'

inChromium('hostile content', (world) => {
  let page: Page
  let stranger: HttpServer
  let asked: string[]
  let site: string

  beforeAll(async () => {
    site = `/sites/${world.service.demo.siteId}`
    stranger = await startHttpServer((request, response) => {
      asked.push(request.url!)
      response.end('stranger')
    })
    await put(stranger.url)
    page = await world.browser.newPage({ baseURL: world.service.origin })
    page.on('dialog', (dialog) => {
      asked.push(`dialog ${dialog.message()}`)
      void dialog.dismiss()
    })
    await signIn(page, world.service)
  })
  afterAll(() => stranger?.close())

  async function put(evil: string) {
    const contentHtml = `
      <base href="${evil}/base/" target="_top">
      <meta http-equiv="refresh" content="0;url=${evil}/refresh">
      <meta http-equiv="Content-Security-Policy" content="script-src *">
      <link rel="stylesheet" href="${evil}/style.css"><style>p { display: none }</style>
      <script>document.title = 'owned'; fetch('${evil}/inline'); alert('inline'); top.location = '${evil}/top'</script>
      <script src="${evil}/script.js"></script>
      <img src="nowhere" alt="" onerror="document.title = 'owned'; fetch('${evil}/onerror'); alert('onerror')">
      <svg onload="alert('onload')"><script>alert('svg')</script></svg>
      <iframe src="${evil}/frame" srcdoc="<script>alert('frame')</script>"></iframe>
      <object data="${evil}/object"></object><embed src="${evil}/embed">
      <video src="${evil}/video" autoplay></video>
      <p style="color: red">Harmless words</p>
      <a id="script" href="javascript:document.title='owned';alert('link')">Run</a>
      <a id="top" href="${evil}/link" target="_top">Leave</a>
      <a id="self" href="${evil}/self">Leave</a>
      <form id="form" action="${evil}/form" target="_top"><button name="sent" value="1">Send</button></form>
      <form action="/console/sign-out" method="post"><button id="sign-out">Sign out</button></form>`
    await world.manage('PUT', `${site}/posts/${SLUG}`, { title: 'Hostile', contentHtml })
  }

  const ways = ['on the page of the post', 'on its own page', 'behind a link']

  async function makeLink(): Promise<string> {
    const links = `${site}/posts/${SLUG}/preview-links`
    const { token } = await world.manage<{ token: string }>('POST', links, {})
    return `/drafts/${token}`
  }

  it.each(ways)('does nothing %s', async (way) => {
    asked = []
    const post = `/console${site}/content/posts/${SLUG}`
    const isRead = way === ways[0]
    const url = isRead ? post : way === ways[1] ? `${post}/preview` : await makeLink()
    await page.goto(url)
    const preview = page.mainFrame()
    // Its styles do not apply either.
    await preview.getByText('Harmless words').first().waitFor({ state: 'visible' })
    // Opened on its own, the preview is the whole page, so a clicked link navigates as on any page. On the page of the post, which
    // has none of its ids, forms and frames, links open in another tab.
    const targets = isRead ? [] : ['#script', '#self', '#form button', '#sign-out']
    for (const target of targets) await preview.locator(target).click()
    await page.waitForTimeout(1_000)
    expect(asked).toEqual([])
    expect(new URL(page.url()).pathname).toBe(url)
    await expect.poll(() => page.title()).toMatch(/^Hostile/)
    expect(page.context().pages()).toHaveLength(1)
    await preview.getByText('Harmless words').first().waitFor({ state: 'visible' })
    await page.goto('/console/sites')
    await page.getByRole('heading', { name: 'Sites' }).waitFor()
  })

  it('loads images from the site, however their URLs are written', async () => {
    const images =
      '<img src="/a.png"><img src="b.png"><picture><source srcset="../c.png"><img src="/d.png"></picture>'
    await world.manage('PUT', `${site}/posts/images`, { title: 'Images', contentHtml: images })
    const { domain } = await world.manage<{ domain: string }>('GET', site)
    const loaded: string[] = []
    await page.route(`https://${domain}/**`, (route) => {
      loaded.push(new URL(route.request().url()).pathname)
      return route.abort()
    })
    await page.goto(`/console${site}/content/posts/images/preview`)
    await expect.poll(() => [...loaded].sort()).toEqual(['/a.png', '/blog/b.png', '/c.png'])
    await page.unroute(`https://${domain}/**`)
  })

  it('cannot be framed by another host, and console pages cannot be framed at all', async () => {
    const post = `/console${site}/content/posts/${SLUG}`
    const other = await world.browser.newPage()
    await other.goto(stranger.url.replace('127.0.0.1', 'localhost'))
    for (const path of [`${post}/preview`, post, await makeLink()]) {
      await other.setContent(`<iframe src="${world.service.origin}${path}"></iframe>`)
      await other.waitForTimeout(500)
      expect(await other.frameLocator('iframe').getByText('Harmless words').count()).toBe(0)
    }
    await other.close()
  })
})

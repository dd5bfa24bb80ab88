/** Hostile articles and images. */
import { expect, it } from 'vitest'
import type { Stage } from './stage.ts'

export function hostileArticles(on: Stage): void {
  it('does not run hostile content', async () => {
    const { site } = await on.connected({ status: 'publish' })
    const title = `<script>alert(1)</script> '); DROP TABLE wp_posts; -- " \\ %s $1 <b>`
    const contentHtml = [
      `<p onclick="alert(2)">a</p><script>alert(3)</script><a href="javascript:alert(4)">b</a><a href="java&#x0A;script:alert(5)">c</a>`,
      `<img src="x" onerror="alert(6)"><iframe src="https://evil.example"></iframe><svg onload="alert(7)"></svg><style>p{}</style>`,
      `<!-- wp:shortcode -->[gallery]<!-- /wp:shortcode --><!-- /wp:html --><!-- wp:latest-posts /--><!-<!-- x -->- wp:archives /-->`,
      `<a title="[embed]https://evil.example[/embed]" href="data:text/html,x">d</a>O:8:"stdClass":0:{}<p>the end</p>`,
    ].join('')
    await on.put(site, 'hostile', {
      ...{ title, contentHtml, excerpt: title, status: 'published', seo: { metaDescription: title } },
      ...{
        tags: [`<img src=x onerror=alert(8)> tag'`, 'O:8:"stdClass":0:{}'],
        categories: [`cat <script>alert(9)</script>`],
      },
      authors: [{ name: "' OR 1=1 -- *" }],
      canonicalUrl: 'https://quay.example/?a=<script>',
    })
    expect(await on.quay.follow()).toMatchObject({ counts: { made: 1 } })
    const post = (await on.quay.post('hostile'))!
    expect(post.title).toBe(title.replaceAll('<', '&lt;').replaceAll('>', '&gt;'))
    expect(post).toMatchObject({ author: 'admin' })
    expect(post.body.match(/<!--.*?-->/g)).toEqual(['<!-- wp:html -->', '<!-- /wp:html -->'])
    expect(post.body).toContain('<p>the end</p>')
    expect(post.body).not.toMatch(/script|onclick|onerror|onload|iframe|svg|<style|data:|\[/)
    const cookie = await on.quay.signIn('admin')
    on.quay.answer(() => ({ status: 401, body: JSON.stringify({ error: title }) }))
    await on.quay.follow()
    on.quay.answer(() => undefined)
    const own = ['headless-content', 'headless-content-log'].map((page) => `/wp-admin/admin.php?page=${page}`)
    const pages = ['/hostile/', '/wp-admin/edit.php', ...own]
    for (const path of pages) {
      const page = await (await fetch(on.quay.url + path, { headers: { Cookie: cookie } })).text()
      expect(page, path).toContain('alert(1)')
      expect(page, path).not.toMatch(/<script>alert|<img src=x|<b>/)
    }
    // Written once: WordPress' changes to the text do not count as an edit.
    await on.put(site, 'hostile', { title: 'Harmless', contentHtml, status: 'published' })
    expect((await on.quay.follow()).counts).toEqual({ updated: 1 })
  })

  it('downloads no image from private addresses, and no other files, and creates the post without them', async () => {
    const { site } = await on.connected()
    const wordpress = new URL(on.quay.url).port
    const images: [url: string, refusal: RegExp][] = [
      [`http://127.0.0.1:${wordpress}/wp-includes/images/media/default.png`, /127\.0\.0\.1 is not public/],
      ['http://169.254.169.254/latest/meta-data/', /169\.254\.169\.254 is not public/],
      ['http://2852039166/latest/', /not public|no address/],
      ['http://[::1]/a.png', /not public/],
      ['http://[::ffff:169.254.169.254]/a.png', /not public/],
      ['http://localhost/a.png', /not public/],
      ['http://10.0.0.1/a.png', /not public/],
      ['http://100.64.0.1/a.png', /not public/],
      ['http://user:password@93.184.216.34/a.png', /not public/],
      ['https://93.184.216.34:6379/a.png', /port/],
      ['/relative.png', /not one of http/],
      [`${on.quay.images.url}/to-metadata.png`, /169\.254\.169\.254 is not public/],
      [`${on.quay.images.url}/circle.png`, /redirects more than 3 times/],
      [`${on.quay.images.url}/huge.png`, /30000 × 30000 pixels/],
      [`${on.quay.images.url}/heavy.png`, /larger than 20 MB/],
      [`${on.quay.images.url}/drawing.svg`, /not a JPEG/],
      [`${on.quay.images.url}/page.php`, /not a JPEG/],
      [`${on.quay.images.url}/none.png`, /answered 404/],
    ]
    for (const [at, [url]] of images.entries()) await on.putReady(site, `image-${at}`, { image: { url } })
    while ((await on.quay.follow()).more);
    const log = await on.quay.log()
    for (const [at, [url, refusal]] of images.entries()) {
      const line = log.find(({ slug }) => slug === `image-${at}`)
      expect([url, line?.what, line?.why]).toEqual([url, 'made', expect.stringMatching(refusal)])
    }
    expect((await on.quay.posts()).every(({ image, status }) => image === null && status === 'draft')).toBe(
      true,
    )
    expect(
      await on.quay.run('return count(get_posts(["post_type" => "attachment", "post_status" => "any"]));'),
    ).toBe(0)
    // The file extension matches the content.
    await on.putReady(site, 'misnamed', { image: { url: `${on.quay.images.url}/shell.php?x=.png` } })
    await on.quay.follow()
    expect((await on.quay.post('misnamed'))!.image).toBe('shell.png')
  })

  it('retries an image that was unavailable for a while', async () => {
    const { site } = await on.connected()
    on.quay.images.fail(1)
    await on.putReady(site, 'later', { image: { url: `${on.quay.images.url}/later.png` } })
    await on.quay.follow()
    expect(await on.why('made')).toEqual(['without its image: its server answered 503; tried again later'])
    await on.quay.run(`
      $state = HeadlessContent\\feed_state();
      foreach ($state['again'] as &$each) $each['at'] = 0;
      HeadlessContent\\write_option(HeadlessContent\\FEED, $state);`)
    await on.quay.follow()
    expect((await on.quay.post('later'))!.image).toBe('later.png')
  })
}

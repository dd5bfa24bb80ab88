/** Articles and images that hide text from the plugin which WordPress itself would run, fetch or trust. */
import { expect, it } from 'vitest'
import type { Stage } from './stage.ts'

export function smuggled(on: Stage): void {
  it('finds blocks in a body that are hidden by control characters or tags', async () => {
    const { site } = await on.connected({ status: 'publish' })
    const rss = (name: string) => `wp:rss {"feedURL":"${on.quay.images.url}/fetched-${name}"} /-->`
    const bodies = [
      `<!\u0001-- ${rss('a')}`,
      `<\u0008!-\u001f- ${rss('b')}`,
      `<!\u000b-- /wp:html --><!\u000c-- ${rss('c')}`,
      `<!\u007f-- ${rss('d')}`,
      `<!-<object>- ${rss('e')}`,
      `<object><!-</object>- ${rss('f')}`,
      `<!-<!\u0001-- x -->- ${rss('g')}`,
      `&lt;!-- ${rss('h')}`,
      `\\<!\\-- ${rss('i')}`,
      `<!--<!\u0002-- x --\u0001> ${rss('j')}`,
    ]
    for (const [at, contentHtml] of bodies.entries())
      await on.put(site, `hidden-${at}`, { contentHtml: `<p>a</p>${contentHtml}`, status: 'published' })
    await on.quay.follow()
    for (const [at, body] of bodies.entries()) {
      const post = (await on.quay.post(`hidden-${at}`))!
      expect([body, post.body.match(/<!--/g)?.length]).toEqual([body, 2])
      await fetch(`${on.quay.url}/hidden-${at}/`)
    }
    expect([...on.quay.images.asked.keys()]).toEqual([])
    // Random combinations of parts of such bodies, saved as WordPress saves them.
    const found = await on.quay.run<string[]>(`
      mt_srand(7);
      $pieces = ['<', '!', '-', '--', '<!--', '-->', '>', '/', "\\x01", "\\x00", "\\x7f", "\\xc2", "\\xef\\xbb\\xbf", '<b>', '</b>', '<object>', '\\\\', '\\\\0', '"',
        '&lt;', '&#60;', '&', ';', "\\n", ' ', ' wp:rss ', '/wp:html', '<script>', '</script>', '<a title="', '<![CDATA[', ']]>', '<?', '?>', '<!-'];
      $found = [];
      for ($round = 0; $round < 5000; $round++) {
        $html = 'a';
        for ($length = mt_rand(2, 14); $length > 0; $length--) $html .= $pieces[mt_rand(0, count($pieces) - 1)];
        $body = HeadlessContent\\safe_body(HeadlessContent\\text(['html' => $html], 'html'));
        $saved = wp_unslash(wp_filter_post_kses(wp_slash($body)));
        if ($body !== '' && (substr_count($body, '<!--') !== 2 || substr_count($saved, '<!--') !== 2)) $found[] = base64_encode($html);
      }
      return $found;`)
    expect(found.map((html) => Buffer.from(html, 'base64').toString('latin1'))).toEqual([])
  })

  it('takes only the alternative text of an image, without tags', async () => {
    const { site } = await on.connected()
    const image = (name: string, alt?: string) => ({ image: { url: `${on.quay.images.url}/${name}`, alt } })
    await on.putReady(site, 'scripted', image('scripted.png', `<script>alert(1)</script>A \\ "boat"`))
    await on.putReady(site, 'captioned', image('captioned.jpg'))
    await on.quay.follow()
    const texts = await on.quay.run<string[][]>(`
      return array_map(fn ($image) => [$image->post_title, $image->post_content, $image->post_excerpt],
        get_posts(['post_type' => 'attachment', 'post_status' => 'any', 'order' => 'ASC', 'orderby' => 'ID']));`)
    expect(texts).toEqual([
      ['A \\ "boat"', '', ''],
      ['', '', ''],
    ])
  })

  it('shows a URL on its own line as text, and fetches nothing from it', async () => {
    const { site } = await on.connected({ status: 'publish' })
    const url = (name: string) => `${on.quay.images.url}/${name}?a=b`
    const contentHtml = [
      `${url('first')}\n<p>a</p>\n ${url('line')} \n<p class="x"> ${url('paragraph')} </p><p>c\n${url('within')}\n`,
      `http&#58;//${url('entity').slice(7)}\n</p><p>\n\thttps://www.youtube.com/watch?v=dQw4w9WgXcQ</p>`,
      `<a href="${url('link')}" title="\n${url('title')}\n">d</a>\n${url('last').toUpperCase()}`,
    ].join('')
    await on.put(site, 'embedding', { contentHtml, status: 'published' })
    await on.quay.follow()
    on.quay.images.asked.clear()
    const page = await (await fetch(`${on.quay.url}/embedding/`)).text()
    expect([...on.quay.images.asked.keys()]).toEqual([])
    expect(page).not.toMatch(/<iframe|<blockquote/)
    const shown = page.replaceAll('&#058;', ':').replaceAll('&#58;', ':')
    for (const name of ['first', 'line', 'paragraph', 'within', 'entity']) expect(shown).toContain(url(name))
    expect(page).toContain(`href="${url('link')}"`)
    await on.put(site, 'embedding', { title: 'Again', contentHtml, status: 'published' })
    expect((await on.quay.follow()).counts).toEqual({ updated: 1 })
  })

  it("assigns a post to no user who chose the author's name, unless they may edit others' posts anyway", async () => {
    const { site } = await on.connected()
    const contributor = await on.quay.run<number>(`
      return wp_insert_user(['user_login' => 'carl', 'user_pass' => 'the-password', 'display_name' => 'Famous Author', 'role' => 'contributor']);`)
    await on.putReady(site, 'of-carl', { authors: [{ name: 'Famous Author' }] })
    await on.quay.follow()
    expect(await on.quay.post('of-carl')).toMatchObject({ author: 'admin' })
    await on.quay.run(
      `return wp_update_user(['ID' => ${contributor}, 'display_name' => "Ann O'Hara & Söhne"]);`,
    )
    await on.putReady(site, 'of-ann', { authors: [{ name: "Ann O'Hara & Söhne" }] })
    await on.quay.follow()
    expect(await on.quay.post('of-ann')).toMatchObject({ author: 'ann' })
    await on.quay.run(`return wp_delete_user(${contributor});`)
  })

  it('reports a deletion with an invalid id once', async () => {
    const { site } = await on.connected()
    await on.quay.follow()
    const { cursor } = await on.quay.state()
    const change = {
      resource: 'post',
      type: 'delete',
      id: 'none',
      slug: 'x',
      updatedAt: '2026-01-01T00:00:00.000Z',
    }
    const body = JSON.stringify({ items: [change], cursor, hasMore: false })
    let answers = 1
    on.quay.answer(() => (answers-- > 0 ? { status: 200, body } : undefined))
    await on.putReady(site, 'after')
    for (let run = 0; run < 3; run++) await on.quay.follow()
    expect(await on.why('failed')).toEqual(['the content API gave an article without an id'])
    expect((await on.quay.state()).deleted).toEqual([])
    expect(await on.quay.post('after')).toMatchObject({ status: 'draft' })
  })

  it.each([
    ['WPSEO_VERSION', '_yoast_wpseo_metadesc'],
    ['RANK_MATH_VERSION', 'rank_math_description'],
  ])('leaves no variable in a description where %s is', async (constant, meta) => {
    const { site } = await on.connected()
    const follow = () =>
      on.quay.run<{ counts: object }>(
        `define('${constant}', '1'); return HeadlessContent\\follow_feed(true);`,
      )
    const metaDescription = '5 % of %%cf_secret%% %sitename% %customfield(a b)% in 10 % or 100%'
    await on.putReady(site, 'variables', { seo: { metaDescription } })
    await follow()
    const description = (await on.quay.post('variables'))!.metas[meta]!
    expect(description.replaceAll('％', '%')).toBe(metaDescription)
    expect(description).not.toMatch(/%%|%\S+%|%[\w-]+\(/)
    expect(description).toMatch(/^5 % of .* in 10 % or 100%$/)
    await on.putReady(site, 'variables', { title: 'Again', seo: { metaDescription } })
    expect((await follow()).counts).toEqual({ updated: 1 })
  })
}

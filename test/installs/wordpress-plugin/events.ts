/** Outcomes of events: genuine, forged, duplicate, late and lost ones. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { signatureHeaders } from '../../../src/webhooks/signature.ts'
import { malformedForms, signed } from '../../support/forged-events.ts'
import { eventually } from '../../support/webhook.ts'
import type { Stage } from './stage.ts'

const encoder = new TextEncoder()

export function events(on: Stage): void {
  it('creates a draft from a ready article soon after its event, with every field', async () => {
    const { site } = await on.connected({}, true)
    const image = { url: `${on.quay.images.url}/a%20boat.jpeg?v=1`, alt: 'A "red" boat' }
    await on.put(site, 'on-image', { image })
    const started = Date.now()
    await on.putReady(site, 'first', {
      title: 'Tom & "Jerry" <em>sail</em>',
      contentHtml: '<h2 id="a">A</h2>\n<p>One\ntwo [gallery] <a href="https://tide.example/">tide</a></p>',
      excerpt: 'Less < more',
      tags: ['rope', 'C & A', '2024'],
      categories: ['Boats', 'Quay news'],
      authors: [{ name: "Ann O'Hara & Söhne" }],
      ...{ image, canonicalUrl: 'https://quay.example/first', seo: { metaDescription: 'Of a "cat"' } },
    })
    const post = await on.untilThere('first')
    process.stderr.write(`a draft ${Date.now() - started} ms after it was put\n`)
    expect(post).toMatchObject({
      title: 'Tom &amp; "Jerry" &lt;em&gt;sail&lt;/em&gt;',
      body: '<!-- wp:html -->\n<h2 id="a">A</h2>\n<p>One\ntwo &#091;gallery] <a href="https://tide.example/">tide</a></p>\n<!-- /wp:html -->',
      ...{ excerpt: 'Less &lt; more', author: 'ann', image: 'a-boat.png', alt: 'A "red" boat' },
      ...{ tags: ['2024', 'C & A', 'rope'], categories: ['Boats', 'Quay news'] },
    })
    expect(post.metas).toMatchObject({
      _headless_content_description: 'Of a "cat"',
      _headless_content_canonical: 'https://quay.example/first',
    })
    await on.markReady(site, 'on-image')
    const other = await on.untilThere('on-image')
    expect(other.metas._thumbnail_id).toBe(post.metas._thumbnail_id)
    expect([...on.quay.images.asked.values()]).toEqual([1])
    expect(other.categories).toEqual(['Uncategorized'])
  })

  it('prints description and canonical URL on its page, or leaves them to Yoast SEO and Rank Math', async () => {
    const { site } = await on.connected({ status: 'publish' })
    const fields = {
      canonicalUrl: 'https://quay.example/"b"',
      seo: { metaDescription: '"><script>x</script>' },
    }
    await on.put(site, 'shown', fields)
    await on.service.manage('PUT', `${site.path}/posts/shown/publication`)
    await on.quay.follow()
    const page = await (await fetch(`${on.quay.url}/shown/`)).text()
    expect(page).toContain('<meta name="description" content="&quot;&gt;&lt;script&gt;x&lt;/script&gt;">')
    expect(page).toContain('<link rel="canonical" href="https://quay.example/')
    expect(page).not.toContain('<script>x')
    for (const [constant, description, canonical] of [
      ['WPSEO_VERSION', '_yoast_wpseo_metadesc', '_yoast_wpseo_canonical'],
      ['RANK_MATH_VERSION', 'rank_math_description', 'rank_math_canonical_url'],
    ] as const) {
      await on.putReady(site, `with-${canonical.slice(0, 5)}`, {
        ...fields,
        seo: { metaDescription: `For ${constant}` },
      })
      await on.quay.run(`define('${constant}', '1'); return HeadlessContent\\follow_feed(true);`)
      const posts = await on.quay.posts()
      expect(posts.at(-1)!.metas).toMatchObject({ [description]: `For ${constant}` })
      expect(posts.at(-1)!.metas[canonical]).toMatch(/^https:\/\/quay\.example/)
    }
    // A post written before SEO plugins were installed does not count as edited.
    await on.put(site, 'shown', { ...fields, title: 'Again', status: 'published' })
    await on.quay.run(`define('WPSEO_VERSION', '1'); return HeadlessContent\\follow_feed(true);`)
    expect(await on.quay.post('shown')).toMatchObject({ title: 'Again' })
  })

  it('refuses forged, old and malformed events without any effect', async () => {
    const { site, secret } = await on.connected({}, true)
    on.quay.asked()
    const to = `${on.quay.url}/wp-json/headless-content/v1/events`
    const send = async (headers: Record<string, string>, body: string) =>
      (await fetch(to, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body }))
        .status
    const body = JSON.stringify({ event: 'article.ready', siteId: site.id, slug: 'forged' })
    const now = String(Math.floor(Date.now() / 1_000))
    const standard = async (fields: { at?: Date; secret?: string }, previousSecret: string | null = null) =>
      signatureHeaders({
        ...{ id: 'an-id', at: new Date(), secret, ...fields, previousSecret },
        body: encoder.encode(body),
      })
    const right = signed(secret, 'an-id', now, body)
    const refused: [Record<string, string>, string][] = [
      [right, body.replace('forged', 'six')],
      [right, ''],
      [{ ...right, 'webhook-id': 'another' }, body],
      [{ ...right, 'webhook-timestamp': String(Number(now) + 1) }, body],
      [{ ...right, 'webhook-signature': `v1,${btoa('x'.repeat(32))}` }, body],
      [{ ...right, 'webhook-signature': 'v1,ü \u00ff' }, body],
      [{}, body],
      [await standard({ secret: `whsec_${btoa('y'.repeat(32))}` }), body],
      [await standard({ at: new Date(Date.now() - 600_000) }), body],
      [await standard({ at: new Date(Date.now() + 600_000) }), body],
      ...malformedForms(now).map(([id, at]): [Record<string, string>, string] => [
        signed(secret, id, at, body),
        body,
      ]),
    ]
    for (const [headers, sent] of refused)
      expect([headers, await send(headers, sent)]).toEqual([headers, 401])
    const whole = `an-id.${now}.${body}`
    const dots = [...whole.matchAll(/\./g)].map(({ index }) => index)
    for (const second of dots.slice(2)) {
      const moved = {
        'webhook-id': whole.slice(0, dots[1]),
        'webhook-timestamp': whole.slice(dots[1]! + 1, second),
      }
      const headers = { ...right, ...moved, 'Content-Type': 'text/plain' }
      expect(await send(headers, whole.slice(second + 1))).toBe(401)
    }
    expect(await send(right, 'x'.repeat(1_100_000))).toBe(400)
    expect(await send({ ...right, 'Content-Type': 'text/plain' }, 'x'.repeat(1_100_000))).toBe(413)
    expect(await on.quay.log()).toEqual([])
    const ofAnother = body.replace(site.id, crypto.randomUUID())
    expect(await send(signed(secret, 'b', now, ofAnother), ofAnother)).toBe(204)
    expect(await on.why('event ignored')).toEqual(['it is of another site'])
    expect(on.quay.asked()).toEqual([])
    expect(await send(await standard({ secret: `whsec_${btoa('z'.repeat(32))}` }, secret), body)).toBe(204)
    expect(
      await on.quay.run(
        'return HeadlessContent\\signing_key("") . HeadlessContent\\signing_key("whsec_AA==");',
      ),
    ).toBe('')
    await on.quay.run(
      `update_option('headless_content_settings', ['webhook_secret' => ''] + get_option('headless_content_settings'));`,
    )
    expect(await send(signed('whsec_', 'a', now, body), body)).toBe(500)
  })

  it('creates one post from a repeated event, and one from a lost event', async () => {
    const { site, secret } = await on.connected({}, true)
    const { eventId } = await on.putReady(site, 'twice')
    await on.untilThere('twice')
    const sent = await Promise.all(
      Array.from({ length: 8 }, () =>
        on.service.manage('POST', `${site.path}/events/${eventId}/resends`).catch(() => null),
      ),
    )
    expect(sent.filter((delivery) => delivery?.status === 204).length).toBeGreaterThan(0)
    await on.service.manage('PUT', `${site.path}/webhook`, { url: 'http://127.0.0.1:9/' })
    await on.putReady(site, 'lost')
    await sleep(500)
    expect(await on.quay.post('lost')).toBeUndefined()
    expect(await on.quay.follow()).toEqual({ counts: { made: 1 }, problem: '', more: false })
    expect(await on.quay.follow()).toEqual({ counts: {}, problem: '', more: false })
    // The feed costs nothing the second time.
    on.quay.asked()
    await on.quay.follow()
    expect(
      await on.quay.run(
        'return HeadlessContent\\ask_service("/changes", HeadlessContent\\query_of($s = HeadlessContent\\feed_state()), $s["etag"])["status"];',
      ),
    ).toBe(304)
    // The event of a post that was deleted meanwhile.
    await on.service.manage('DELETE', `${site.path}/posts/lost`)
    const now = String(Math.floor(Date.now() / 1_000))
    const late = JSON.stringify({ event: 'article.ready', siteId: site.id, slug: 'lost' })
    const to = `${on.quay.url}/wp-json/headless-content/v1/events`
    await fetch(to, { method: 'POST', headers: signed(secret, 'late', now, late), body: late })
    await eventually(async () => ((await on.why('put into the bin')).length > 0 ? true : null))
    expect((await on.quay.posts()).map(({ slug, status }) => [slug, status])).toEqual([
      ['twice', 'draft'],
      ['lost__trashed', 'trash'],
    ])
  })
}

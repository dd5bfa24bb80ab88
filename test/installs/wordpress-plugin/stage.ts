/** The service with a WordPress for all tests, and common steps. */

import { type Service, startService } from '../../support/service.ts'
import { eventually } from '../../support/webhook.ts'
import { php, type Site, startQuay } from './quay.ts'

type Fields = Record<string, unknown>

export type Stage = ReturnType<typeof stage>

/** Call `open` before the other functions. */
export function stage() {
  let service: Service
  let quay: Awaited<ReturnType<typeof startQuay>>

  const put = (site: Site, slug: string, fields: Fields = {}) =>
    service.manage('PUT', `${site.path}/posts/${slug}`, {
      ...{ title: `Title of ${slug}`, contentHtml: `<p>Body of ${slug}.</p>`, qualityBand: 'standard' },
      ...fields,
    })
  const markReady = (site: Site, slug: string) =>
    service.manage<{ eventId: string }>('PUT', `${site.path}/posts/${slug}/readiness`)

  async function putReady(site: Site, slug: string, fields: Fields = {}) {
    await put(site, slug, fields)
    return markReady(site, slug)
  }

  /** A site that the WordPress follows, and the webhook's secret. */
  async function connected(settings: Fields = {}, hasWebhook = false) {
    const site = await service.makeSite()
    return { site, secret: await quay.connect(site, settings, hasWebhook) }
  }

  const untilThere = (slug: string, status = 'draft') =>
    eventually(async () => {
      const post = await quay.post(slug)
      return post?.status === status ? post : null
    })

  const edit = (id: number, columns: Fields) =>
    quay.run(`return wp_update_post(wp_slash(['ID' => ${id}] + ${php(columns)}));`)

  const why = async (what: string) =>
    (await quay.log()).filter((line) => line.what === what).map((line) => line.why)

  /** Answers the notice of a post as a user would. */
  async function answerNotice(id: number, answer: 'take' | 'keep', user = 'admin') {
    const cookie = await quay.signIn(user)
    const page = await (await fetch(`${quay.url}/wp-admin/edit.php`, { headers: { Cookie: cookie } })).text()
    const form = page.split('<form').find((each) => each.includes(`name="post" value="${id}"`)) ?? ''
    const value = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(form)?.[1] ?? ''
    const fields = { post: String(id), version: value('version'), _wpnonce: value('_wpnonce') }
    const response = await fetch(`${quay.url}/wp-admin/admin-post.php`, {
      ...{
        method: 'POST',
        redirect: 'manual',
        headers: { Cookie: cookie, Referer: `${quay.url}/wp-admin/edit.php` },
      },
      body: new URLSearchParams({ action: 'headless_content_answer', answer, ...fields }),
    })
    return { form, status: response.status }
  }

  return {
    get service() {
      return service
    },
    get quay() {
      return quay
    },
    async open() {
      service = await startService()
      quay = await startQuay(service)
    },
    async close() {
      await quay?.stop()
      await service?.stop()
    },
    ...{ put, markReady, putReady, connected, untilThere, edit, why, answerNotice },
  }
}

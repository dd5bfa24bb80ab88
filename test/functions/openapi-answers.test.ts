import { describe, expect, it } from 'vitest'
import { formatChangeCursor } from '../../src/changes.ts'
import { getSiteScope } from '../../src/sites.ts'
import { putGuide } from '../support/content.ts'
import { testContext } from '../support/context.ts'
import { bodyFaults, operationsOf, readDocument } from '../support/openapi.ts'
import { call, makeSite, post, type TestSite } from '../support/site.ts'
import { setWebhook } from '../support/webhook.ts'
import { BROKEN_DATABASE, callIn } from '../support/world.ts'

/** Requests for every answer of each operation; `site` has content and a webhook. */
const ANSWERS: Record<string, (site: TestSite) => Promise<Response>[]> = {
  listPosts: (site) => [
    site.get('/posts'),
    site.get('/posts?page=9'),
    ...refusalsOf(site, '/posts', '/posts?page=0'),
    exhausted('/posts'),
  ],
  getPost: (site) => [
    site.get('/posts/full?include=provenance'),
    site.get('/posts/bare'),
    site.get('/posts/missing'),
    ...refusalsOf(site, '/posts/full', '/posts/full?include=a&include=b'),
    exhausted('/posts/full'),
  ],
  getGuide: (site) => [site.get('/guides/a'), site.get('/guides/b'), ...refusalsOf(site, '/guides/a')],
  getSitemap: (site) => [
    site.get('/sitemap.xml'),
    site.get('/sitemap.xml?page=9'),
    ...refusalsOf(site, '/sitemap.xml', '/sitemap.xml?page=0'),
    exhausted('/sitemap.xml'),
  ],
  listChanges: (site) => [
    site.get('/changes?include=content'),
    expiredCursor(site).then((cursor) => site.get(`/changes?cursor=${cursor}`)),
    ...refusalsOf(site, '/changes', '/changes?cursor=x'),
    exhausted('/changes'),
  ],
  exportTraining: (site) => [
    site.get('/training/export'),
    makeSite().then((other) => other.get('/training/export')),
    ...refusalsOf(site, '/training/export', '/training/export?after=x').filter((_, at) => at !== 1),
  ],
  testWebhook: (site) => [
    call('/api/v1/webhooks/test', { method: 'POST', key: site.key }),
    makeSite().then(({ key }) => call('/api/v1/webhooks/test', { method: 'POST', key })),
    tooManyTests(),
    call('/api/v1/webhooks/test', { method: 'POST' }),
    callIn(BROKEN_DATABASE, '/api/v1/webhooks/test', { method: 'POST', key: site.key }),
  ],
}

/** 401, 304, 500 and, if the operation has query parameters, 400. */
function refusalsOf(site: TestSite, below: string, invalid?: string): Promise<Response>[] {
  return [
    site.get(below, { key: null }),
    site.get(below, { headers: { 'If-None-Match': '*' } }),
    callIn(BROKEN_DATABASE, `/api/v1${site.path}${below}`, { key: site.key }),
    ...(invalid ? [site.get(invalid)] : []),
  ]
}

async function exhausted(below: string): Promise<Response> {
  const site = await makeSite({ dailyQuota: 1 })
  await site.get('/posts')
  return site.get(below)
}

async function tooManyTests(): Promise<Response> {
  const site = await makeSite()
  await setWebhook(site, 'ok')
  for (;;) {
    const answer = await call('/api/v1/webhooks/test', { method: 'POST', key: site.key })
    if (answer.status !== 200) return answer
    await answer.body?.cancel()
  }
}

async function expiredCursor(site: TestSite): Promise<string> {
  const longAgo = Date.now() - 91 * 86_400_000
  return formatChangeCursor(await getSiteScope(testContext(), site.id), {
    sequence: longAgo,
    caughtUp: longAgo,
  })
}

async function siteWithEverything() {
  const site = await makeSite({ trainingOptIn: true })
  await site.put('bare', { contentHtml: '' })
  const faqJsonLd = { '@type': 'FAQPage', mainEntity: [{ deep: [1, null, true] }] }
  await site.put('full', {
    ...post({ status: 'published', language: 'de', sourceSlug: 'bare', trustScore: 90, faqJsonLd }),
    ...{ assuranceLabel: 'Checked', reviewStatus: 'approved', aiGenerated: true, readingTimeMinutes: 3 },
    seo: { metaDescription: 'M', ogTitle: 'T', ogDescription: 'D', keywords: ['k'] },
    provenance: { sources: [{ url: 'https://a.example', title: 'A', claims: ['c'] }], generatedBy: 'w' },
  })
  await putGuide(site, 'a')
  const row = { prompt: 'P', completion: 'C', postSlug: 'full', language: 'de', qualityBand: 'review' }
  await site.manage('POST', '/training-rows', { rows: Array(500).fill(row) })
  await site.manage('POST', '/training-rows', { rows: [{ prompt: 'P', completion: 'C' }] })
  await setWebhook(site, 'ok')
  return site
}

const names = (headers: Iterable<string>) => [...headers].map((name) => name.toLowerCase()).sort()

/** Content-Type is described with the content. */
const isTold = (name: string) => !/^content-(type|length)$/.test(name)

describe.each(Object.keys(ANSWERS))('the description of %s', (operationId) => {
  it('has every status, header and body that occurs, and no other status', async () => {
    const document = await readDocument('/api/v1')
    const operation = operationsOf(document).find((each) => each.operationId === operationId)!
    const responses = await Promise.all(ANSWERS[operationId]!(await siteWithEverything()))
    const seen = new Set(responses.map(({ status }) => String(status)))
    expect([...seen].sort()).toEqual(Object.keys(operation.responses).sort())
    for (const response of responses) {
      const described = operation.responses[response.status]!
      const told = names(Object.keys(described.headers ?? {}))
      const given = names(response.headers.keys()).filter(isTold)
      expect(given, `${response.status} ${response.url}`).toEqual(told)
      expect(await bodyFaults(response, described, document.components)).toEqual([])
    }
  })
})

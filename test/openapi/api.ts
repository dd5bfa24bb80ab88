/** A request for every answer that `/api/v1` describes. */
import { DRAFT, expiredCursor, UNKNOWN, type Workshop } from './manage.ts'
import type { Ask, World } from './recorder.ts'

const ROOT = '/api/v1'
const SLUG = 'how-to-clean-a-chain'
const MISSING = 'a-post-that-nobody-wrote'

/** 200, and 304, 403, 404 and 410 where they are described. */
export async function recordReads({ service, recorder }: World, { siteId, key }: Workshop) {
  const ask = (operationId: string, options: Ask = {}) =>
    recorder.ask(ROOT, operationId, { key, ...options, params: { siteId, slug: SLUG, ...options.params } })

  await ask('listPosts', { query: '?pageSize=1' })
  await ask('getPost', { query: '?include=provenance,metadata,readiness' })
  await ask('getPost', { params: { slug: MISSING } })
  await ask('getPost', { params: { slug: DRAFT } })
  await ask('listGuides', { query: '?pageSize=1' })
  await ask('getGuide', { params: { slug: 'adjusting-rim-brakes' } })
  await ask('getGuide', { params: { slug: MISSING } })
  await ask('getSitemap')
  await ask('getSitemap', { query: '?page=9' })
  await ask('getSitemap', { key: null, query: `?token=${key}` })
  await ask('listRedirects')
  await ask('listRedirects', { query: '?format=cloudflare' })
  await ask('listRedirects', { query: '?format=nginx' })
  await ask('listChanges', { query: '?limit=1' })
  await ask('listChanges', { query: '?include=content' })
  await ask('listChanges', { query: `?cursor=${await expiredCursor(siteId)}` })
  await ask('exportTraining')
  await ask('testWebhook')
  await ask('testWebhook', { query: `?endpointId=${UNKNOWN}` })

  const headers = { 'If-None-Match': '*' }
  for (const { operationId, responses } of recorder.operations(ROOT)) {
    if (responses['304'])
      await ask(operationId, {
        headers,
        params: { slug: operationId === 'getGuide' ? 'adjusting-rim-brakes' : SLUG },
      })
  }

  const other = await service.makeSite({ trainingOptIn: true })
  const rows = Array(500).fill({ prompt: 'P', completion: 'C' })
  await service.manage('POST', `${other.path}/training-rows`, { rows })
  await service.manage('POST', `${other.path}/training-rows`, { rows: rows.slice(1) })
  await ask('exportTraining', { params: { siteId: other.id }, key: other.key })
}

/** 400, 401, 403, 429 and 500. */
export async function recordApiRefusals({ service, receiver, recorder }: World, { siteId, key }: Workshop) {
  const ask = (operationId: string, options: Ask = {}) =>
    recorder.ask(ROOT, operationId, { key, ...options, params: { siteId, slug: SLUG, ...options.params } })
  const operations = recorder.operations(ROOT)

  const invalid: Record<string, string> = {
    listPosts: '?page=0&status=new',
    getPost: '?include=a&include=b',
    listGuides: '?page=0',
    getSitemap: '?page=0',
    listRedirects: '?format=apache',
    listChanges: '?cursor=x',
    exportTraining: '?after=x',
    testWebhook: '?endpointId=x',
  }
  for (const [operationId, query] of Object.entries(invalid)) await ask(operationId, { query })
  for (const { operationId } of operations) await ask(operationId, { key: null })

  const spent = await service.makeSite({ dailyQuota: 1 })
  const exhausted = { params: { siteId: spent.id }, key: spent.key }
  await fetch(`${service.origin}${ROOT}${spent.path}/posts`, {
    headers: { Authorization: `Bearer ${spent.key}` },
  })
  await ask('exportTraining', exhausted)
  await ask('testWebhook', exhausted)
  for (const { operationId, responses } of operations) {
    if (responses['429'] && operationId !== 'testWebhook') await ask(operationId, exhausted)
  }
  await service.manage('PUT', `${spent.path}/webhook`, { url: `${receiver.url}/${spent.id}/ok` })
  // A minute may end in between, and ten more begin.
  for (let status = 0, tests = 0; status !== 429 && tests <= 20; tests += 1)
    ({ status } = await ask('testWebhook', exhausted))

  const { key: fresh } = await service.manage<{ key: string }>('POST', `/sites/${siteId}/keys`, {
    name: 'New',
  })
  await service.postgres.become('cut')
  for (const { operationId } of operations) await ask(operationId, { key: fresh })
  await service.postgres.become('sound')
}

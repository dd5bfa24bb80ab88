import { expect, it } from 'vitest'
import { makeKey, putGuide } from '../support/content.ts'
import { operationsOf, readDocument } from '../support/openapi.ts'
import { makeSite } from '../support/site.ts'
import { statementsOf } from '../support/sql.ts'

const SLUG = 'a'

const cached = operationsOf(await readDocument('/api/v1')).filter(
  ({ responses }) => responses[200]?.headers?.ETag,
)

async function siteWithVersionsApart() {
  const site = await makeSite({ trainingOptIn: true })
  await site.put(SLUG, { status: 'published' })
  await putGuide(site, SLUG)
  await site.manage('POST', '/training-rows', { rows: [{ prompt: 'P', completion: 'C', optIn: true }] })
  // From here on the version of published content is older than that of all content.
  await site.put('draft')
  const published = await makeKey(site, { access: 'published' })
  return { site, keys: { full: site.key, published: published.key } }
}

it.each(['full', 'published'] as const)(
  'the API caches every read at the version that its statement names, for a key with the access %s',
  async (access) => {
    const { site, keys } = await siteWithVersionsApart()
    const kept: Record<string, string> = {}
    for (const { path, operationId } of cached) {
      const below = path.replace('/sites/{siteId}', '').replace('{slug}', SLUG)
      const ask = async () => {
        const response = await site.get(below, { key: keys[access] })
        await response.text()
        return response
      }
      const { status, headers } = await ask()
      if (status === 401) continue
      const again = await statementsOf(async () => void (await ask()))
      kept[operationId] = `${status} ${headers.get('ETag')?.slice(0, 2)} ${again.length} statements`
    }
    expect(kept).toEqual(Object.fromEntries(Object.keys(kept).map((name) => [name, '200 W/ 0 statements'])))
    expect(Object.keys(kept)).toContain('listPosts')
  },
)

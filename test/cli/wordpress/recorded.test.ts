/** The WordPress that `real.test.ts` recorded: its REST API, its export, and its SQL. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Way } from './real/compare.ts'
import { expectAll, lossesOf, type Site, WAYS } from './real/ways.ts'
import { PASSWORD, startWordPress, USER } from './support/replay.ts'

const recording = (name: string) => readFile(join(import.meta.dirname, 'recordings', name), 'utf8')

async function startRecorded() {
  const wordpress = await startWordPress('quay.ndjson')
  const site: Site = {
    url: wordpress.url,
    user: USER,
    password: PASSWORD,
    exported: () => recording('quay.xml'),
    rows: async () => JSON.parse(await recording('quay-rows.json')),
  }
  return { site, asked: wordpress.asked, [Symbol.asyncDispose]: wordpress[Symbol.asyncDispose] }
}

describe('a recorded WordPress', () => {
  it.each(Object.keys(WAYS) as Way[])('read by %s matches SQL, or differences are named', async (way) => {
    await using recorded = await startRecorded()
    const { site } = recorded
    expectAll(await site.rows(), await WAYS[way](site), way)
  })

  it('has the same posts named by its export and for a user who may edit it', async () => {
    await using recorded = await startRecorded()
    const { site } = recorded
    const [file, live] = [await WAYS.WXR(site), await WAYS['REST, signed in'](site)]
    for (const { title } of await site.rows())
      expect(lossesOf(live, title), title).toEqual(lossesOf(file, title))
  })

  it('gets requests for up to a hundred terms, each term once', async () => {
    await using recorded = await startRecorded()
    const read = await WAYS.REST(recorded.site)
    expect(read.found.find(({ article }) => article.title === 'Sixty tags')?.article.tags).toHaveLength(60)
    expect(recorded.asked.filter((path) => path.includes('/tags?include='))).toHaveLength(1)
  })
})

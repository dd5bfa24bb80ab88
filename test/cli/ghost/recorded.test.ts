/** The Ghost that `real.test.ts` recorded: its export, its redirects, and its Admin API's answers. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { adminJson } from '../support/admin.ts'
import { startManageServer, storingScript } from '../support/manage-server.ts'
import type { Site } from './real/ghost.ts'
import { FOLDER, RECORDED_URL } from './real/record.ts'
import { expectAll, WAYS } from './real/ways.ts'

const recording = (name: string) => readFile(join(FOLDER, name), 'utf8')

const SITE: Site = {
  url: RECORDED_URL,
  rows: async () => JSON.parse(await recording('pier-rows.json')),
  exported: () => recording('pier.json'),
  redirects: () => recording('redirects.json'),
}

it.each(WAYS)(
  'a recorded Ghost whose bodies are read from %s matches its Admin API, or differences are named',
  async (way) => {
    expect(await expectAll(SITE, way)).toContain('title: 43 of 43')
  },
)

it('a recorded Ghost is imported completely: the service refuses none of its posts, pages and redirects', async () => {
  await using server = await startManageServer(storingScript().script)
  const [file, redirects] = [join(FOLDER, 'pier.json'), join(FOLDER, 'redirects.json')]
  const flags = ['--pages', 'guides', '--old-url', RECORDED_URL, '--redirects', redirects]
  const args = ['import', 'ghost', 's1', file, ...flags] as const
  // Only this test applies the service's own rules for articles.
  expect((await adminJson(server.url, ...args, '--dry-run')).json).toMatchObject({ found: 43, skipped: [] })
  const { json } = await adminJson(server.url, ...args)
  expect(json).toMatchObject({ imported: 43, skipped: [], redirects: 46 })
})

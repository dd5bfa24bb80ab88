/** The Ghost of `real.test.ts` as it was recorded: its export, its redirects, and what its Admin API said. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
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
  'a recorded Ghost whose bodies are read from %s is as its Admin API had it, or named',
  async (way) => {
    expect(await expectAll(SITE, way)).toContain('title: 43 of 43')
  },
)

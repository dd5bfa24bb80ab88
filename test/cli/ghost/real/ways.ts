/** The two ways to read the site of content.ts, and the promise of each. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { ghostFile } from '../../../../src/cli/ghost/source.ts'
import { type Read, readAll } from '../../wordpress/support/wxr.ts'
import { compare } from './compare.ts'
import type { Site } from './ghost.ts'

/** Bodies as Ghost rendered them, or from its editor. */
export const WAYS = ['html', 'editor'] as const
type Way = (typeof WAYS)[number]

async function readSite(site: Site, way: Way): Promise<Read> {
  const file = JSON.parse(await site.exported())
  if (way === 'editor') for (const row of file.db[0].data.posts) row.html = null
  const folder = await mkdtemp(join(tmpdir(), 'ghost-export-'))
  try {
    const path = join(folder, 'pier.json')
    await writeFile(path, JSON.stringify(file))
    const options = { name: 'pier.json', pages: 'guides', oldUrl: site.url, defaultLanguage: 'en' } as const
    return await readAll(await ghostFile(path, options))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/**
 * Every field matches the Admin API, or is named.
 * @returns the table of fields
 */
export async function expectAll(site: Site, way: Way): Promise<string[]> {
  const read = await readSite(site, way)
  const { table, differing } = compare(await site.rows(), read)
  expect(differing).toEqual([])
  const published = read.found.filter(({ article }) => article.status === 'published')
  expect(published.length).toBeGreaterThan(30)
  for (const secret of ['sesame', 'Not yet', 'Later']) expect(JSON.stringify(published)).not.toContain(secret)
  return table
}

/** The three ways to read the site of content.php, and the promise of each. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { wordpressFile } from '../../../../src/cli/wordpress/file.ts'
import { type SiteOptions, wordpressSite } from '../../../../src/cli/wordpress/site.ts'
import { lossText, type Read, readAll } from '../support/wxr.ts'
import { compare, type Way } from './compare.ts'
import type { Row } from './wordpress.ts'

/** Small, so that there are several pages. */
const SITE_OPTIONS = { pages: 'guides', defaultLanguage: 'en', pageSize: 10 } as const

export type Site = {
  url: string
  user: string
  password: string
  exported(): Promise<string>
  rows(): Promise<Row[]>
}

export const WAYS: Record<Way, (site: Site, fetch?: SiteOptions['fetch']) => Promise<Read>> = {
  async WXR(site) {
    const folder = await mkdtemp(join(tmpdir(), 'wxr-'))
    try {
      const path = join(folder, 'quay.xml')
      await writeFile(path, await site.exported())
      return await readAll(await wordpressFile(path, SITE_OPTIONS))
    } finally {
      await rm(folder, { recursive: true })
    }
  },
  REST: async (site, fetch) =>
    readAll(await wordpressSite(site.url, { ...SITE_OPTIONS, ...(fetch && { fetch }) })),
  'REST, signed in': async (site, fetch) =>
    readAll(
      await wordpressSite(site.url, {
        ...SITE_OPTIONS,
        ...(fetch && { fetch }),
        env: { WORDPRESS_USER: site.user, WORDPRESS_PASSWORD: site.password },
      }),
    ),
}

/**
 * Every field matches SQL, or its loss is named.
 * @returns the table of fields
 */
export function expectAll(rows: Row[], read: Read, way: Way): string[] {
  const { table, differing } = compare(rows, read, way)
  expect(differing).toEqual([])
  const everything = JSON.stringify(read.found)
  for (const secret of ['4711', 'Not yet to be read', 'In the bin']) expect(everything).not.toContain(secret)
  if (way === 'REST') expect(everything).not.toMatch(/crew|code of the gate|decade|Some day/)
  for (const noise of ['Your berth', 'Look for a berth', 'Monday', 'July 2024'])
    expect(everything).not.toContain(noise)
  const html = (title: string) =>
    read.found.find(({ article }) => article.title === title)?.article.contentHtml
  expect(html('Reusable blocks')?.replace(/\s+/g, ' ')).toBe(
    '<p>Before the address.</p> <h2 id="where-we-are">Where we are</h2> <p>Open from nine to five.</p> <p>After the address.</p>',
  )
  const marks = html('Marks of a page')
  expect(marks).toContain('<ol reversed start="3">')
  expect(marks).toMatch(/<a href="[^"]*plan\.pdf" download>/)
  expect(marks).toContain('Say  and <input type="checkbox" checked disabled> mean it.')
  expect(lossesOf(read, 'Marks of a page')).toEqual(['left out: <input>'])
  expect(lossesOf(read, 'Blocks made anew').filter((loss) => loss.startsWith('a block'))).toEqual(
    ['calendar', 'latest-posts', 'search', 'archives'].map(
      (name) => `a block that WordPress renders on each view is left out: ${name}`,
    ),
  )
  return table
}

export function lossesOf(read: Read, title: string): string[] {
  const file = read.found.find(({ article }) => article.title === title)?.file
  return read.losses.filter((loss) => loss.file === file && loss.field === 'contentHtml').map(lossText)
}

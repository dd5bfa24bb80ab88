/** A round trip of import, export and import gives the same content, also when each command is killed repeatedly. */

import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PostInput } from '../../src/content/posts/post.ts'
import { admin, startAdmin } from '../cli/support/admin.ts'
import { depthOf } from '../support/depth.ts'
import { type Service, startService } from '../support/service.ts'

const CORPUS = join(import.meta.dirname, '../../../shared/corpus')
const CONTENTS: Record<string, string[]> = {
  'nodejs-blog': ['markdown', '--status', 'published'],
  'nodejs-about': ['markdown'],
  wordpress: ['wordpress', '--pages', 'guides'],
}
const KILLS = depthOf('commandKills')
/** Takes every nth of the blog's 1,049 posts. */
const ONE_OF = Math.round(100 / depthOf('roundTrip'))
const SEED = Number(process.env.ROUND_TRIP_SEED ?? Math.floor(Math.random() * 2 ** 31))

type Line = { type?: string; id?: string; createdAt?: string; updatedAt?: string; post?: { slug: string } }

let service: Service
let folder: string

beforeAll(async () => {
  service = await startService()
  folder = await mkdtemp(join(tmpdir(), 'round-trip-'))
})

afterAll(async () => {
  await service?.stop()
  await rm(folder, { recursive: true, force: true })
})

const connection = () => ['--url', service.origin, '--token', service.operatorToken]

async function cli(...args: string[]) {
  const { code, stdout, stderr } = await admin([...connection(), ...args, '--json'])
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

async function makeSite(): Promise<string> {
  const { siteId } = await cli('site', 'create', '--name', 'Round trip', '--domain', 'round.example.com')
  return siteId
}

/** The content of a site by name, without the service's ids and times. */
async function contentOf(site: string): Promise<Map<string, unknown>> {
  const file = join(folder, `${site}.ndjson`)
  await cli('export', site, file)
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
  return new Map(
    lines.slice(1).map((text) => {
      const {
        id: _,
        createdAt: __,
        updatedAt: ___,
        ...line
      } = JSON.parse(text) as Line & Record<string, unknown>
      const named = (line.post ?? line.guide ?? line.row ?? line.redirect ?? line) as Record<string, string>
      return [`${line.type} ${named.from ?? named.slug ?? named.prompt ?? ''}`, line]
    }),
  )
}

/** Runs a command that is killed at random moments, then to its end. */
async function killed(random: () => number, kills: number, longestMs: number, ...args: string[]) {
  for (let i = 0; i < kills; i++) {
    const child = startAdmin([...connection(), ...args])
    child.stdout!.resume()
    child.stderr!.resume()
    const closed = once(child, 'close')
    await Promise.race([closed, sleep(random() * longestMs)])
    child.kill('SIGKILL')
    await closed
  }
  return cli(...args)
}

function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

describe.each(Object.entries(CONTENTS))('%s', (name, [command = '', ...flags]) => {
  const path = join(CORPUS, name)
  const source = name === 'wordpress' ? join(path, 'themeunittestdata.wordpress.xml') : path

  it.skipIf(!existsSync(source))(
    'is the same after import, export and import into another site',
    async () => {
      const first = await makeSite()
      await cli('import', command, first, name === 'nodejs-blog' ? await sampleOf(source) : source, ...flags)
      const exported = await contentOf(first)
      expect(exported.size).toBeGreaterThan(40)

      const second = await makeSite()
      await cli('import', 'ndjson', second, join(folder, `${first}.ndjson`))
      expect(await contentOf(second)).toEqual(exported)
    },
  )
})

/** A folder with some files of another, large one. */
async function sampleOf(source: string): Promise<string> {
  const sample = join(folder, 'sample')
  let count = 0
  const filter = async (file: string) => (await stat(file)).isDirectory() || count++ % ONE_OF === 0
  await cp(source, sample, { recursive: true, filter })
  return sample
}

describe('a killed command', () => {
  it.skipIf(!existsSync(CORPUS))(
    `is continued, for import and export (ROUND_TRIP_SEED=${SEED})`,
    async () => {
      const random = randomOf(SEED)
      const source = join(CORPUS, 'nodejs-about')
      const whole = await makeSite()
      await cli('import', 'markdown', whole, source)
      const content = await contentOf(whole)
      const wholeFile = join(folder, `${whole}.ndjson`)

      const first = await makeSite()
      await killed(random, KILLS, 3_000, 'import', 'markdown', first, source)
      expect(await contentOf(first)).toEqual(content)

      const second = await makeSite()
      await killed(random, KILLS, 1_500, 'import', 'ndjson', second, wholeFile)
      const file = join(folder, 'killed.ndjson')
      await killed(random, KILLS, 1_000, 'export', second, file)
      const third = await makeSite()
      await cli('import', 'ndjson', third, file)
      expect(await contentOf(third)).toEqual(content)

      const dir = join(folder, 'killed')
      await mkdir(dir)
      await killed(random, KILLS, 2_000, 'export', third, dir, '--exact')
      const fourth = await makeSite()
      await cli('import', 'markdown', fourth, dir)
      expect(await contentOf(fourth)).toEqual(content)
    },
  )
})

/** Fields that are derived by default, or given otherwise below. */
type Unlike = 'originId' | 'qualityBand' | 'readingTimeMinutes' | 'sourceSlug' | 'sourcePostId' | 'updatedAt'

describe('generated content', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 }).map((value) => value.replaceAll('\u0000', ''))
  const slug = fc.stringMatching(/^[a-z0-9][a-z0-9_~-]{0,30}$/)
  const name = text.map((value) => `N${value}`)
  const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
  const time = fc.date({ min: new Date('1990-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  const fields = {
    slug,
    title: text.map((value) => `T${value}`),
    contentHtml: text.map((value) => `<p>${value.replaceAll('<', '&lt;')}</p>\n\n<pre>\n ${value}</pre>`),
    status: fc.constantFrom('draft', 'published'),
    excerpt: optional(text),
    publishedAt: optional(time.map((at) => at.toISOString())),
    language: optional(fc.constantFrom('en', 'de', 'pt-BR')),
    trustScore: optional(fc.integer({ min: 0, max: 100 })),
    aiGenerated: fc.boolean(),
    originSlug: optional(slug),
    assuranceLabel: optional(text),
    reviewStatus: optional(fc.constantFrom('pending', 'approved', 'changes_requested')),
    seo: optional(fc.record({ ogTitle: text, keywords: fc.array(text, { maxLength: 3 }) })),
    faqJsonLd: optional(fc.record({ '@type': fc.constant('FAQPage'), number: fc.integer(), text })),
    provenance: optional(fc.record({ sources: fc.constant([]), generatedBy: text })),
    schemaBundle: optional(fc.record({ article: fc.record({ author: text, position: fc.integer() }) })),
    authors: optional(fc.array(fc.record({ name, url: fc.option(fc.webUrl()) }), { maxLength: 3 })),
    image: optional(fc.record({ url: fc.webUrl(), alt: fc.option(text), width: fc.constant(640) })),
    categories: optional(fc.array(name, { maxLength: 2 })),
    tags: optional(fc.array(name, { maxLength: 3 })),
    canonicalUrl: optional(fc.webUrl()),
    modifiedAt: optional(time.map((at) => at.toISOString())),
  } satisfies Record<Exclude<keyof PostInput, Unlike>, fc.Arbitrary<unknown>>
  const post = fc.record(fields)
  const row = fc.record({
    prompt: text.map((value) => `P${value}`),
    completion: text.map((value) => `C${value}`),
    optIn: fc.boolean(),
  })

  it('is the same through a file and through a folder, with ids where they are kept', async () => {
    const posts = fc.sample(
      fc.uniqueArray(post, { minLength: 40, maxLength: 40, selector: ({ slug }) => slug }),
      { numRuns: 1, seed: SEED },
    )[0]!
    // Names that file systems, and imports of other folders, treat specially.
    const names = ['.hidden', '_index', 'README', 'index', 'Foo', 'foo', '文'.repeat(120)]
    for (const [i, name] of names.entries()) posts[i + 20]!.slug = name
    const translations = posts
      .slice(0, 10)
      .map((one, i) => ({ ...one, sourceSlug: posts[i + 10]!.slug, originId: `test:${i}` }))
    const all = [...posts.slice(10), ...translations]
    const guides = posts
      .slice(0, 5)
      .map(({ slug, title, contentHtml, status }) => ({ slug, title, contentHtml, status }))
    const rows = fc
      .sample(row, { numRuns: 20, seed: SEED })
      .map((each, i) => ({ ...each, prompt: `${i} ${each.prompt}`, postSlug: posts[i]!.slug }))
    const site = await makeSite()
    for (const [name, content] of Object.entries({ posts: all, guides })) {
      const file = join(folder, `${name}.json`)
      await writeFile(file, JSON.stringify(content))
      await cli(name.slice(0, -1), 'put', site, file)
    }
    const rowsFile = join(folder, 'rows.ndjson')
    await writeFile(rowsFile, rows.map((each) => JSON.stringify(each)).join('\n'))
    await cli('training', 'add', site, rowsFile)
    const renamed = posts.find(({ status }) => status === 'published')!.slug
    await cli('post', 'rename', site, renamed, 'renamed-since')
    await cli('redirect', 'add', site, '/2019/größe/', '--post', posts[20]!.slug)
    await cli('redirect', 'add', site, '/how', '--guide', posts[0]!.slug)
    await cli('redirect', 'add', site, '/shop', 'https://shop.example/?a=1#b')
    await cli('redirect', 'add', site, '/a', '/b%20c')
    const content = await contentOf(site)
    expect([...content.keys()].filter((name) => name.startsWith('redirect '))).toHaveLength(5)
    const file = join(folder, `${site}.ndjson`)
    const idsOf = async (path: string) =>
      new Set(
        (await readFile(path, 'utf8'))
          .split('\n')
          .flatMap((line) => (line ? ((JSON.parse(line) as Line).id ?? []) : [])),
      )
    const ids = await idsOf(file)

    const throughFile = await makeSite()
    await cli('import', 'ndjson', throughFile, file)
    expect(await contentOf(throughFile)).toEqual(content)
    expect(await cli('import', 'ndjson', throughFile, file)).toMatchObject({
      imported: 0,
      updated: 0,
      trainingRows: 0,
      redirects: 0,
    })

    const dir = join(folder, 'generated')
    await cli('export', site, dir, '--exact')
    const throughFolder = await makeSite()
    await cli('import', 'markdown', throughFolder, dir)
    const isInFolder = ([name]: [string, unknown]) => !/^(?:trainingRow|end) /.test(name)
    expect([...(await contentOf(throughFolder))].filter(isInFolder).sort()).toEqual(
      [...content].filter(isInFolder).sort(),
    )

    await cli('site', 'delete', site, '--confirm', 'Round trip')
    const again = await makeSite()
    await cli('import', 'ndjson', again, file, '--keep-ids')
    expect(await contentOf(again)).toEqual(content)
    expect(await idsOf(join(folder, `${again}.ndjson`))).toEqual(ids)
  })
})

import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventKinds } from '../../src/core/enums.ts'
import { contentEventKinds, events } from '../../src/webhooks/event-kinds.ts'

/** Every page for readers, once. */
const PAGES = [
  'README.md',
  'CHANGELOG.md',
  ...globSync(['docs/*.md', 'docs/{guide,contributing,decisions}/*.md', 'src/sdk/*.md']),
]
const text = new Map(PAGES.map((page) => [page, readFileSync(page, 'utf8')]))

describe('the README, the guide and the pages for operators and contributors', () => {
  it('name only scripts that exist', () => {
    const scripts = ['package.json', 'src/sdk/package.json'].flatMap((file) =>
      Object.keys(JSON.parse(readFileSync(file, 'utf8')).scripts),
    )
    const named = [...[...text.values()].join('\n').matchAll(/npm run (?:-s )?([a-z:]+)/g)].map(
      ([, name]) => name!,
    )
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((name) => !scripts.includes(name))).toEqual([])
  })

  it('name only errors that the API answers with', () => {
    const source = readFileSync('functions/http/errors.ts', 'utf8')
    const rows = [...readFileSync('docs/guide/errors.md', 'utf8').matchAll(/^\| (\d{3}) \| (.+?) \|/gm)]
    const named = rows.flatMap(([, status, texts]) =>
      [...texts!.matchAll(/`([^`]+)`/g)].map(([, text]) => ({ status, text: text!.replace(/…$/, '') })),
    )
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter(({ text }) => !source.includes(`'${text}'`))).toEqual([])
  })

  it('name each event of a post with its fields', () => {
    const page = readFileSync('docs/guide/webhooks.md', 'utf8')
    const named = contentEventKinds.flatMap((event) => [event, ...Object.keys(events[event].fields)])
    expect(named.length).toBeGreaterThan(10)
    expect([...eventKinds, ...named].filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })

  it('link to files and headings that exist', () => {
    const links = [...text].flatMap(([page, markdown]) =>
      [...markdown.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)].map(([, path, heading]) => ({
        page,
        file: path ? join(dirname(page), path) : page,
        heading,
      })),
    )
    expect(links.length).toBeGreaterThan(50)
    const leadsNowhere = ({ file, heading }: (typeof links)[number]) =>
      !existsSync(file) || (heading && !anchorsOf(readFileSync(file, 'utf8')).includes(heading))
    expect(links.filter(leadsNowhere)).toEqual([])
  })

  it('keep the README short', () => {
    expect(text.get('README.md')!.split('\n').length).toBeLessThanOrEqual(130)
  })

  it('keep what is read at night short: 200 lines, 200 characters a cell, and ten lines a runbook', () => {
    const page = text.get('docs/operating.md')!
    expect(page.split('\n').length).toBeLessThanOrEqual(200)
    expect(page.match(/(?<=\|)[^|\n]{200,}(?=\|)/g)).toBeNull()
    const [, ...runbooks] = text.get('docs/runbooks.md')!.split(/^## /m)
    expect(runbooks.length).toBeGreaterThan(7)
    const lengthOf = (runbook: string) => runbook.split('\n').filter((line) => line.trim()).length - 1
    expect(runbooks.filter((runbook) => lengthOf(runbook) > 10)).toEqual([])
  })

  it('have a rehearsal of each runbook and each rotation', () => {
    const headings = [...text.get('docs/runbooks.md')!.matchAll(/^## .+/gm)].join('\n')
    const rehearsed = globSync('test/process/runbooks/*.test.ts').map((file) => basename(file, '.test.ts'))
    expect(rehearsed.sort()).toEqual(anchorsOf(headings).sort())

    const [, rotations] = text.get('docs/secrets.md')!.split('\n## Rotation\n')
    const secrets = new Set(rotations!.match(/(?<=^### |^\| .*?`?)\b[A-Z]+_[A-Z_]+\b/gm))
    const titles = readFileSync('test/process/rotation.test.ts', 'utf8')
    const isRehearsed = (secret: string) => titles.includes(`it('${secret}: `)
    expect([...secrets].filter((secret) => !isRehearsed(secret))).toEqual([])
    expect(secrets.size).toBeGreaterThan(6)
  })

  it('name folders and files that exist', () => {
    const pages = globSync(['docs/*.md', 'docs/{contributing,decisions}/*.md'])
    const named = pages.flatMap((page) =>
      [...text.get(page)!.matchAll(/[\s`]((?:functions|src|docs|drizzle|test)\/[\w./-]*\w)/g)].map(
        ([, path]) => path!,
      ),
    )
    expect(named.length).toBeGreaterThan(20)
    // `npm test` takes the start of a path, too.
    expect(named.filter((path) => globSync(`${path}*`).length === 0)).toEqual([])
  })
})

describe('the decisions', () => {
  it('are all in the index', () => {
    const index = text.get('docs/decisions/README.md')!
    const pages = globSync('*.md', { cwd: 'docs/decisions' }).filter((page) => page !== 'README.md')
    expect(pages.length).toBeGreaterThan(25)
    expect(pages.filter((page) => !index.includes(`](${page})`))).toEqual([])
  })

  it('name tests that exist', () => {
    const named = globSync('docs/decisions/*.md').flatMap((page) =>
      [...text.get(page)!.matchAll(/^- `(test\/[\w./-]+)`: ("[^`]+")$/gm)].flatMap(([, file, titles]) =>
        [...titles!.matchAll(/"([^"]+)"/g)].map(([, title]) => ({
          file,
          title: title!.replace(/\s+/g, ' '),
        })),
      ),
    )
    expect(named.length).toBeGreaterThan(60)
    expect(named.filter(({ file, title }) => !readFileSync(file!, 'utf8').includes(title))).toEqual([])
  })
})

/** Anchors as GitHub derives them from headings. */
const anchorsOf = (markdown: string) =>
  [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )

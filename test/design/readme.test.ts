import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventKinds, events, postEventKinds } from '../../src/webhooks/event-kinds.ts'
import { PAGES } from '../snippets/blocks.ts'

const readme = readFileSync('README.md', 'utf8')
const operating = readFileSync('docs/operating.md', 'utf8')

describe('the README, the guide and the page for operators', () => {
  it('name only scripts that exist', () => {
    const scripts = ['package.json', 'src/sdk/package.json'].flatMap((file) =>
      Object.keys(JSON.parse(readFileSync(file, 'utf8')).scripts),
    )
    const texts = [readme, operating, ...PAGES.map((page) => readFileSync(`docs/guide/${page}`, 'utf8'))]
    const named = [...texts.join('\n').matchAll(/npm run (?:-s )?([a-z:]+)/g)].map(([, name]) => name!)
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
    const named = postEventKinds.flatMap((event) => [event, ...Object.keys(events[event].fields)])
    expect(named.length).toBeGreaterThan(10)
    expect([...eventKinds, ...named].filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })

  it('link to files that exist', () => {
    const linkedIn = (text: string, folder: string) =>
      [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) => join(folder, path!))
    const linked = [...linkedIn(readme, '.'), ...linkedIn(operating, 'docs')]
    expect(linked.length).toBeGreaterThan(5)
    for (const path of linked) expect(readFileSync(path).length, path).toBeGreaterThan(0)
  })
})

describe('Scalar', () => {
  it('is the file of its package, unchanged', () => {
    const note = readFileSync('docs/build/pages/scalar.md', 'utf8')
    const [, path] = /`(functions\/public\/docs\/scalar-[\d.]+\.js)`/.exec(note)!
    const hash = createHash('sha256').update(readFileSync(path!)).digest('hex')
    expect(note).toContain(`SHA-256: \`${hash}\``)
    const page = readFileSync('functions/public/docs/reference.html', 'utf8')
    expect(page).toContain(path!.replace('functions/public', ''))
  })
})

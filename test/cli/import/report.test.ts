import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { weightOf } from '../../../src/cli/import/losses.ts'
import { openReport, type ReportOptions } from '../../../src/cli/import/report.ts'
import { folderOf, importMarkdown } from '../support/admin.ts'

const DROPPED = 'posts have no such field'
const CHANGED = 'a link leads to no post or guide of this import'
const MINOR = 'in the trash'

/** A report in which `count` articles each have a loss of every weight, the lightest first. */
async function filled(options: Partial<ReportOptions>, count: number, kinds = 1) {
  const report = await openReport({ dryRun: false, ...options })
  for (let i = 0; i < count; i++) {
    const file = `p${i}`
    await report.lose({ file, field: 'contentHtml', reason: MINOR })
    await report.lose({ file, field: 'contentHtml', reason: CHANGED, detail: `/${i}` })
    for (let kind = 0; kind < kinds; kind++) await report.lose({ file, field: `f${kind}`, reason: DROPPED })
    await report.image({ file, src: `${i}.png`, to: null })
  }
  await report.image({ file: 'p0', src: '/plan.pdf?x=1', to: null })
  return report
}

async function textOf(options: Partial<ReportOptions>, count = 1, kinds = 1): Promise<string[]> {
  const result = (await filled(options, count, kinds)).result()
  let text = ''
  if ('pieces' in result) for await (const piece of result.pieces(false)) text += piece
  return text.trimEnd().split('\n')
}

describe('the report', () => {
  it('lists dropped content first, then changed meaning, and counts minor losses', async () => {
    expect([DROPPED, CHANGED, MINOR, 'never heard of'].map(weightOf)).toEqual([
      'dropped',
      'changed',
      'minor',
      'dropped',
    ])
    expect(await textOf({}, 2)).toEqual([
      'Not imported: f0 (2 files, the first is p0): posts have no such field',
      'Changed: contentHtml (2 files, the first is p0): a link leads to no post or guide of this import: /0, /1',
      '2 minor losses; --verbose lists them',
      'Image in p0: 0.png is unchanged',
      'Image in p1: 1.png is unchanged',
      'File in p0: /plan.pdf?x=1 is unchanged',
      '0 imported, 0 updated, 0 unchanged, 0 skipped',
    ])
    expect(await textOf({}, 20)).toContain(
      '21 images and other files, 0 with a new address; --report FILE lists them',
    )
    expect(await textOf({ verbose: true }, 2)).toContain(
      'Minor: contentHtml (2 files, the first is p0): in the trash',
    )
  })

  it('lists the most frequent losses first, each on its line', async () => {
    const report = await openReport({ dryRun: false })
    for (const field of ['once', 'often', 'often'])
      await report.lose({ file: 'a\n\u001bb', field, reason: DROPPED })
    const result = report.result()
    const pieces: string[] = []
    if ('pieces' in result) for await (const piece of result.pieces(false)) pieces.push(piece)
    expect(pieces).toEqual([
      'Not imported: often (a\\n\\u001bb): posts have no such field\n',
      'Not imported: once (a\\n\\u001bb): posts have no such field\n',
      '0 imported, 0 updated, 0 unchanged, 0 skipped\n',
    ])
  })

  it('has ten lines on a terminal, the most important first', async () => {
    const lines = await textOf({ isTerminal: true }, 3, 50)
    expect(lines).toHaveLength(10)
    expect(lines[0]).toBe('Not imported: f0 (3 files, the first is p0): posts have no such field')
    expect(lines.slice(6)).toEqual([
      '45 more lines; --report FILE saves all, --verbose shows them',
      '3 minor losses; --verbose lists them',
      '4 images and other files, 0 with a new address; --report FILE lists them',
      '0 imported, 0 updated, 0 unchanged, 0 skipped',
    ])
    expect(await textOf({ isTerminal: true, verbose: true }, 3, 50)).toHaveLength(52 + 5)
  })
})

describe('--report', () => {
  it('writes everything to a file, as lines or as JSON, in addition to the output', async () => {
    const files = { 'a.md': '---\ntitle: P\nlayout: x\n---\n![](a.png)' }
    await using folder = await folderOf({})
    const run = async (name: string) => {
      const { json } = await importMarkdown(files, '--json', '--report', join(folder.path, name))
      return [json, await readFile(join(folder.path, name), 'utf8')]
    }
    const [json, saved] = await run('report.json')
    expect(json.notTakenOver).toHaveLength(1)
    expect(JSON.parse(saved)).toEqual(json)
    expect((await run('report.txt'))[1]).toBe(
      'Not imported: layout (a.md): posts have no such field\n' +
        'Image in a.md: a.png is unchanged\n1 imported, 0 updated, 0 unchanged, 0 skipped\n',
    )
  })

  it('has a line for each loss and image, however many there are', async () => {
    await using folder = await folderOf({})
    const report = await filled({}, 30)
    const path = join(folder.path, 'report.txt')
    await report.save(path)
    const lines = (await readFile(path, 'utf8')).split('\n')
    expect(lines.filter((line) => line.startsWith('Not imported: f0 (p'))).toHaveLength(30)
    expect(lines.filter((line) => line.startsWith('Image in p'))).toHaveLength(30)
    await report.close()
  })

  it('that cannot be written fails in one line, before anything is put', async () => {
    const { json, code, asked } = await importMarkdown({ 'a.md': '# A' }, '--json', '--report', 'DIR')
    expect(code).toBe(1)
    expect(json.error).toMatch(/^Cannot write the report: EISDIR/)
    expect(asked.filter(({ method }) => method === 'PUT')).toEqual([])
  })
})

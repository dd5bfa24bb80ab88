/** A large export needs little memory, whatever makes it large. The heap flags are those of the `admin` script. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { cdata, item, wxr } from './support/wxr.ts'

const MIB = 1024 * 1024
const folder = mkdtempSync(join(tmpdir(), 'wxr-'))
afterAll(() => rmSync(folder, { recursive: true }))

const root = join(import.meta.dirname, '../../..')
const flags = /node (--.*?) src/.exec(
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts.admin,
)?.[1]

/** Linux creates the new process from the test's, whose memory `maxRSS` therefore includes. */
const program = (path: string) => `
  import { existsSync, readFileSync } from 'node:fs'
  import { wordpressFile } from ${JSON.stringify(join(root, 'src/cli/wordpress/file.ts'))}
  const source = await wordpressFile(${JSON.stringify(path)}, { pages: 'none', defaultLanguage: 'en' })
  let found = 0
  for await (const entry of source.read()) if ('found' in entry) found += 1
  const own = '/proc/self/status'
  const peak = existsSync(own) && /VmHWM:\\s+(\\d+) kB/.exec(readFileSync(own, 'utf8'))?.[1]
  console.log(JSON.stringify({ found, kib: Number(peak || process.resourceUsage().maxRSS) }))`

/** Writes the given parts between an export's start and end, and reads it. */
async function read(name: string, parts: Iterable<string>): Promise<{ found: number; mib: number }> {
  const path = join(folder, name)
  const [start = '', end = ''] = wxr(['#']).split('#')
  {
    await using file = await open(path, 'w')
    await file.write(start)
    for (const part of parts) await file.write(part)
    await file.write(end)
  }
  const args = [...(flags?.split(' ') ?? []), '--input-type=module', '-e', program(path)]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  rmSync(path)
  if (!stdout) throw new Error(stderr)
  const { found, kib } = JSON.parse(stdout)
  return { found, mib: kib / 1024 }
}

function* times(count: number, part: (at: number) => string): Generator<string> {
  for (let at = 0; at < count; at++) yield part(at)
}

describe('an export of more than 80 MB is read in less than 170 MiB', () => {
  it('with many items', async () => {
    const revision = item({ 'wp:post_type': 'revision', 'content:encoded': `${'Text. '.repeat(300)}\n` })
    const post = (at: number) =>
      item({ 'wp:post_id': at + 1, 'wp:post_name': `post-with-number-${at}`, 'content:encoded': 'Text.' })
    const { found, mib } = await read(
      'many.xml',
      times(1_300, (at) => post(at) + revision.repeat(30)),
    )
    expect(found).toBe(1_300)
    expect(mib).toBeLessThan(170)
  })

  it('with one item, one text or one comment', async () => {
    const text = 'Text. '.repeat(MIB / 6)
    const parts = (from: string, to: string) => [from, ...times(65, () => text), to]
    const { found, mib } = await read('one.xml', [
      '<item><wp:post_type>post</wp:post_type><content:encoded><![CDATA[',
      ...parts('', ']]></content:encoded>'),
      ...parts('<excerpt:encoded>', '</excerpt:encoded></item>'),
      ...parts('<!--', '-->'),
      item(),
    ])
    expect(found).toBe(1)
    expect(mib).toBeLessThan(170)
  })

  it('with readers’ comments', async () => {
    const comment = `<wp:comment><wp:comment_content>${cdata('Nice. '.repeat(1_000))}</wp:comment_content></wp:comment>`
    const [start = '', end = ''] = item({ more: '#' }).split('#')
    const { found, mib } = await read('comments.xml', [start, ...times(13_500, () => comment), end])
    expect(found).toBe(1)
    expect(mib).toBeLessThan(170)
  })
})

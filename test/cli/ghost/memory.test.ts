import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folderOf } from '../support/admin.ts'
import { postRow } from './support/export.ts'

const HEAP_MIB = 64
const POSTS = 1_280
const BYTES = 64 * 1024

const SOURCE = join(import.meta.dirname, '../../../src/cli/ghost/source.ts')
const COUNT = `
  import { ghostFile } from ${JSON.stringify(SOURCE)}
  const source = await ghostFile(process.argv[1], { name: 'x', pages: 'none', defaultLanguage: 'en' })
  let count = 0
  for await (const entry of source.read()) if ('found' in entry) count += 1
  console.log(count, source.total)
`

it(`an export of ${(POSTS * BYTES) / 2 ** 20} MiB is read with a heap of ${HEAP_MIB} MiB`, async () => {
  await using folder = await folderOf({})
  const path = join(folder.path, 'export.json')
  const file = createWriteStream(path)
  const plaintext = 'x'.repeat(BYTES)
  file.write('{"db":[{"data":{"posts":[')
  for (let i = 0; i < POSTS; i++) {
    const row = JSON.stringify(postRow({ slug: `post-${i}`, plaintext }))
    if (!file.write(i === 0 ? row : `,${row}`)) await once(file, 'drain')
  }
  file.end('],"posts_meta":[{"post_id":"id-of-post-1","meta_title":"M"}]}}]}')
  await once(file, 'finish')
  const flags = [`--max-old-space-size=${HEAP_MIB}`, '--input-type=module', '-e', COUNT, path]
  expect(execFileSync(process.execPath, flags, { encoding: 'utf8' })).toBe(`${POSTS} ${POSTS}\n`)
})

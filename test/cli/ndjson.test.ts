import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { objectsOf } from '../../src/cli/ndjson.ts'
import { folderOf } from './support/admin.ts'

async function read(content: string | Uint8Array) {
  await using folder = await folderOf({})
  await writeFile(join(folder.path, 'rows.ndjson'), content)
  return await readFrom(folder.path, 'rows.ndjson')
}

async function readFrom(cwd: string, file: string) {
  const objects: [number, unknown][] = []
  for await (const { line, object } of objectsOf({ cwd } as Parameters<typeof objectsOf>[0], file)) {
    objects.push([line, object])
  }
  return objects
}

describe('lines of JSON', () => {
  it('have line numbers, without blank lines, for any line ending', async () => {
    expect(await read('\u{feff}{"a":1}\r\n\n  \n{"b":"é"}\n{"c":3}')).toEqual([
      [1, { a: 1 }],
      [4, { b: 'é' }],
      [5, { c: 3 }],
    ])
    expect(await read('')).toEqual([])
  })

  it('may be longer than a read buffer', async () => {
    const rows = [300_000, 1, 262_143, 262_144].map((length) => ({ text: 'é'.repeat(length) }))
    const objects = await read(rows.map((row) => JSON.stringify(row)).join('\n'))
    expect(objects.map(([, object]) => object)).toEqual(rows)
  })

  it.each([
    ['{"a":1}\n\n{"b":}', /^rows\.ndjson is not JSON: .* at line 3, column 6$/],
    ['{"a":1}\n{"b":', /^rows\.ndjson is not JSON: .* at line 2, column 6$/],
    ['{"a":1}\n[1]', 'rows.ndjson, line 2, must hold one object'],
    ['{"a":1}\n7', 'rows.ndjson, line 2, must hold one object'],
    [Buffer.from([0x0a, 0x7b, 0xe9]), 'rows.ndjson, line 2, is not valid UTF-8'],
  ])('are refused with their number: %j', async (content, message) => {
    await expect(read(content)).rejects.toThrow(message)
  })

  it('are refused if they are larger than 16 MiB, before all of it is read', async () => {
    const large = Buffer.concat([Buffer.from('{"a":1}\n'), Buffer.alloc(17 * 2 ** 20, 'x')])
    await expect(read(large)).rejects.toThrow('rows.ndjson, line 2, is larger than 16 MiB')
  })

  it('of an unreadable file are named', async () => {
    await using folder = await folderOf({})
    const missing = readFrom(folder.path, 'none')
    await expect(missing).rejects.toThrow('Cannot read none: the file does not exist')
    await expect(readFrom(folder.path, '.')).rejects.toThrow('Cannot read .: it is a folder')
  })
})

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Choice, jsonScanner, type Path, parsePiece } from '../../../src/cli/ghost/json-scanner.ts'
import { readValues } from '../../../src/cli/ghost/json-values.ts'
import { folderOf } from '../support/admin.ts'

const rows = (path: Path): Choice => (path.length < 2 ? 'open' : path[0] === 'rows' ? 'take' : 'pass')

/** The values of a text that arrives in pieces of `size` bytes. */
function values(text: string | Uint8Array, size: number, choose = rows) {
  const bytes = Buffer.from(text as string)
  const scanner = jsonScanner('x.json', choose)
  const pieces = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(...scanner.write(bytes.subarray(at, at + size)))
  pieces.push(...scanner.end())
  return pieces.map((piece) => {
    if (piece.bytes) expect(bytes.subarray(piece.offset, piece.offset + piece.size)).toEqual(piece.bytes)
    return [piece.path.join('.'), parsePiece('x.json', piece)]
  })
}

const TEXT = `{ "other": [ 1, {"]": "}\\"]"}, -2.5e3 ],
 "rows": [ {"a\\"é": [[], {}, "\\\\"]}, "x\\\\", null,true , 1.5, []], "last": "end" }\n`
const VALUES = [
  ['other.0', undefined],
  ['other.1', undefined],
  ['other.2', undefined],
  ['rows.0', { 'a"é': [[], {}, '\\'] }],
  ['rows.1', 'x\\'],
  ['rows.2', null],
  ['rows.3', true],
  ['rows.4', 1.5],
  ['rows.5', []],
  ['last', undefined],
]

describe('values of a JSON file', () => {
  it('are the same wherever the bytes are split', () => {
    for (const size of [1, 2, 3, 5, 7, 64, 1_000]) {
      expect(values(TEXT, size, (path) => (path[0] === 'last' ? 'pass' : rows(path)))).toEqual(VALUES)
    }
  })

  it('may follow a byte order mark, and may be the whole text', () => {
    expect(values('\u{feff}{"rows":[1]}', 9)).toEqual([['rows.0', 1]])
    expect(values(' 12', 1, () => 'take')).toEqual([['', 12]])
    expect(values('[]', 1)).toEqual([])
  })

  it.each([
    ['', 'x.json is empty'],
    ['<html>', 'x.json is not JSON: unexpected "<" at line 1, column 1'],
    ['{"rows":[1,]}', 'x.json is not JSON: unexpected "]" at line 1, column 12'],
    ['{"rows":[1 2]}', 'x.json is not JSON: unexpected "2" at line 1, column 12'],
    ['{"rows"\n\n :[1]]', 'x.json is not JSON: unexpected "]" at line 3, column 6'],
    ['{"rows":[]} x', 'x.json is not JSON: unexpected "x" at line 1, column 13'],
    ['{"rows":[1,\n {"a":\n b}]}', /^x\.json is not JSON: .+ at line 3, column 2, within rows\[1\]$/],
    ['{"rows":[tru]}', /^x\.json is not JSON: .+ at line 1, column 13, within rows\[0\]$/],
    ['{"rows":[1,\n {"a":\n "b', 'x.json is incomplete: it ends at line 3, column 4, within rows[1]'],
    ['{"rows":[1],', 'x.json is incomplete: it ends at line 1, column 13, within rows'],
  ])('invalid JSON is refused with its position: %j', (text, message) => {
    for (const size of [1, 4, 100]) expect(() => values(text, size)).toThrow(message)
  })

  it('invalid UTF-8 is refused with its position', () => {
    const bytes = Buffer.concat([Buffer.from('{"rows":["'), Buffer.from([0xe9]), Buffer.from('"]}')])
    expect(() => values(bytes, 4)).toThrow('x.json is not valid UTF-8 in rows[0], at line 1, column 10')
  })

  it('that are larger than 8 MiB are not kept in memory', async () => {
    const large = JSON.stringify('x'.repeat(8 * 1024 * 1024))
    await using folder = await folderOf({ 'x.json': `{"rows":[1,${large},2]}` })
    const read = []
    for await (const { path, value, size } of readValues(join(folder.path, 'x.json'), 'x.json', rows)) {
      read.push([path.join('.'), value, size])
    }
    expect(read).toEqual([
      ['rows.0', 1, 1],
      ['rows.1', undefined, large.length],
      ['rows.2', 2, 1],
    ])
  })

  it('an unreadable file is named', async () => {
    await using folder = await folderOf({})
    const read = (path: string) => readValues(path, 'x.json', rows).next()
    await expect(read(join(folder.path, 'none'))).rejects.toThrow(
      'Cannot read x.json: the file does not exist',
    )
    await expect(read(folder.path)).rejects.toThrow('Cannot read x.json: it is a folder')
  })
})

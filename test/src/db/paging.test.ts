import { describe, expect, it } from 'vitest'
import { cutPage, parseCursor } from '../../../src/db/paging.ts'

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const rows = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: id(n), at: new Date(1_795_000_000_000 - n) }))

const cut = (count: number, limit: number) =>
  cutPage(
    rows(count),
    { limit, cursor: null },
    (row) => row.at,
    (row) => row.id,
  )

describe('cutPage', () => {
  it('returns all rows and no next on the last page', () => {
    expect(cut(0, 3)).toEqual({ items: [], next: null })
    expect(cut(3, 3)).toEqual({ items: [id(0), id(1), id(2)], next: null })
  })

  it('drops the extra row, and continues after the last returned one', () => {
    const page = cut(4, 3)
    expect(page.items).toEqual([id(0), id(1), id(2)])
    expect(parseCursor(page.next!)).toEqual({ at: new Date(1_795_000_000_000 - 2), id: id(2) })
  })
})

describe('parseCursor', () => {
  it.each([
    ...[
      '',
      'x',
      '1',
      `_${id(1)}`,
      `1_${id(1)}0`,
      `-1_${id(1)}`,
      `1_${id(1).toUpperCase().replace('8', 'G')}`,
    ],
    ...[`${'9'.repeat(16)}_${id(1)}`, `1_${id(1)}\n`, ` 1_${id(1)}`],
  ])('gives null for %j', (text) => {
    expect(parseCursor(text)).toBeNull()
  })
})

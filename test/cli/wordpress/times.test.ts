import { describe, expect, it } from 'vitest'
import { item, type Read, readItems, told } from './support/wxr.ts'

const only = ({ found }: Read) => found[0]!.article
const reasons = ({ losses }: Read, field: string) => losses.filter((loss) => loss.field === field).map(told)

describe('a date', () => {
  const zero = '0000-00-00 00:00:00'
  it.each([
    [{ 'wp:post_date_gmt': '2024-05-06 07:08:09' }, '2024-05-06T07:08:09.000Z'],
    [{ 'wp:post_date_gmt': zero, pubDate: 'Mon, 06 May 2024 07:08:09 +0200' }, '2024-05-06T05:08:09.000Z'],
    [
      {
        'wp:post_date_gmt': zero,
        pubDate: 'Wed, 30 Nov -0001 00:00:00 +0000',
        'wp:post_date': '2024-05-06 09:00:00',
      },
      '2024-05-06T09:00:00.000Z',
    ],
    [{ 'wp:post_date_gmt': zero, 'wp:post_date': zero }, undefined],
    [{ 'wp:post_date_gmt': zero, 'wp:post_date': '2024-05-06 09:00:00', 'wp:status': 'draft' }, undefined],
  ])('%j is %s', async (fields, expected) => {
    const read = await readItems([item(fields)])
    expect(only(read).publishedAt).toBe(expected)
    const isLocal = expected === '2024-05-06T09:00:00.000Z'
    expect(reasons(read, 'publishedAt')).toEqual(
      isLocal ? ['its time zone is not in the file: UTC is assumed'] : [],
    )
  })
})

describe('a time without a zone', () => {
  const zero = '0000-00-00 00:00:00'
  const local = (time: string) => ({
    'wp:post_date_gmt': zero,
    'wp:post_date': time,
    'wp:post_modified_gmt': zero,
    'wp:post_modified': time,
    'wp:status': 'draft',
  })
  const known = (date: string, gmt: string) => item({ 'wp:post_date': date, 'wp:post_date_gmt': gmt })

  it('gets the offset of the nearest day for which the file has one, and is named', async () => {
    const read = await readItems([
      item(local('2024-07-20 09:30:00')),
      item(local('2023-12-30 09:30:00')),
      item({ ...local('2024-07-20 09:30:00'), 'wp:status': 'publish' }),
      known('2024-01-06 09:30:00', '2024-01-06 08:30:00'),
      known('2024-08-01 09:30:00', '2024-08-01 07:30:00'),
      known('2024-07-21 09:30:00', '2024-07-29 07:31:00'),
    ])
    expect(read.found.slice(0, 3).map(({ article }) => [article.publishedAt, article.modifiedAt])).toEqual([
      [undefined, '2024-07-20T07:30:00.000Z'],
      [undefined, '2023-12-30T08:30:00.000Z'],
      ['2024-07-20T07:30:00.000Z', '2024-07-20T07:30:00.000Z'],
    ])
    const field = 'modifiedAt'
    const reason = 'its time zone is not in the file: the one of other times is used'
    expect(reasons(read, field)).toEqual(Array(3).fill(reason))
    expect(reasons(read, 'publishedAt')).toEqual([reason])
  })

  it('in a file without other offsets is UTC, and is named', async () => {
    const read = await readItems([item(local('2024-07-20 09:30:00'))])
    expect(only(read).modifiedAt).toBe('2024-07-20T09:30:00.000Z')
    expect(reasons(read, 'modifiedAt')).toEqual(['its time zone is not in the file: UTC is assumed'])
  })
})

import { describe, expect, it } from 'vitest'
import { currentVersions, formatVersions } from '../../../src/freshness/versions.ts'

const SLUGS = '0000000000f'.repeat(32)
const PUBLISHED = '0000000000e'.repeat(32)
const STORED = `1/2/${SLUGS}/3/${PUBLISHED}`

describe('the stored versions are current', () => {
  it('once the last writer to start has published them', () => {
    const versions = {
      ...{ authVersion: 1, contentVersion: 2, slugVersions: SLUGS },
      ...{ publishedVersion: 3, publishedSlugVersions: PUBLISHED },
    }
    expect(currentVersions(STORED)).toEqual(versions)
    expect(formatVersions(versions)).toBe(STORED)
  })

  it.each([
    ['there are none, or they are lost', [null, undefined, '']],
    ['a write is running', [`~${crypto.randomUUID()}`, `~${STORED}`]],
    [
      'some are missing',
      ['1/2', '1/2/3', `1/2/${SLUGS}`, `1/2/${SLUGS}/3`, `1/2/${SLUGS}/3/3`, `1//${SLUGS}/3/${PUBLISHED}`],
    ],
    [
      'the value is not ours',
      ['b', `a/${STORED}`, `${STORED}\n`, `x/2/${SLUGS}/3/${PUBLISHED}`, [STORED, STORED]],
    ],
  ])('and stale when %s', (_, values) => {
    for (const value of values) expect(currentVersions(value), String(value)).toBeNull()
  })
})

import { describe, expect, it } from 'vitest'
import { currentVersions, formatVersions } from '../../../src/freshness/versions.ts'

describe('the stored versions are current', () => {
  it('once the last writer to start has published them', () => {
    const slugVersions = '0000000000c'.repeat(32)
    const publishedSlugVersions = '0000000000b'.repeat(32)
    const versions = {
      authVersion: 3,
      contentVersion: 12,
      slugVersions,
      publishedVersion: 11,
      publishedSlugVersions,
    }
    expect(currentVersions(`3/12/${slugVersions}/11/${publishedSlugVersions}`)).toEqual(versions)
    expect(currentVersions(formatVersions(versions))).toEqual(versions)
  })

  it.each([
    ['there are none, or they are lost', null],
    ['a write is running', `~${crypto.randomUUID()}`],
    ['some of them are missing', '3/12'],
    ['the value is not ours', 'b'],
    ['there was no answer', undefined],
  ])('and stale when %s', (_, value) => {
    expect(currentVersions(value)).toBeNull()
  })
})

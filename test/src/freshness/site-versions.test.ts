import { describe, expect, it } from 'vitest'
import { currentVersions } from '../../../src/freshness/site-versions.ts'

describe('the published versions are current', () => {
  it('once the last writer to start has published them', () => {
    const slugVersions = '0000000000c'.repeat(32)
    const versions = { authVersion: 3, contentVersion: 12, slugVersions }
    expect(currentVersions(`3/12/${slugVersions}`)).toEqual(versions)
  })

  it.each([
    ['nobody has written, or it is lost', null],
    ['a writer is under way', `~${crypto.randomUUID()}`],
    ['a Worker of before has written', '3/12'],
    ['one of before that has', crypto.randomUUID()],
    ['it is not ours', 'b'],
    ['there was no answer', undefined],
  ])('and stale when %s', (_, value) => {
    expect(currentVersions(value)).toBeNull()
  })
})

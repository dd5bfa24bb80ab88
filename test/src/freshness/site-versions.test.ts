import { describe, expect, it } from 'vitest'
import { currentVersions } from '../../../src/freshness/site-versions.ts'

describe('the published versions are current', () => {
  it('once the last writer to start has published them', () => {
    expect(currentVersions(['b', 'b/3/12'])).toEqual({ authVersion: 3, contentVersion: 12 })
  })

  it.each([
    ['nobody has written', [null, null]],
    ['a writer is under way', ['c', 'b/3/12']],
    ['two writers have overlapped, and the first ended last', ['c', 'b/3/12']],
    ['half of it is lost', [null, 'b/3/12']],
    ['the other half is lost', ['b', null]],
    ['it is not ours', ['b', 'b']],
    ['there was no answer', []],
  ])('and stale when %s', (_, values) => {
    expect(currentVersions(values)).toBeNull()
  })
})

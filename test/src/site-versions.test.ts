import { describe, expect, it } from 'vitest'
import { currentVersions } from '../../src/site-versions.ts'

describe('Redis vouches', () => {
  it('for the versions of the writer that began last, once it has settled them', () => {
    expect(currentVersions(['b', 'b/3/12'])).toEqual({ gateVersion: 3, contentVersion: 12 })
  })

  it.each([
    ['nobody has written', [null, null]],
    ['a writer is under way', ['c', 'b/3/12']],
    ['two writers have crossed, and the first settled last', ['c', 'b/3/12']],
    ['half of it is lost', [null, 'b/3/12']],
    ['the other half is lost', ['b', null]],
    ['it is not ours', ['b', 'b']],
    ['there was no answer', []],
  ])('for nothing when %s', (_, values) => {
    expect(currentVersions(values)).toBeNull()
  })
})

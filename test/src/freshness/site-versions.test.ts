import { describe, expect, it } from 'vitest'
import { currentVersions } from '../../../src/freshness/site-versions.ts'

describe('the published versions are current', () => {
  it('once the last writer to start has published them', () => {
    expect(currentVersions('3/12')).toEqual({ authVersion: 3, contentVersion: 12 })
  })

  it.each([
    ['nobody has written, or it is lost', null],
    ['a writer is under way', `~${crypto.randomUUID()}`],
    ['a Worker of before has written', crypto.randomUUID()],
    ['it is not ours', 'b'],
    ['there was no answer', undefined],
  ])('and stale when %s', (_, value) => {
    expect(currentVersions(value)).toBeNull()
  })
})

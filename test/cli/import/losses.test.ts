import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { REASONS, weightOf } from '../../../src/cli/import/losses.ts'

const SRC = join(import.meta.dirname, '../../../src')
const sources = globSync('{cli,convert,transfer}/**/*.ts', { cwd: SRC })
  .filter((file) => file !== 'cli/import/losses.ts')
  .map((file) => readFileSync(join(SRC, file), 'utf8'))
  .join('\n')

describe('the table of reasons', () => {
  it('has each reason once, and none that is unused', () => {
    const all = Object.values(REASONS).flat()
    expect(new Set(all).size).toBe(all.length)
    expect(all.filter((reason) => !sources.includes(reason))).toEqual([])
  })

  it('treats an unknown reason as lost content', () => {
    expect(weightOf('never heard of')).toBe('dropped')
    expect(weightOf('in the trash')).toBe('minor')
  })
})

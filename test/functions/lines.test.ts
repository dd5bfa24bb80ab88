import { expect, it } from 'vitest'

/** Missing after compilation, with its lines. */
type Gone = {
  first: string
  second: string
}

it('an error names the line of the file', () => {
  const error = new Error('of line 10') as Error & Partial<Gone>
  expect(error.stack).toMatch(/lines\.test\.ts:10:/)
})

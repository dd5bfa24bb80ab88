import { expect, it } from 'vitest'
import { slugChooser } from '../../../src/transfer/slug.ts'

it('gives thousands of articles a slug, without trying the earlier numbers again', () => {
  const taken = new Set(['post-0'])
  let tries = 0
  const chooseSlug = slugChooser((slug) => {
    tries += 1
    return taken.has(slug)
  })
  for (let count = 0; count < 1_000; count++) taken.add(chooseSlug('post-0', ['post-0']))
  expect(taken).toContain('post-0-1001')
  expect(tries).toBeLessThan(3_000)
})

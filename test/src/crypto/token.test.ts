import { expect, it } from 'vitest'
import { generateToken, isTokenWellFormed } from '../../../src/crypto/token.ts'

it('every token has a form that Cloudflare masks in the URLs of its logs', () => {
  const tokens = Array.from({ length: 5_000 }, () => generateToken('hca_preview_'))
  expect(tokens.every((token) => isTokenWellFormed('hca_preview_', token))).toBe(true)
  for (const two of [/\d.*\d/, /[A-Z].*[A-Z]/, /[a-z].*[a-z]/])
    expect(tokens.filter((token) => !two.test(token.slice('hca_preview_'.length, -6)))).toEqual([])
})

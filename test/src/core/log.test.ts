import { afterEach, expect, it, vi } from 'vitest'
import { generateKey } from '../../../src/access/keys.ts'
import { createLog } from '../../../src/core/log.ts'
import { generateToken } from '../../../src/crypto/token.ts'
import { generateSecret } from '../../../src/webhooks/secret.ts'

afterEach(() => void vi.restoreAllMocks())

it.each([
  ['key', generateKey()],
  ["operator's token", generateToken('hca_operator_')],
  ["webhook's secret", generateSecret()],
])('no line of the log has a %s', (_, secret) => {
  const lines: string[] = []
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(line))
  createLog()('test', { error: `refused ${secret}`, url: `/sitemap.xml?token=${secret}&page=1` })
  const [start, rest] = [
    secret.slice(0, secret.lastIndexOf('_') + 1),
    secret.slice(secret.lastIndexOf('_') + 1),
  ]
  expect(lines[0]).toContain(`refused ${start}[redacted]`)
  expect(lines[0]).not.toContain(rest.slice(-8))
})

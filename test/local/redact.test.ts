import { homedir } from 'node:os'
import { expect, it } from 'vitest'
import { redactor } from '../../src/local/redact.ts'

const secrets = [
  'postgresql://local:p4ssw0rd%21word@127.0.0.1/local',
  'token-of-redis',
  'k2:c2Vjb25k,k1:Zmlyc3Rr',
  'x',
]
const redacted = redactor(secrets, { '/srv/app/.local': 'LOCAL_DIR', '/srv/app': '.' })

it('redacts secrets, whole or in part, whatever surrounds them', () => {
  expect(redacted('NeonDbError: postgresql://local:p4ssw0rd%21word@127.0.0.1/local is away')).toBe(
    'NeonDbError: [redacted] is away',
  )
  for (const part of ['p4ssw0rd%21word', 'p4ssw0rd!word', 'token-of-redis', 'c2Vjb25k', 'Zmlyc3Rr']) {
    expect(redacted(`Error: "${part}", at x`)).toBe('Error: "[redacted]", at x')
  }
})

it('redacts unknown keys and tokens', () => {
  expect(redacted('GET /api/v1/sites/1/posts/hca_live_0AbC 401')).toBe(
    'GET /api/v1/sites/1/posts/hca_live_[redacted] 401',
  )
  expect(redacted('GET /sitemap.xml?page=1&token=abc&x=1')).toBe(
    'GET /sitemap.xml?page=1&token=[redacted]&x=1',
  )
  expect(redacted('signed by whsec_AbC+/=')).toBe('signed by whsec_[redacted]')
  expect(redacted('{"Authorization":"Bearer abc.def"}')).toBe('{"Authorization":"Bearer [redacted]"}')
  expect(redacted('connect rediss://default:pw@host:6379 failed')).toBe(
    'connect rediss://[redacted]@host:6379 failed',
  )
})

it('replaces folders by placeholders', () => {
  expect(redacted('at file:///srv/app/functions/app.ts:1:2 of /srv/app/.local/worker.log')).toBe(
    'at file://./functions/app.ts:1:2 of LOCAL_DIR/worker.log',
  )
  expect(redacted(`${homedir()}/.npmrc`)).toBe('~/.npmrc')
})

it('keeps other lines unchanged', () => {
  const line = '{"event":"request","path":"/api/v1/sites/1/posts","status":200}'
  expect(redacted(line)).toBe(line)
})

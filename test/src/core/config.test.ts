import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { parseConfig } from '../../../src/core/config.ts'
import { customError } from '../../../src/core/zod.ts'
import { bindings } from '../../support/context.ts'

const environment = {
  DATABASE_URL:
    'postgresql://owner:secret@ep-cool-name-123456-pooler.eu-central-1.aws.neon.tech/neondb?sslmode=require',
  UPSTASH_REDIS_REST_URL: 'https://eu1-one.upstash.io',
  UPSTASH_REDIS_REST_TOKEN: 'token',
  OPERATOR_TOKEN: 'x'.repeat(40),
  WEBHOOK_KEYS: `k1:${btoa('x'.repeat(32))}`,
}
beforeAll(() => z.config({ customError }))

const prefix = (DATABASE_URL: string) => parseConfig({ ...environment, DATABASE_URL }).REDIS_PREFIX

describe('the prefix of the Redis keys', () => {
  it("contains the database's host and name, and no secret", () => {
    expect(prefix(environment.DATABASE_URL)).toBe('hca:ep-cool-name-123456.eu-central-1.aws.neon.tech/neondb')
  })

  it('is the same for every connection string of one database', () => {
    const ways = [
      'postgresql://owner:secret@ep-cool-name-123456.eu-central-1.aws.neon.tech/neondb',
      'postgres://hca_worker:other@ep-cool-name-123456-pooler.eu-central-1.aws.neon.tech:5432/neondb',
    ]
    for (const way of ways) expect(prefix(way)).toBe(prefix(environment.DATABASE_URL))
  })

  it('differs for a branch, another database and another server', () => {
    const others = [
      'postgresql://owner:secret@ep-branch-654321.eu-central-1.aws.neon.tech/neondb',
      'postgresql://owner:secret@ep-cool-name-123456.eu-central-1.aws.neon.tech/staging',
      'postgresql://owner:secret@ep-cool-name-123456.eu-central-1.aws.neon.tech:5433/neondb',
    ]
    expect(new Set([environment.DATABASE_URL, ...others].map(prefix)).size).toBe(4)
  })

  it('is REDIS_PREFIX if that is set', () => {
    expect(parseConfig({ ...environment, REDIS_PREFIX: 'mine' }).REDIS_PREFIX).toBe('mine')
  })
})

describe('an operator token', () => {
  it('of 31 characters is refused with the name of its variable, without its value', () => {
    const OPERATOR_TOKEN = 'too-short-to-be-safe'.padEnd(31, '-')
    const message = 'Configuration: OPERATOR_TOKEN: must be at least 32 characters'
    expect(() => parseConfig({ ...bindings, OPERATOR_TOKEN })).toThrow(new Error(message))
  })

  it('of 32 characters is accepted', () => {
    const OPERATOR_TOKEN = 'x'.repeat(32)
    expect(parseConfig({ ...bindings, OPERATOR_TOKEN })).toMatchObject({ OPERATOR_TOKEN })
  })
})

describe('the targets of alerts', () => {
  const CONSOLE_URL = 'https://content.example.com/console'
  const ALERT_SLACK_URL = 'https://hooks.slack.com/services/T/B/secret'
  const parse = (vars: object) => parseConfig({ ...environment, ...vars })

  it('are none by default', () => {
    expect(parse({}).hasAlerts).toBe(false)
    expect(parse({ CONSOLE_URL }).hasAlerts).toBe(false)
    expect(parse({ ALERT_SLACK_URL, CONSOLE_URL })).toMatchObject({
      hasAlerts: true,
      ALERT_AFTER_FAILURES: 5,
    })
  })

  it.each([
    ['CONSOLE_URL: must be set together with ALERT_SLACK_URL', { ALERT_SLACK_URL }],
    [
      'ALERT_EMAIL_FROM: must be set together with ALERT_EMAIL_TO',
      { ALERT_EMAIL_TO: 'a@a.example', CONSOLE_URL },
    ],
    ['HEARTBEAT_URL: must be an http or https URL', { HEARTBEAT_URL: 'file:///etc/passwd' }],
    ['ALERT_SLACK_URL: must be an http or https URL', { ALERT_SLACK_URL: 'ftp://a.example', CONSOLE_URL }],
    ['ALERT_WEBHOOK_SECRET: must be set together', { ALERT_WEBHOOK_URL: 'https://a.example', CONSOLE_URL }],
    ['ALERT_WEBHOOK_SECRET: must be `whsec_` and', { ALERT_WEBHOOK_SECRET: 'whsec_secret' }],
    ['must be an e-mail address', { ALERT_EMAIL_TO: 'a@a.example\r\nBcc: b@b.example' }],
    ['ALERT_EMAIL_FROM: must be an e-mail address', { ALERT_EMAIL_FROM: 'Name <a@a.example>' }],
    ['ALERT_AFTER_FAILURES: must be', { ALERT_AFTER_FAILURES: '0' }],
  ])('are refused: %s', (message, vars) => {
    expect(() => parse(vars)).toThrow(message)
    expect(() => parse(vars)).not.toThrow(/secret$|hooks\.slack/)
  })

  it('by mail may be several', () => {
    const parsed = parse({
      ALERT_EMAIL_TO: 'a@a.example, b@b.example',
      ALERT_EMAIL_FROM: 'c@c.example',
      CONSOLE_URL,
    })
    expect(parsed.ALERT_EMAIL_TO).toEqual(['a@a.example', 'b@b.example'])
  })
})

describe('retention', () => {
  const parse = (vars: object) => parseConfig({ ...environment, ...vars })

  it('is 400 days for the audit log and 90 for deliveries by default, and can be set', () => {
    expect(parse({})).toMatchObject({ RETENTION_AUDIT_DAYS: 400, RETENTION_DELIVERY_DAYS: 90 })
    expect(parse({ RETENTION_AUDIT_DAYS: '30' })).toMatchObject({ RETENTION_AUDIT_DAYS: 30 })
  })

  it.each(['RETENTION_AUDIT_DAYS', 'RETENTION_DELIVERY_DAYS'])('of %s is 30 to 3650 whole days', (name) => {
    for (const days of ['29', '3651', '30.5', 'soon'])
      expect(() => parse({ [name]: days })).toThrow(`${name}: must be`)
  })
})

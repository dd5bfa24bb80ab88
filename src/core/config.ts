/** The environment, parsed once. Nothing else reads it. */
import * as z from 'zod/mini'
import { fromBase64 } from './ids.ts'

/** With nothing in it that could end a header. */
export const EmailAddress = z
  .string()
  .check(z.maxLength(254), z.regex(/^[^\s@<>,;"]+@[^\s@<>,;"]+$/, 'must be an e-mail address'))

const webhookKeys = z.pipe(
  z.string(),
  z.transform((text, { issues }) => {
    const keys = text.split(',').map((entry) => {
      const [id = '', encoded = ''] = entry.trim().split(/:(.*)/s)
      return { id, bytes: decodeKey(encoded) }
    })
    if (keys.some((key) => !/^[\w-]+$/.test(key.id) || key.bytes?.length !== 32)) {
      const message = 'must be `id:base64 of 32 bytes`, several separated by commas, the newest first'
      issues.push({ code: 'custom', input: text, message })
      return z.NEVER
    }
    return keys as { id: string; bytes: Uint8Array<ArrayBuffer> }[]
  }),
)

/** `team`, `team.cloudflareaccess.com` or its URL: Cloudflare shows all three. */
const accessTeam = z.pipe(
  z
    .string()
    .check(
      z.regex(
        /^(https:\/\/)?[a-z0-9-]+(\.cloudflareaccess\.com)?\/?$/,
        'must be like team.cloudflareaccess.com',
      ),
    ),
  z.transform((text) => `https://${text.replace('https://', '').split(/[./]/)[0]}.cloudflareaccess.com`),
)

const addresses = z.pipe(
  z.pipe(
    z.string(),
    z.transform((text) => text.split(',').map((part) => part.trim())),
  ),
  z.array(EmailAddress).check(z.maxLength(50)),
)

/** Whom alerts go to: any of these, all of them, or nobody. */
const alerts = {
  ALERT_SLACK_URL: z.optional(z.url()),
  ALERT_EMAIL_TO: z.optional(addresses),
  ALERT_EMAIL_FROM: z.optional(EmailAddress),
  ALERT_WEBHOOK_URL: z.optional(z.url()),
  ALERT_WEBHOOK_SECRET: z.optional(
    z
      .string()
      .check(
        z.regex(
          /^whsec_(?:[A-Za-z0-9+/]{4}){8,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
          'must be `whsec_` and the base64 of at least 24 bytes',
        ),
      ),
  ),
  /** After how many deliveries in a row that fail. */
  ALERT_AFTER_FAILURES: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(1_000)), 5),
  /** Where alerts lead to: the address of the console, as people open it. */
  CONSOLE_URL: z.optional(z.url()),
}

const nonEmpty = z.string().check(z.minLength(1))
const flag = z._default(z.stringbool(), false)

const environment = z.pipe(
  z
    .object({
      DATABASE_URL: z.url(),
      /** Only if the SQL-over-HTTP endpoint is not the one that the driver derives from the host. */
      DATABASE_HTTP_ENDPOINT: z.optional(z.url()),
      UPSTASH_REDIS_REST_URL: z.url(),
      UPSTASH_REDIS_REST_TOKEN: nonEmpty,
      /** By default of the database's host and name. */
      REDIS_PREFIX: z.optional(nonEmpty),
      /** An admin's token from before there are operators. Without it, only theirs are taken. */
      OPERATOR_TOKEN: z.optional(z.string().check(z.minLength(32))),
      WEBHOOK_KEYS: webhookKeys,
      /** How many times longer than usual reads, and calls to Redis, may take: where the machine or the way is slow. */
      TIMEOUT_FACTOR: z._default(z.coerce.number().check(z.gte(1), z.lte(20)), 1),
      /** For development: webhooks may be sent to http URLs on the loopback interface. */
      ALLOW_LOOPBACK_WEBHOOKS: flag,
      /** Cloudflare Access in front of the console: the team and the application's audience tag, both or neither. */
      ACCESS_TEAM_DOMAIN: z.optional(accessTeam),
      ACCESS_AUDIENCE: z.optional(nonEmpty),
      /** Behind Access, tokens sign in to the console too. */
      ALLOW_TOKEN_SIGN_IN: flag,
      /** Keeps everything off the database, as during a restore. */
      MAINTENANCE: flag,
      ...alerts,
    })
    .check(
      ...needing('ALERT_EMAIL_TO', 'ALERT_EMAIL_FROM', 'CONSOLE_URL'),
      ...needing('ALERT_WEBHOOK_URL', 'ALERT_WEBHOOK_SECRET', 'CONSOLE_URL'),
      ...needing('ALERT_SLACK_URL', 'CONSOLE_URL'),
      z.refine((config) => !config.ACCESS_TEAM_DOMAIN === !config.ACCESS_AUDIENCE, {
        path: ['ACCESS_AUDIENCE'],
        message: 'must be set together with ACCESS_TEAM_DOMAIN, or neither',
      }),
    ),
  z.transform((config) => ({
    ...config,
    /** Without any, nothing is counted or written for alerts. */
    hasAlerts: Boolean(config.ALERT_SLACK_URL || config.ALERT_EMAIL_TO || config.ALERT_WEBHOOK_URL),
    REDIS_PREFIX: config.REDIS_PREFIX ?? redisPrefixOf(config.DATABASE_URL),
  })),
)

export type Config = z.infer<typeof environment>

/** @throws Error that names each variable that is missing or malformed, never its value */
export function parseConfig(env: unknown): Config {
  const parsed = environment.safeParse(env)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`Configuration: ${problems.join('; ')}`)
}

/** Can be asked before the rest of the configuration is right. */
export const isUnderMaintenance = ({ MAINTENANCE }: Record<string, unknown>) => flag.parse(MAINTENANCE)

function needing(name: string, ...others: string[]) {
  return others.map((other) =>
    z.refine((config: unknown) => !isSet(config, name) || isSet(config, other), {
      path: [other],
      message: `must be set together with ${name}`,
    }),
  )
}

const isSet = (config: unknown, name: string) => Boolean((config as Record<string, unknown>)[name])

/** A branch of a Neon database has a host of its own. The pooled host is the same database. */
function redisPrefixOf(databaseUrl: string): string {
  const { hostname, port, pathname } = new URL(databaseUrl)
  const host = hostname.replace(/^([^.]+)-pooler\./, '$1.')
  return `hca:${host}${port && port !== '5432' ? `:${port}` : ''}${pathname}`
}

function decodeKey(encoded: string): Uint8Array<ArrayBuffer> | null {
  try {
    return fromBase64(encoded)
  } catch {
    return null
  }
}

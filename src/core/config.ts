import * as z from 'zod/mini'
import { fromBase64 } from './ids.ts'

/** Allows no characters that could end a header. */
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

/** Accepts `team`, `team.cloudflareaccess.com` or its URL, because Cloudflare shows all three. */
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

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' })

const alerts = {
  ALERT_SLACK_URL: z.optional(httpUrl),
  ALERT_EMAIL_TO: z.optional(addresses),
  ALERT_EMAIL_FROM: z.optional(EmailAddress),
  ALERT_WEBHOOK_URL: z.optional(httpUrl),
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
  ALERT_AFTER_FAILURES: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(1_000)), 5),
  /** Fetched after each good sweep, for a monitor that raises an alarm when it hears nothing. */
  HEARTBEAT_URL: z.optional(httpUrl),
  /** The console's public URL, for links in alerts. */
  CONSOLE_URL: z.optional(httpUrl),
}

const nonEmpty = z.string().check(z.minLength(1))
/** 30 is the least that the audit log's trigger allows, and the longest time that the console shows as a chart. */
const days = z.coerce.number().check(z.int(), z.gte(30), z.lte(3_650))
const flag = z._default(z.stringbool(), false)

const environment = z.pipe(
  z
    .object({
      DATABASE_URL: z.url(),
      /** Set only if the SQL-over-HTTP endpoint differs from the one that the driver derives from the host. */
      DATABASE_HTTP_ENDPOINT: z.optional(z.url()),
      UPSTASH_REDIS_REST_URL: z.url(),
      UPSTASH_REDIS_REST_TOKEN: nonEmpty,
      REDIS_PREFIX: z.optional(nonEmpty),
      /** An admin token for setting up operators. Without it, only operators' tokens work. */
      OPERATOR_TOKEN: z.optional(z.string().check(z.minLength(32))),
      WEBHOOK_KEYS: webhookKeys,
      /** Multiplies the timeouts of reads and Redis calls, for slow machines and networks. */
      TIMEOUT_FACTOR: z._default(z.coerce.number().check(z.gte(1), z.lte(20)), 1),
      /** For development: allows webhooks to http URLs on the loopback interface. */
      ALLOW_LOOPBACK_WEBHOOKS: flag,
      ACCESS_TEAM_DOMAIN: z.optional(accessTeam),
      ACCESS_AUDIENCE: z.optional(nonEmpty),
      ALLOW_TOKEN_SIGN_IN: flag,
      /** The binding of `[version_metadata]`. */
      VERSION: z.optional(z.object({ id: z.string() })),
      /** Keeps all traffic off the database, for example during a restore. */
      MAINTENANCE: flag,
      RETENTION_AUDIT_DAYS: z._default(days, 400),
      /** For finished events with their deliveries, resends, alerts and imports. */
      RETENTION_DELIVERY_DAYS: z._default(days, 90),
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
    /** Without a target, no alert is stored. */
    hasAlerts: Boolean(config.ALERT_SLACK_URL || config.ALERT_EMAIL_TO || config.ALERT_WEBHOOK_URL),
    version: config.VERSION?.id ?? null,
    REDIS_PREFIX: config.REDIS_PREFIX ?? redisPrefixOf(config.DATABASE_URL),
  })),
)

export type Config = z.infer<typeof environment>

/** @throws Error naming each missing or malformed variable, never its value */
export function parseConfig(env: unknown): Config {
  const parsed = environment.safeParse(env)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`Configuration: ${problems.join('; ')}`)
}

/** Works even if the rest of the configuration is invalid. */
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

/** A Neon branch has its own host. The pooled host is the same database. */
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

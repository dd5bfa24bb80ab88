import type { Config } from '../core/config.ts'

/** Derived from the Redis token, because every deployment has one and it rarely rotates. WEBHOOK_KEYS rotate more often. */
export const signingSecret = (config: Config, purpose: string) =>
  `${purpose}:${config.UPSTASH_REDIS_REST_TOKEN}`

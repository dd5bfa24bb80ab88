import type { Config } from '../core/config.ts'

/**
 * A secret for signatures and hidden numbers, another one for each purpose. It is derived from the token of Redis, which every
 * deployment has and which hardly ever rotates: WEBHOOK_KEYS rotate more often.
 */
export const signingSecret = (config: Config, purpose: string) =>
  `${purpose}:${config.UPSTASH_REDIS_REST_TOKEN}`

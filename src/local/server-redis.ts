import { Redis } from 'ioredis'
import { type Outcome, type RedisBackEnd, toReply } from './redis-session.ts'

const CONNECT_TIMEOUT_MS = 5_000
const COMMAND_TIMEOUT_MS = 5_000
const MAX_RECONNECT_DELAY_MS = 2_000

/** Rejects when the first connection fails; reconnects later. */
export async function openServerRedis(redisUrl: string): Promise<RedisBackEnd> {
  // While Redis is down, calls fail at once: nothing is queued, and nothing is sent twice.
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    retryStrategy: (times) => Math.min(times * 100, MAX_RECONNECT_DELAY_MS),
  })
  let lastError: Error | undefined
  redis.on('error', (error) => {
    lastError = error
  })
  await redis.connect().catch((error) => {
    redis.disconnect()
    throw new Error(`Redis cannot be reached: ${(lastError ?? error).message}`)
  })

  return {
    async pipeline(commands) {
      return Promise.all(
        commands.map(([name = '', ...args]) => redis.callBuffer(name, ...args).then(replied, refused)),
      )
    },
    async transaction(commands) {
      const multi = redis.multi()
      for (const [name = '', ...args] of commands) multi.callBuffer(name, ...args)
      const results = await multi.exec().catch(refused)
      if (results === null) return { error: 'EXECABORT Transaction discarded because of previous errors.' }
      if (!Array.isArray(results)) return results as { error: string }
      return results.map(([error, result]) => (error ? refused(error) : replied(result)))
    },
    close: async () => redis.disconnect(),
  }
}

function replied(result: unknown): Outcome {
  return { result: toReply(result) }
}

// Redis's own errors go to the client. A lost connection is a failure of the gateway.
function refused(error: Error): { error: string } {
  if (error.name !== 'ReplyError') throw error
  return { error: error.message }
}

/** The child process of gateways.ts. */
import { startStack } from '../../src/local/stack.ts'
import { startCache } from './cache.ts'

const { DATABASE_URL, REDIS_URL } = process.env
const stack = await startStack({ databaseUrl: DATABASE_URL, redisUrl: REDIS_URL })
await stack.migrate()
const { url: cacheUrl } = await startCache()
process.once('disconnect', () => process.exit())
process.send!({ ...stack, cacheUrl })

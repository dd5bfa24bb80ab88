/** Keys on the Redis server under test. */
import { Redis } from 'ioredis'

export async function removeKeys(url: string, pattern: string): Promise<void> {
  const redis = new Redis(url)
  for await (const keys of redis.scanStream({ match: pattern, count: 1_000 })) {
    if (keys.length > 0) await redis.unlink(...keys)
  }
  await redis.quit()
}

/** Uses each dependency of package.json once: any bundle size above this is the service's own. */
import { zValidator } from '@hono/zod-validator'
import { neon } from '@neondatabase/serverless'
import { Ratelimit } from '@upstash/ratelimit'
import { Redis } from '@upstash/redis'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/neon-http'
import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { Hono } from 'hono'
import { Tokenizer } from 'htmlparser2'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as z from 'zod'

type Bindings = Record<'DATABASE_URL' | 'REDIS_URL' | 'REDIS_TOKEN' | 'ISSUER', string>

const things = pgTable('things', { id: uuid().primaryKey(), name: text().notNull() })
const app = new Hono<{ Bindings: Bindings }>()

app.get('/things', zValidator('query', z.object({ name: z.string() })), async (c) => {
  const { name } = c.req.valid('query')
  new Tokenizer({}, c.env as never).write(name)
  await jwtVerify(name, createRemoteJWKSet(new URL(c.env.ISSUER)))
  const redis = new Redis({ url: c.env.REDIS_URL, token: c.env.REDIS_TOKEN })
  const limiter = new Ratelimit({ redis, limiter: Ratelimit.fixedWindow(1_000, '1 d') })
  const { success } = await limiter.limit(name)
  if (!success) return c.body(null, 429)
  const db = drizzle(neon(c.env.DATABASE_URL))
  return c.json(await db.select().from(things).where(eq(things.name, name)))
})

export default app

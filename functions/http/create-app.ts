import { Hono } from 'hono'
import type { Env } from './env.ts'

export const createApp = () => new Hono<Env>()

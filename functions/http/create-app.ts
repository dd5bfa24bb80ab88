/** A Hono app without routes yet. */
import type { Hono } from 'hono'
import { HonoBase } from 'hono/hono-base'
import { SmartRouter } from 'hono/router/smart-router'
import { TrieRouter } from 'hono/router/trie-router'
import type { Env } from './env.ts'

/**
 * With the router that takes our paths. Hono's default brings another, tries it at an isolate's first request, and ends up
 * with this one.
 */
export function createApp(): Hono<Env> {
  // SmartRouter builds the trie of the one app that is asked, not of each that is mounted.
  return new HonoBase({ router: new SmartRouter({ routers: [new TrieRouter()] }) })
}

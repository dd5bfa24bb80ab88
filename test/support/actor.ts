import type { Actor } from '../../src/core/actor.ts'

/** For verbs that tests call without an API. */
export const ADMIN: Actor = {
  id: null,
  name: 'test',
  role: 'admin',
  sites: null,
  token: null,
  channel: 'management',
  address: '127.0.0.1',
}

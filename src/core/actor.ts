/** Who writes, and what they may. */
import { type doors, roles } from './enums.ts'
import { AppError } from './errors.ts'

export type Role = (typeof roles)[number]

export type Actor = {
  /** An operator's id, or an API key's; null for OPERATOR_TOKEN. */
  id: string | null
  name: string | null
  role: Role
  /** The ids of those that it reaches; null for all. */
  sites: string[] | null
  /** An operator's token, also the one that signed in to the console. Null for OPERATOR_TOKEN, Cloudflare Access and API keys. */
  token: { id: string; expiresAt: Date } | null
  door: (typeof doors)[number]
  /** The client's IP address. */
  address: string
}

export function isAllowed({ role }: Pick<Actor, 'role'>, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed)
}

/** Every verb that writes for somebody asks this first. @throws AppError role_required */
export function requireRole({ actor }: { actor: Actor | null }, needed: Role): void {
  if (actor && isAllowed(actor, needed)) return
  throw new AppError('role_required', { path: '', message: `Needs the role ${needed}` })
}

/** Whether a site is there for an actor. One that is not answers like one that does not exist. */
export function isReachable({ sites }: Pick<Actor, 'sites'>, siteId: string): boolean {
  return sites === null || sites.includes(siteId)
}

import { type channels, roles } from './enums.ts'
import { AppError } from './errors.ts'

export type Role = (typeof roles)[number]

export type Actor = {
  /** An operator's or API key's id. Null for OPERATOR_TOKEN. */
  id: string | null
  name: string | null
  role: Role
  /** Null for all sites. */
  sites: string[] | null
  /** Also set for console sessions. Null for OPERATOR_TOKEN, Cloudflare Access and API keys. */
  token: { id: string; expiresAt: Date } | null
  channel: (typeof channels)[number]
  address: string
}

export function isAllowed({ role }: Pick<Actor, 'role'>, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed)
}

/** Every verb that writes for an actor calls this first. @throws AppError role_required */
export function requireRole({ actor }: { actor: Actor | null }, needed: Role): void {
  if (actor && isAllowed(actor, needed)) return
  throw new AppError('role_required', { path: '', message: `Needs the role ${needed}` })
}

/** Callers treat unreachable sites like missing ones. */
export function isReachable({ sites }: Pick<Actor, 'sites'>, siteId: string): boolean {
  return sites === null || sites.includes(siteId)
}

/** Active, expired or revoked. */
import { Badge } from './badge.tsx'

type Given = { revokedAt: string | null; expiresAt: string | null }

const isExpired = ({ expiresAt }: Given) => expiresAt !== null && Date.parse(expiresAt) <= Date.now()

export const isLive = (given: Given) => given.revokedAt === null && !isExpired(given)

/** `live` is the badge's text for an active token, key or link. */
export function ValidityBadge({ of, live = 'Active' }: { of: Given; live?: string }) {
  if (of.revokedAt) return <Badge tone="danger" text="Revoked" />
  return isExpired(of) ? <Badge tone="warning" text="Expired" /> : <Badge tone="success" text={live} />
}

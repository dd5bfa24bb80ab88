type Tone = 'neutral' | 'success' | 'warning' | 'danger'

export function Badge({ tone = 'neutral', text }: { tone?: Tone; text: string }) {
  return <span class={`badge ${tone}`}>{text}</span>
}

type Given = { revokedAt: string | null; expiresAt: string | null }

const isExpired = ({ expiresAt }: Given) => expiresAt !== null && Date.parse(expiresAt) <= Date.now()

export const isLive = (given: Given) => given.revokedAt === null && !isExpired(given)

/** Nothing for an active token, key or link. */
export function ValidityBadge({ of }: { of: Given }) {
  if (of.revokedAt) return <Badge tone="danger" text="Revoked" />
  return isExpired(of) ? <Badge tone="warning" text="Expired" /> : null
}

import type { Lose, Reason } from '../import/losses.ts'

export type PostLoss = { field: string; reason: Reason; detail?: string }

export function losing(losses: PostLoss[]): Lose {
  return (field, reason, detail) => {
    losses.push({ field, reason, ...(detail !== undefined && { detail }) })
  }
}

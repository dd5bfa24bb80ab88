import { PLAN_QUOTAS } from '../../../src/access/quota.ts'
import { plans } from '../../../src/db/schema.ts'

export function planName(plan: string): string {
  return plan.charAt(0).toUpperCase() + plan.slice(1)
}

/** A function, since formatting loads locale data, which would slow the Worker's start. */
export const planOptions = () =>
  plans.map((plan) => ({
    value: plan,
    text: `${planName(plan)}: ${PLAN_QUOTAS[plan].toLocaleString('en')} requests per day`,
  }))

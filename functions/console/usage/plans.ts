import { PLAN_QUOTAS } from '../../../src/access/quota.ts'
import { plans } from '../../../src/db/schema.ts'

/** A function, since formatting loads locale data, which would slow the Worker's start. */
export const planOptions = () =>
  plans.map((plan) => ({
    value: plan,
    text: `${plan.charAt(0).toUpperCase() + plan.slice(1)}: ${PLAN_QUOTAS[plan].toLocaleString('en')} requests per day`,
  }))

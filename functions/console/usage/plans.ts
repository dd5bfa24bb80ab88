import { PLAN_QUOTAS } from '../../../src/access/quota.ts'
import { plans } from '../../../src/db/schema.ts'
import type { Option } from '../parts/fields/field.tsx'

/** A function, since formatting loads locale data, which would slow the Worker's start. */
export const planOptions = () =>
  plans.map((plan): Option => {
    const name = plan.charAt(0).toUpperCase() + plan.slice(1)
    return [plan, `${name}: ${PLAN_QUOTAS[plan].toLocaleString('en')} requests per day`]
  })

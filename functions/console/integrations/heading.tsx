/** The heading of the integrations, with the navigation between their pages. */
import type { Child } from 'hono/jsx'
import { TabbedHeading } from '../parts/heading.tsx'
import { DELIVERIES } from './filter.ts'

const PAGES = [
  { name: 'Webhooks', path: '/integrations' },
  { name: 'Deliveries', path: DELIVERIES },
  { name: 'Check a signature', path: '/integrations/signature-check' },
] as const

type HeadingProps = { current: (typeof PAGES)[number]['name']; action?: Child }

export function IntegrationsHeading({ current, action }: HeadingProps) {
  return <TabbedHeading title="Integrations" pages={PAGES} current={current} action={action} />
}

/** The heading of the settings, with the navigation between their pages. */
import { TabbedHeading } from '../parts/heading.tsx'

export const SETTINGS_PAGES = {
  General: '/settings',
  Publishing: '/settings/publishing',
  Sitemap: '/settings/sitemap',
  'Import and export': '/settings/transfer',
  Alerts: '/settings/alerts',
} as const

export function SettingsHeading({ current }: { current: keyof typeof SETTINGS_PAGES }) {
  const pages = Object.entries(SETTINGS_PAGES).map(([name, path]) => ({ name, path }))
  return <TabbedHeading title="Settings" pages={pages} current={current} />
}

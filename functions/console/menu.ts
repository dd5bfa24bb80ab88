import type { Role } from '../../src/core/actor.ts'
import type { IconName } from './parts/icon.tsx'

export type MenuPage = { name: string; path: string; icon: IconName; needs?: Role }

/** The pages of the menus, in order. */
export const SITE_PAGES = [
  { name: 'Overview', path: '/overview', icon: 'overview' },
  { name: 'Content', path: '/content', icon: 'content' },
  { name: 'API', path: '/api', icon: 'api' },
  { name: 'Integrations', path: '/integrations', icon: 'integrations' },
  { name: 'Usage', path: '/usage', icon: 'usage' },
  { name: 'Audit log', path: '/audit-log', icon: 'log' },
  { name: 'Settings', path: '/settings', icon: 'settings' },
] as const satisfies MenuPage[]

/** The tabs of a page, in order. */
export const TABS = {
  Content: {
    Posts: '/content',
    Guides: '/content/guides',
    Redirects: '/content/redirects',
    'Training rows': '/content/training',
  },
  Integrations: {
    Webhooks: '/integrations',
    Deliveries: '/integrations/deliveries',
    'Check a signature': '/integrations/signature-check',
  },
  Settings: {
    General: '/settings',
    Publishing: '/settings/publishing',
    Sitemap: '/settings/sitemap',
    'Import and export': '/settings/transfer',
    Alerts: '/settings/alerts',
  },
} as const

export const WORKSPACE_PAGES = [
  { name: 'Overview', path: '/console/overview', icon: 'overview' },
  { name: 'Sites', path: '/console/sites', icon: 'sites' },
  { name: 'People', path: '/console/people', icon: 'people' },
  { name: 'Alerts', path: '/console/alerts', icon: 'alerts', needs: 'admin' },
  { name: 'Audit log', path: '/console/audit-log', icon: 'log' },
] as const satisfies MenuPage[]

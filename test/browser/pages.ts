/** Every page of the console, in the states that look different, for who looks at all of them. */
import type { Page } from 'playwright-core'
import type { Service } from './service.ts'

type Visit = { name: string; open: (page: Page, service: Service) => Promise<unknown> }

export const WIDTHS = [360, 1440]
export const SCHEMES = ['light', 'dark'] as const

export const PAGES: Visit[] = [
  { name: 'sites', open: (page) => page.goto('/console/sites') },
  { name: 'site-new', open: (page) => page.goto('/console/sites/new') },
  {
    name: 'site-new-refused',
    async open(page) {
      await page.goto('/console/sites/new')
      await page.getByLabel('Name').fill('Engineering blog')
      await page.getByLabel('Domain').fill('https://blog.example.com')
      await page.getByRole('button', { name: 'Create site' }).click()
    },
  },
  { name: 'api', open: (page, { demo }) => page.goto(`/console/sites/${demo.siteId}/api`) },
  { name: 'api-empty', open: (page) => openNewSite(page) },
  { name: 'key-new', open: (page, { demo }) => page.goto(`/console/sites/${demo.siteId}/keys/new`) },
  {
    name: 'key-created',
    async open(page, { demo }) {
      await page.goto(`/console/sites/${demo.siteId}/keys/new`)
      await page.getByLabel('Name').fill('Staging')
      await page.getByRole('button', { name: 'Create key' }).click()
    },
  },
  {
    name: 'key-revocation',
    async open(page, { demo }) {
      await page.goto(`/console/sites/${demo.siteId}/api`)
      await page.getByRole('link', { name: 'Revoke' }).first().click()
    },
  },
  {
    name: 'key-revoked',
    async open(page, { demo }) {
      await page.goto(`/console/sites/${demo.siteId}/keys/new`)
      await page.getByLabel('Name').fill('Old importer')
      await page.getByLabel('Access').selectOption('sitemap')
      await page.getByLabel('Expires').fill('2030-01-31')
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('link', { name: 'Done' }).click()
      await page.getByRole('link', { name: 'Revoke Old importer' }).first().click()
      await page.getByRole('button', { name: 'Revoke key' }).click()
    },
  },
  { name: 'settings', open: (page, { demo }) => page.goto(`/console/sites/${demo.siteId}/settings`) },
  {
    name: 'settings-refused',
    async open(page, { demo }) {
      await page.goto(`/console/sites/${demo.siteId}/settings`)
      await page.getByLabel('Post path').fill('blog')
      await page.getByLabel('Own daily quota').fill('many')
      await page.getByRole('button', { name: 'Save settings' }).click()
    },
  },
  {
    name: 'settings-saved',
    async open(page, { demo }) {
      await page.goto(`/console/sites/${demo.siteId}/settings`)
      await page.getByRole('button', { name: 'Save settings' }).click()
    },
  },
  { name: 'not-found', open: (page) => page.goto('/console/nowhere') },
]

/** Pages for who is not signed in. */
export const OUTSIDE: Visit[] = [
  { name: 'sign-in', open: (page) => page.goto('/console/sign-in') },
  {
    name: 'sign-in-refused',
    async open(page) {
      await page.goto('/console/sites')
      await page.getByLabel('Operator token').fill('not the token')
      await page.getByRole('button', { name: 'Sign in' }).click()
    },
  },
]

export async function signIn(page: Page, { operatorToken }: Service): Promise<void> {
  await page.goto('/console')
  await page.getByLabel('Operator token').fill(operatorToken)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Sites' }).waitFor()
}

async function openNewSite(page: Page): Promise<void> {
  await page.goto('/console/sites/new')
  await page.getByLabel('Name').fill('Engineering blog')
  await page.getByLabel('Domain').fill('engineering.example.com')
  await page.getByRole('button', { name: 'Create site' }).click()
}

import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

type Locked = { link?: true; integrity?: string }

it('every package in a lock file has a hash to verify its download, also for other platforms', () => {
  const files = globSync('**/package-lock.json', { exclude: ['**/node_modules'] })
  const without = files.flatMap((file) => {
    const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Locked> }
    return Object.entries(packages)
      .filter(([path, { link, integrity }]) => path.includes('node_modules/') && !link && !integrity)
      .map(([path]) => `${file}: ${path}`)
  })
  expect(files).toContain('package-lock.json')
  expect(without).toEqual([])
})

/** 405 for paths that are known, with the methods they have. */
import type { Hono } from 'hono'
import { AppError } from '../../src/errors.ts'
import type { Env } from './env.ts'

/** Refuses every other method of the app's paths; to be called when all routes stand. */
export function closePaths(app: Pick<Hono<Env>, 'all' | 'routes'>): void {
  const methods = new Map<string, Set<string>>()
  for (const { path, method } of app.routes) {
    if (method === 'ALL') continue
    const known = methods.get(path) ?? new Set()
    known.add(method)
    if (method === 'GET') known.add('HEAD')
    methods.set(path, known)
  }
  for (const [path, known] of methods) {
    app.all(path, (c) => {
      c.header('Allow', [...known].join(', '))
      throw new AppError('method_not_allowed')
    })
  }
}

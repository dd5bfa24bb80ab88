/** 405 for paths that exist, with the methods they have in `Allow`. */
import type { ErrorHandler, Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { AppError } from '../../src/core/errors.ts'
import type { Env } from './env.ts'

/** Hono's middleware, with the answer that `onError` gives. A route's own 404 is thrown, so this does not touch it. */
export function refuseMethods(app: Hono<Env>, onError: ErrorHandler<Env>) {
  return methodNotAllowed({
    app,
    onMethodNotAllowed(c, methods) {
      c.header('Allow', methods.join(', '))
      return onError(new AppError('method_not_allowed'), c)
    },
  })
}

import type { ErrorHandler, Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { AppError } from '../../src/core/errors.ts'
import type { Env } from './env.ts'

/** 405 with `Allow` for a path with other methods. Hono's middleware ignores a route's own 404, which is thrown. */
export function refuseMethods(app: Hono<Env>, onError: ErrorHandler<Env>) {
  return methodNotAllowed({
    app,
    onMethodNotAllowed(c, methods) {
      c.header('Allow', methods.join(', '))
      return onError(new AppError('method_not_allowed'), c)
    },
  })
}

import { useRequestContext as useContext } from 'hono/jsx-renderer'
import type { Env } from '../http/env.ts'

/** For components: the current request. */
export const useRequestContext = () => useContext<Env>()

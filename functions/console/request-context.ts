import { useRequestContext as useContext } from 'hono/jsx-renderer'
import type { Env } from '../http/env.ts'

/** For components: the request whose page is being rendered. */
export const useRequestContext = () => useContext<Env>()

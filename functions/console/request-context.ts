import { useRequestContext as useContext } from 'hono/jsx-renderer'
import type { Env } from '../http/env.ts'

export const useRequestContext = () => useContext<Env>()

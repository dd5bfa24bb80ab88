import { confirmKey } from '../../src/access/admission.ts'
import { isAllowed } from '../../src/core/actor.ts'
import { AppError } from '../../src/core/errors.ts'
import { authenticate } from '../http/api-key.ts'
import { assetText } from '../http/assets.ts'
import type { Http } from '../http/env.ts'
import { identifyOperator } from '../http/operator.ts'
import { bearerToken } from '../http/request.ts'
import type { AnyTool, Tools } from './tool.ts'

const FILE = '/mcp/tools.json'
const KEY = /^hca_live_/

export type Caller = {
  token: string
  /** Null for operators, who pass `siteId`. */
  siteId: string | null
  /** The operation checks the role itself and logs refusals, so callers may try all tools of their kind. */
  callable: AnyTool[]
  /** For `tools/list`: tools that the credential may use. */
  listed: AnyTool[]
  confirm: () => Promise<unknown>
}

/** Accepts no token from the query. @throws AppError credential_refused; api_key_refused; operator_refused; too_many_attempts */
export async function identifyCaller(c: Http): Promise<Caller> {
  const token = bearerToken(c)
  if (!token) throw new AppError('credential_refused')
  return KEY.test(token) ? identifyKeyCaller(c, token) : identifyOperatorCaller(c, token)
}

async function identifyKeyCaller(c: Http, token: string): Promise<Caller> {
  const ctx = c.get('ctx')
  // Every key has this access.
  const presented = await authenticate(c, { access: 'sitemap' })
  const { key } = await readTools(c)
  const open = key.filter(({ needs }) => presented.access !== 'sitemap' || needs === 'sitemap')
  const confirm = () => confirmKey(ctx, presented)
  return { token, siteId: presented.siteId, callable: open, listed: open, confirm }
}

async function identifyOperatorCaller(c: Http, token: string): Promise<Caller> {
  await identifyOperator(c, 'mcp')
  const { operator } = await readTools(c)
  const actor = c.get('ctx').actor!
  const listed = operator.filter(({ needs }) => isAllowed(actor, needs))
  return { token, siteId: null, callable: operator, listed, confirm: async () => {} }
}

let tools: Tools | undefined

async function readTools(c: Http): Promise<Tools> {
  tools ??= JSON.parse(await assetText(c, FILE)) as Tools
  return tools
}

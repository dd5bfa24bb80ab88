/** Who asks: the holder of an API key or of an operator's token, and the tools that are theirs. */
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

export type Holder = {
  token: string
  /** The site of a key. Null for an operator, who names one. */
  siteId: string | null
  /** What may be called. The operation then asks for the role that it needs, and logs a refusal. */
  callable: AnyTool[]
  /** What the credential may use, which `tools/list` shows. */
  listed: AnyTool[]
  /** For what is no request to an operation: whether the credential is still good. */
  confirm: () => Promise<unknown>
}

/** Never from a query. @throws AppError credential_refused; api_key_refused; operator_refused; too_many_attempts */
export async function identifyHolder(c: Http): Promise<Holder> {
  const token = bearerToken(c)
  if (!token) throw new AppError('credential_refused')
  return KEY.test(token) ? ofKey(c, token) : ofOperator(c, token)
}

async function ofKey(c: Http, token: string): Promise<Holder> {
  const ctx = c.get('ctx')
  // What every key opens.
  const presented = await authenticate(c, { access: 'sitemap' })
  const { key } = await readTools(c)
  const open = key.filter(({ needs }) => presented.access !== 'sitemap' || needs === 'sitemap')
  const confirm = () => confirmKey(ctx, presented)
  return { token, siteId: presented.siteId, callable: open, listed: open, confirm }
}

async function ofOperator(c: Http, token: string): Promise<Holder> {
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

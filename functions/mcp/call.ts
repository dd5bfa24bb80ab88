import { AppError } from '../../src/core/errors.ts'
import type { Http } from '../http/env.ts'
import { requestForMcp } from '../http/own-requests.ts'
import { readUpTo } from '../http/stream.ts'
import type { Caller } from './caller.ts'
import type { AnyTool, ToolResponse } from './tool.ts'

/** Models read far less. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024
const MAX_TEXT_LENGTH = 1024 * 1024
/** Objects are sent as text for models and as JSON for programs, unless that would double a large response. */
const MAX_STRUCTURED_LENGTH = 256 * 1024
/** Conversion time grows with the length. */
const MAX_HTML_LENGTH = 256 * 1024
/** Most servers limit URLs to this length. */
const MAX_URL_LENGTH = 16_000
const REPEATED_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'X-Effective-Within',
]

type Json = Record<string, unknown>
export type CallResult = {
  content: { type: 'text'; text: string }[]
  structuredContent?: Json
  isError?: true
}

const failureResult = (text: string, structuredContent?: Json): CallResult => ({
  content: [{ type: 'text', text }],
  ...(structuredContent && { structuredContent }),
  isError: true,
})

/** Refusals and invalid arguments become results with `isError`. @throws AppError credential_refused */
export async function callTool(c: Http, caller: Caller, tool: AnyTool, args: Json): Promise<CallResult> {
  const request = toRequest(c, caller, tool, args)
  if (typeof request === 'string') {
    await caller.confirm()
    return failureResult(`Invalid arguments: ${request}`)
  }
  const response = await requestForMcp(c, request)
  if (response.status === 401) throw new AppError('credential_refused')
  for (const name of REPEATED_HEADERS)
    if (response.headers.has(name)) c.header(name, response.headers.get(name)!)
  const read = await readUpTo(response.body!, MAX_RESPONSE_BYTES)
  if (read instanceof ReadableStream) {
    await read.cancel()
    return tooLarge()
  }
  const text = new TextDecoder().decode(read)
  if (!response.ok) return refusal(response, JSON.parse(text))
  return toResult(text, response.headers.get('Content-Type') ?? '', tool.response)
}

/** Refuses arguments outside the tool's schema. */
function toRequest(
  c: Http,
  { siteId, token }: Caller,
  { tool, request }: AnyTool,
  args: Json,
): Request | string {
  const { method, path, query, hasBody, preset } = request
  const known = tool.inputSchema.properties
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(known, name))
  if (unknown !== undefined) return `${unknown.slice(0, 40)} is not a known argument`
  const wrong: string[] = []
  const inPath = { ...args, ...(siteId && { siteId }) } as Json
  const pathname = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = inPath[name]
    const problem = segmentProblem(value)
    if (problem) wrong.push(`${name} ${problem}`)
    return problem ? '' : encodeURIComponent(value as string)
  })
  const params = new URLSearchParams(preset)
  for (const name of query) {
    const value = args[name]
    if (value === undefined || value === null) continue
    if (!['string', 'number', 'boolean'].includes(typeof value))
      wrong.push(`${name} must not be a list or an object`)
    else params.set(name, String(value))
  }
  if (wrong.length > 0) return wrong.join('; ')
  const url = new URL(pathname, c.req.url)
  url.search = String(params)
  if (url.href.length > MAX_URL_LENGTH) return 'they are too long'
  const rest = Object.entries(args).filter(([name]) => !query.includes(name) && !path.includes(`{${name}}`))
  return new Request(url, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(hasBody && { 'Content-Type': 'application/json' }) },
    ...(hasBody && { body: JSON.stringify(Object.fromEntries(rest)) }),
  })
}

/** URLs normalise `.` and `..` in every spelling, and cannot hold a lone surrogate. */
function segmentProblem(value: unknown): string | null {
  if (value === undefined) return 'is required'
  if (typeof value !== 'string') return 'must be a string'
  if (value === '') return 'must not be empty'
  if (/^\.{1,2}$/.test(value)) return 'must not be "." or ".."'
  return value.isWellFormed() ? null : 'must be well-formed Unicode'
}

function refusal(response: Response, { error, issues }: Json): CallResult {
  const { status, headers } = response
  const wait = headers.get('Retry-After')
  const text = wait ? `${error} (${status}). Retry in ${wait} s` : `${error} (${status})`
  return failureResult(text, {
    error,
    status,
    ...(issues ? { issues } : {}),
    ...(wait && { retryAfterSeconds: Number(wait) }),
  })
}

async function toResult(text: string, contentType: string, shape: ToolResponse): Promise<CallResult> {
  if (!contentType.startsWith('application/json')) return asText(text)
  const { markdown, without = [] } = shape
  if (markdown !== undefined) return asMarkdown(JSON.parse(text), markdown, without)
  const body = without.length > 0 ? slim(JSON.parse(text), without) : text
  const result = asText(body)
  if (result.isError || body.length > MAX_STRUCTURED_LENGTH) return result
  return { ...result, structuredContent: JSON.parse(body) }
}

const asText = (text: string): CallResult =>
  text.length > MAX_TEXT_LENGTH ? tooLarge() : { content: [{ type: 'text', text }] }

const tooLarge = () =>
  failureResult('The response is too large for a tool: request fewer items or fields, or use the API')

const tooLargeForMarkdown = () =>
  failureResult(
    'The body is too large for Markdown, or nested too deeply: read its HTML with get_post or get_guide',
  )

function slim(list: Json, names: string[]): string {
  return JSON.stringify({ ...list, items: (list.items as Json[]).map((item) => leaveOut(item, names)) })
}

const leaveOut = (from: Json, names: string[]): Json =>
  Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)))

/** The other fields are front matter. JSON is valid YAML. */
async function asMarkdown(found: Json, at: string, without: string[]): Promise<CallResult> {
  const { contentHtml, ...article } = { ...leaveOut(found, [at]), ...(at === '' ? {} : (found[at] as Json)) }
  const html = String(contentHtml)
  if (html.length > MAX_HTML_LENGTH) return tooLargeForMarkdown()
  // Loads the module on first use.
  const { markdownOf } = await import('./markdown.ts')
  let body: string
  try {
    body = markdownOf(html)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return tooLargeForMarkdown()
  }
  const fields = Object.entries(leaveOut(article, without)).filter(([, value]) => value !== null)
  const matter = fields.map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`).join('')
  return asText(`---\n${matter}---\n\n${body}`)
}

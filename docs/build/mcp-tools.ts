/**
 * Part of `npm run generate`: writes the tools of `/mcp` from their table and the OpenAPI documents. `--check` fails if the
 * file is out of date.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ToolOf, Tools } from '../../functions/mcp/tool.ts'
import { type Entry, KEY_TOOLS, OPERATOR_TOOLS } from '../../functions/mcp/tools.ts'

type Schema = { [keyword: string]: unknown }
type Parameter = { name: string; in: string; required?: boolean; description: string; schema: Schema }
type Operation = {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
}
type Document = {
  servers: { url: string }[]
  components: { schemas: Record<string, Schema> }
  paths: Record<string, Record<string, Operation>>
}

const PUBLIC = join(import.meta.dirname, '../../functions/public')
const FILE = join(PUBLIC, 'mcp/tools.json')
/** Keywords to drop: some models reject patterns with lookaheads, and descriptions say the same. */
const LEFT_OUT = ['example', 'pattern', 'x-addition', 'x-since']

const EFFECTS = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  write: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  overwrite: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  send: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
}

const api = await readDocument('api/v1')
const manage = await readDocument('manage/v1')
const tools: Tools = {
  key: KEY_TOOLS.map((entry) => toTool(api, { ...entry, hidden: [...(entry.hidden ?? []), 'siteId'] })),
  operator: OPERATOR_TOOLS.map((entry) => toTool(manage, entry)),
}
const text = `${JSON.stringify(tools, null, 1)}\n`

if (process.argv.includes('--check')) {
  if ((await readFile(FILE, 'utf8').catch(() => '')) !== text) {
    console.error(`${FILE} differs from the table and the OpenAPI documents: npm run generate`)
    process.exitCode = 1
  }
} else {
  await mkdir(dirname(FILE), { recursive: true })
  await writeFile(FILE, text)
}

async function readDocument(root: string): Promise<Document> {
  return JSON.parse(await readFile(join(PUBLIC, root, 'openapi.json'), 'utf8'))
}

function toTool<Needs>(document: Document, entry: Entry<Needs>): ToolOf<Needs> {
  const { name, title, description, needs, effect, hidden = [], preset = {}, response = {} } = entry
  const { method, path, operation } = find(document, entry.operation)
  const parameters = (operation.parameters ?? []).filter((each) => each.in !== 'header')
  const body =
    operation.requestBody && inlined(document, operation.requestBody.content['application/json'].schema)
  const ofBody = (body?.properties ?? {}) as Record<string, Schema>
  // The body may only repeat the path.
  const members = Object.entries(ofBody).filter(
    ([member]) => !parameters.some((each) => each.name === member),
  )
  const all = new Map<string, object>([
    ...parameters.map((each) => [each.name, toArgument(document, each, preset)] as const),
    ...members,
  ])
  const missing = [...hidden, ...Object.keys(preset)].find((each) => !all.has(each))
  if (missing) throw new Error(`${name} names ${missing}, which ${entry.operation} does not have`)
  const required = [...parameters.filter((each) => each.required).map((each) => each.name)]
  required.push(...((body?.required ?? []) as string[]))
  for (const each of hidden) all.delete(each)
  return {
    tool: {
      ...{ name, title, description },
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(all),
        required: required.filter((each) => all.has(each)),
        additionalProperties: false,
      },
      annotations: EFFECTS[effect],
    },
    needs,
    request: {
      method,
      path: document.servers[0]!.url + path,
      query: parameters.filter((each) => each.in === 'query' && all.has(each.name)).map((each) => each.name),
      hasBody: body !== undefined,
      preset,
    },
    response,
  }
}

function find({ paths }: Document, operationId: string) {
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods))
      if (operation.operationId === operationId) return { method: method.toUpperCase(), path, operation }
  throw new Error(`No operation ${operationId}`)
}

function toArgument(
  document: Document,
  { name, description, schema }: Parameter,
  preset: Record<string, string>,
) {
  const { default: fallback, ...rest } = inlined(document, schema)
  const given = preset[name]
  const shown = given === undefined ? fallback : rest.type === 'integer' ? Number(given) : given
  return { ...rest, description, ...(shown !== undefined && { default: shown }) }
}

/** Includes the referenced schemas, because a tool's schema stands alone. */
function inlined(document: Document, schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (LEFT_OUT.includes(key)) return undefined
    if (typeof value?.$ref !== 'string') return value
    const { $ref, ...beside } = value
    return { ...inlined(document, document.components.schemas[$ref.split('/').at(-1)]!), ...beside }
  })
}

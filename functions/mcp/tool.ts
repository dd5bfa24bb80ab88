/** `npm run generate` writes these from tools.ts and the OpenAPI documents. */
import type { Role } from '../../src/core/actor.ts'
import type { RequiredAccess } from '../http/api-key.ts'

type Tool = {
  name: string
  title: string
  description: string
  inputSchema: {
    type: 'object'
    properties: Record<string, object>
    required: string[]
    additionalProperties: false
  }
  annotations: {
    readOnlyHint: boolean
    destructiveHint: boolean
    idempotentHint: boolean
    openWorldHint: boolean
  }
}

/** Arguments fill the path and query; with `hasBody`, the rest go into the body. */
type ToolRequest = {
  method: string
  path: string
  query: string[]
  hasBody: boolean
  preset: Record<string, string>
}

/** Without `markdown`, the response stays as it is. */
export type ToolResponse = {
  /** The property with the article; '' for the whole response. */
  markdown?: string
  /** Dropped from list items, or from the front matter. */
  without?: string[]
}

export type ToolOf<Needs> = { tool: Tool; needs: Needs; request: ToolRequest; response: ToolResponse }

export type Tools = { key: ToolOf<RequiredAccess>[]; operator: ToolOf<Role>[] }
export type AnyTool = ToolOf<unknown>

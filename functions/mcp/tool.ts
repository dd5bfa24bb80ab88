/** A tool as `npm run generate` writes it, from tools.ts and the OpenAPI documents. */
import type { Role } from '../../src/core/actor.ts'
import type { RequiredAccess } from '../http/api-key.ts'

/** The definition in `tools/list`. */
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

/** The operation to call. Arguments fill the path and query; with `hasBody`, the rest go into the body. */
type ToolRequest = {
  method: string
  /** For example `/api/v1/sites/{siteId}/posts`. */
  path: string
  query: string[]
  hasBody: boolean
  /** Default query parameters. */
  preset: Record<string, string>
}

/** How to convert the response. Without `markdown` it stays as is. */
export type ToolAnswer = {
  /** The property with the article; '' for the whole response. */
  markdown?: string
  /** Properties to drop from list items, or from the front matter. */
  without?: string[]
}

export type ToolOf<Needs> = { tool: Tool; needs: Needs; request: ToolRequest; answer: ToolAnswer }

/** The contents of tools.json, by credential. */
export type Tools = { key: ToolOf<RequiredAccess>[]; operator: ToolOf<Role>[] }
export type AnyTool = ToolOf<unknown>
